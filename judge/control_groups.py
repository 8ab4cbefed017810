"""The limits of this process's control groups of Linux (cgroups(7)), version 1 and 2.

A process belongs to one group in each hierarchy, and each group above that one may set its own limit; the lowest limit
counts. Inside a container the path of the group is often the host's path, which does not exist there; then only the
root of the hierarchy is read.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")  # names the groups of this process
CPU, MEMORY = "cpu", "memory"  # names of controllers


def cpu_quota(root: Path = CGROUPS, own: Path = OWN) -> float | None:
    """Return the CPU limit of this process's control group, in cores, or None if there is no limit.

    `root` is the folder of control groups, `own` the file that names this process's groups.
    """
    quotas = []
    for folder in _groups(root, own, CPU):
        # Version 2 has both numbers in one file, version 1 in two. Of no limit the first is "max" or -1.
        words = _text(folder / "cpu.max").split() or [
            _text(folder / "cpu.cfs_quota_us").strip(),
            _text(folder / "cpu.cfs_period_us").strip(),
        ]
        numbers = [_number(word) for word in words[:2]]
        if len(numbers) == 2 and numbers[0] and numbers[1]:
            quotas.append(numbers[0] / numbers[1])
    return min(quotas, default=None)


def available_memory(root: Path = CGROUPS, own: Path = OWN) -> int | None:
    """Return the bytes that this process's control group may still allocate, or None if there is no limit.

    Inactive pages of files count as free, because the kernel drops them first. `root` is the folder of control groups,
    `own` the file that names this process's groups.
    """
    available_bytes = []
    for folder in _groups(root, own, MEMORY):
        for limit_name, usage_name, inactive_name in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            limit, used = _number(_text(folder / limit_name)), _number(_text(folder / usage_name))
            # Version 1 writes an integer near 2**63 for no limit.
            if limit is not None and limit < 2**60:
                lines = (line.partition(" ") for line in _text(folder / "memory.stat").splitlines())
                statistics = {name: value for name, _, value in lines}
                inactive = _number(statistics.get(inactive_name, "")) or 0
                available_bytes.append(max(0, limit - max(0, (used or 0) - inactive)))
    return min(available_bytes, default=None)


def _groups(root: Path, own: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's control groups and of all groups above them.

    Only hierarchies that may have the `controller`, CPU or MEMORY, are read. A folder may not exist. For
    `root` and `own` see cpu_quota().
    """
    for line in _text(own).splitlines():  # each is NUMBER:CONTROLLERS:PATH
        names, _, group = line.partition(":")[2].partition(":")
        if not names:  # version 2, alone or beside version 1
            places = [root, root / "unified"]
        elif controller in names.split(","):
            places = [root / names, root / controller]
        else:
            continue
        inside = PurePosixPath(group.lstrip("/"))
        for place in places:
            yield from (place / part for part in (inside, *inside.parents) if ".." not in part.parts)


def _text(path: Path) -> str:
    """Return the content of a file, or "" if it cannot be read."""
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""


def _number(text: str) -> int | None:
    """Return the number that `text` has in decimal digits, or None for other texts, such as "max" and "-1"."""
    return int(text) if text.strip().isascii() and text.strip().isdecimal() else None
