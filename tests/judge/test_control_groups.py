"""Control groups: the limits that they set for this process."""

from judge.control_groups import available_memory, cpu_quota
from tests.judge.helpers.projects import write_project

DOCKER = "/docker/0123abcd"
VERSION_1 = f"5:memory:{DOCKER}\n4:cpu,cpuacct:{DOCKER}\n1:name=systemd:{DOCKER}\n"
VERSION_2 = "0::/user.slice/me\n"


def own(tmp_path, text):
    """The file that names a process's groups."""
    return write_project(tmp_path, {"own": text}) / "own"


def test_the_quota_of_a_container(tmp_path):
    for number, (groups, files, expected) in enumerate(
        [
            # Version 2: the container sees its own group as the root.
            ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
            ("0::/\n", {"cpu.max": "max 100000\n"}, None),
            ("0::/\n", {}, None),
            # A group above sets the tighter limit.
            (
                VERSION_2,
                {"user.slice/me/cpu.max": "300000 100000", "user.slice/cpu.max": "150000 100000"},
                1.5,
            ),
            (VERSION_2, {"user.slice/me/cpu.max": "max 100000"}, None),
            # Version 1: the group's path is the host's; in the container only the root is there.
            (VERSION_1, {"cpu,cpuacct/cpu.cfs_quota_us": "75000", "cpu,cpuacct/cpu.cfs_period_us": "50000"}, 1.5),
            (VERSION_1, {"cpu/cpu.cfs_quota_us": "150000", "cpu/cpu.cfs_period_us": "100000"}, 1.5),
            (
                VERSION_1,
                {f"cpu{DOCKER}/cpu.cfs_quota_us": "150000", f"cpu{DOCKER}/cpu.cfs_period_us": "100000"},
                1.5,
            ),
            (VERSION_1, {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
            # The groups of another controller do not count.
            ("3:memory:/a\n", {"cpu/cpu.cfs_quota_us": "150000", "cpu/cpu.cfs_period_us": "100000"}, None),
            # What makes no sense is no limit.
            ("0::/\n", {"cpu.max": "\n"}, None),
            ("0::/\n", {"cpu.max": "150000\n"}, None),
            ("0::/\n", {"cpu.max": "150000 0\n"}, None),
            ("nonsense\n\n::\n0::/../..\n", {"cpu.max": "x y z"}, None),
            ("0::/../../elsewhere\n", {}, None),
        ]
    ):
        root = write_project(tmp_path / f"cgroup{number}", files)
        root.mkdir(exist_ok=True)
        assert cpu_quota(root, own(tmp_path, groups)) == expected, (groups, files)


def test_without_control_groups_there_is_no_limit(tmp_path):
    assert cpu_quota(tmp_path / "none", tmp_path / "none") is None
    assert available_memory(tmp_path / "none", tmp_path / "none") is None


def test_the_memory_of_a_container(tmp_path):
    for number, (groups, files, expected) in enumerate(
        [
            ("0::/\n", {"memory.max": "3000", "memory.current": "1000"}, 2000),
            ("0::/\n", {"memory.max": "max", "memory.current": "1000"}, None),
            # What is only kept of files is free.
            (
                "0::/\n",
                {"memory.max": "3000", "memory.current": "2900", "memory.stat": "anon 1\ninactive_file 2500\n"},
                2600,
            ),
            ("0::/\n", {"memory.max": "3000", "memory.current": "3500"}, 0),
            (VERSION_1, {"memory/memory.limit_in_bytes": "3000", "memory/memory.usage_in_bytes": "1000"}, 2000),
            (VERSION_1, {"memory/memory.limit_in_bytes": str(2**63 - 4096), "memory/memory.usage_in_bytes": "1"}, None),
        ]
    ):
        root = write_project(tmp_path / f"cgroup{number}", files)
        assert available_memory(root, own(tmp_path, groups)) == expected, (groups, files)
