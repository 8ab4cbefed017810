"""The limits that control groups set for this process, in version 1 and 2: containers have their share by them.

A process belongs to a group in each hierarchy, and each group above it may set a limit of its own; the tightest counts.
Inside a container the path of the group is often the host's and not there: what is there is the container's own root.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
NO_LIMIT_BYTES = 2**60  # version 1 writes an integer near 2**63 where there is none


def cpu_quota(root: Path = CGROUPS, own: Path = OWN) -> float | None:
    """Cores' worth of time that this process and its group may use together, None without such a limit."""
    quotas = []
    for folder in _folders(root, own, "cpu"):
        words = _text(folder / "cpu.max").split() or [
            _text(folder / "cpu.cfs_quota_us").strip(),
            _text(folder / "cpu.cfs_period_us").strip(),
        ]
        numbers = [_number(word) for word in words[:2]]
        if len(numbers) == 2 and numbers[0] and numbers[1]:
            quotas.append(numbers[0] / numbers[1])
    return min(quotas, default=None)


def memory_left(root: Path = CGROUPS, own: Path = OWN) -> int | None:
    """Bytes that this process and its group may still take, None without such a limit.

    Pages of files that nobody uses are counted as free: the kernel drops them first.
    """
    found = []
    for folder in _folders(root, own, "memory"):
        for limit_name, usage_name, cold_name in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            limit, used = _number(_text(folder / limit_name)), _number(_text(folder / usage_name))
            if limit is not None and limit < NO_LIMIT_BYTES:
                facts = dict(
                    line.split(maxsplit=1) for line in _text(folder / "memory.stat").splitlines() if " " in line
                )
                cold = _number(facts.get(cold_name, "")) or 0
                found.append(max(0, limit - max(0, (used or 0) - cold)))
    return min(found, default=None)


def _folders(root: Path, own: Path, controller: str) -> Iterator[Path]:
    """The folders of this process's groups, and of all above them, in the hierarchies that may have the controller."""
    for line in _text(own).splitlines():
        _, _, rest = line.partition(":")
        names, _, group = rest.partition(":")
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
    """The content of a file, "" where it cannot be read."""
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""


def _number(text: str) -> int | None:
    """A whole number of at least 0; None for everything else, such as "max" and -1."""
    return int(text) if text.strip().isascii() and text.strip().isdecimal() else None
