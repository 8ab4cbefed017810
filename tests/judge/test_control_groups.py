"""Control groups: the limits that they set for this process, and groups for the memory of bots."""

import itertools
import os
import subprocess
import sys

import pytest

from judge import control_groups
from judge.control_groups import (
    KILLED,
    MARGIN_BYTES,
    NAME,
    PROCESSES,
    REACHED,
    MemoryGroup,
    cpu_quota,
    divided_group,
    memory_left,
)
from judge.files import hold
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import CannotStart
from tests.judge.helpers.projects import write_project
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import wait_until

DOCKER = "/docker/0123abcd"
VERSION_1 = f"5:memory:{DOCKER}\n4:cpu,cpuacct:{DOCKER}\n1:name=systemd:{DOCKER}\n"
VERSION_2 = "0::/user.slice/me\n"
needs_groups = pytest.mark.skipif(divided_group() is None, reason="this user may not make control groups here")
LIMIT_BYTES = 20 * 10**6
HOLDS = {
    "pages": "held = bytearray(10**9)",
    "epoll": """
import select
files = [end for _ in range(500) for end in os.pipe()]
while True:
    watched = select.epoll()
    kept.append(watched)
    for file in files:
        watched.register(file)
""",
    "mappings": """
import mmap
areas = [mmap.mmap(-1, 1, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS) for _ in range(10000)]
for _ in range(60):
    if os.fork() == 0:
        break
""",
}


def own_groups():
    """The folders of the groups that this process has made."""
    folder, _ = divided_group()
    return set(folder.glob(f"dropfour-{os.getpid()}-*"))


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
    assert memory_left(tmp_path / "none", tmp_path / "none") is None


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
        assert memory_left(root, own(tmp_path, groups)) == expected, (groups, files)


def test_a_group_that_divides_memory_is_found(tmp_path):
    v2, v1 = ("cgroup.subtree_control", "cgroup.procs"), ("memory/a/memory.limit_in_bytes", "memory/a/cgroup.procs")
    for number, (groups, files, expected) in enumerate(
        [
            ("0::/user/shell\n", {f"{v2[0]}": "memory", v2[1]: ""}, ""),
            (
                "0::/user/shell\n",
                {f"user/shell/{v2[0]}": "", f"user/{v2[0]}": "cpu memory pids", f"user/{v2[1]}": ""},
                "user",
            ),
            ("0::/user/shell\n", {f"user/shell/{v2[0]}": "", f"user/{v2[0]}": "cpu", f"user/{v2[1]}": ""}, None),
            ("0::/../above\n", {v2[0]: "memory", v2[1]: ""}, ""),
            ("4:memory:/a\n1:cpu:/\n0::/\n", {v1[0]: "1", v1[1]: ""}, "memory/a"),
            ("4:cpu:/a\n", {v1[0]: "1", v1[1]: ""}, None),
            ("", {}, None),
        ]
    ):
        root = write_project(tmp_path / f"cgroup{number}", files)
        found = divided_group(root, own(tmp_path / f"own{number}", groups))
        assert found == expected if found is None else found[0] == root / expected, (groups, files)


@needs_sandbox
@needs_groups
@pytest.mark.parametrize("what", HOLDS)
def test_the_kernel_ends_a_bot_that_makes_it_hold_too_much(what):
    code = f"import os\nkept = []\n{HOLDS[what]}\nimport time; time.sleep(3600)"
    words = (sys.executable, "-S", "-c", code)
    process = BotProcess(words, {}, "group", sandbox=bare_sandbox(), memory_limit_bytes=LIMIT_BYTES)
    try:
        wait_until(lambda: pump([process], 0.05) and process.memory() == LIMIT_BYTES + MARGIN_BYTES)
        assert process.peak_rss_bytes >= LIMIT_BYTES + MARGIN_BYTES
    finally:
        end_all([process], "group")


@needs_sandbox
@needs_groups
def test_a_bot_below_its_limit_is_left_alone_and_its_group_goes_with_it():
    before = own_groups()
    words = (sys.executable, "-S", "-c", "print(flush=True); input()")
    process = BotProcess(words, {}, "group", sandbox=bare_sandbox(), memory_limit_bytes=LIMIT_BYTES)
    try:
        wait_until(lambda: pump([process], 0.05) and process.received)
        made = (own_groups() - before).pop()
        assert str(process.pid) in (made / PROCESSES).read_text().split()
        assert 0 < process.memory() < LIMIT_BYTES
    finally:
        end_all([process], "group")
    # On a busy machine killed processes may take a while to end; each removal tries again those that failed.
    wait_until(lambda: MemoryGroup(LIMIT_BYTES).remove() or not made.exists())


@needs_sandbox
@needs_groups
def test_a_program_that_cannot_start_leaves_no_group():
    before = own_groups()
    with pytest.raises(CannotStart):
        BotProcess(("no-such-program",), {}, "group", sandbox=bare_sandbox(), memory_limit_bytes=LIMIT_BYTES)
    assert own_groups() <= before


@pytest.mark.parametrize(
    ("killed", "reached", "is_blamed"),
    [
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "5\n", False),
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", "0\n", False),
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 10\n", "12\n", True),
        ("low 0\nhigh 0\nmax 7\noom 0\noom_kill 1\noom_group_kill 0\n", None, False),
        ("low 0\nhigh 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 0\n", None, False),
        ("low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n", None, True),
    ],
)
def test_a_group_is_not_blamed_if_the_whole_machine_has_no_memory_left(killed, reached, is_blamed):
    events = killed if reached is None else reached
    assert bool(KILLED.search(killed.encode()) and REACHED.search(events.encode())) == is_blamed


@needs_groups
def test_a_group_that_somebody_else_removes_is_not_blamed():
    before, group = own_groups(), MemoryGroup(LIMIT_BYTES)
    (own_groups() - before).pop().rmdir()
    assert not group.has_killed()
    group.remove()


@needs_groups
def test_groups_that_a_killed_judge_has_left_are_removed():
    code = (
        "import os, signal\nfrom judge.control_groups import MemoryGroup\n"
        "print(MemoryGroup(10**6)._folder, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    left = done.stdout.strip()
    own = MemoryGroup(LIMIT_BYTES)
    try:
        assert os.path.isdir(left)
        divided_group.cache_clear()
        assert divided_group() is not None and not os.path.exists(left)
    finally:
        own.remove()


def left_by_another():
    """(the folder of a group like those of a judge, whose process id is nobody's here; a descriptor that holds it)."""
    folder, _names = divided_group()
    name = NAME.format(judge=2**22 + 1, number=1)  # no process has so large an id
    made = folder / name
    made.mkdir()
    return made, hold(made)


@needs_groups
def test_the_group_of_a_judge_in_another_namespace_is_no_left_one():
    """Its process id is nobody's here, but the judge holds it."""
    made, held = left_by_another()
    try:
        divided_group.cache_clear()
        assert divided_group() is not None and made.exists()
        os.close(held)
        divided_group.cache_clear()
        assert divided_group() is not None and not made.exists()
    finally:
        if made.exists():
            made.rmdir()


@needs_groups
def test_a_group_is_held_and_has_a_name_of_its_own(monkeypatch):
    """A killed judge of the same process id may have left one that cannot be removed yet."""
    monkeypatch.setattr(control_groups, "_numbers", itertools.count(10**6))
    first = MemoryGroup(LIMIT_BYTES)
    monkeypatch.setattr(control_groups, "_numbers", itertools.count(10**6))
    second = MemoryGroup(LIMIT_BYTES)
    try:
        assert first._folder != second._folder and hold(first._folder) is None
    finally:
        first.remove()
        second.remove()
    assert not first._folder.exists() and not second._folder.exists()
