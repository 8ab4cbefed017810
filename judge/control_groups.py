"""Control groups of Linux (cgroups(7)), version 1 and 2: the limits of this process, and groups for the memory of bots.

A process belongs to one group in each hierarchy, and each group above that one may set its own limit; the lowest limit
counts. Inside a container the path of the group is often the host's path, which does not exist there; then only the
root of the hierarchy is read.

A MemoryGroup limits the memory of one bot. processes/measure.py sees what processes hold at one moment, and not all of
what the kernel holds for them: it misses lists of mappings, and what epoll watches. A control group counts these too,
at any moment. If the processes of a group need more than its limit, the kernel kills one of them. The limit of a group
is MARGIN_BYTES above the bot's limit, so that measure.py decides wherever it sees enough: its figures are the same on
every machine.

The judge makes a MemoryGroup below the nearest of its own groups that divides memory among the groups below it, if the
user may make groups there. root may. Other users may if their shell runs in the groups of their own service manager
(systemd), as in the terminal of most desktops, or after `systemd-run --user --scope`. In a container usually nobody
may.
"""

import contextlib
import functools
import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from judge import files

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
NO_LIMIT_BYTES = 2**60  # version 1 writes an integer near 2**63 for no limit
CPU, MEMORY = "cpu", "memory"
MARGIN_BYTES = 64 << 20  # the kernel counts more than measure.py does, such as what it keeps in reserve for each core
SWAP_BYTES = 1 << 20  # so that the limit of memory is reached first: version 1 counts apart how often each one is
NAME = "dropfour-{judge}-{number}"
OWN_NAME = re.compile(r"dropfour-(\d+)-\d+")
PROCESSES = "cgroup.procs"
DIVIDED = "cgroup.subtree_control"  # of version 2: what a group divides among the groups below it
KILLED = re.compile(rb"^oom_kill [1-9]", re.MULTILINE)
REACHED = re.compile(rb"^(oom )?[1-9]", re.MULTILINE)  # version 1 has a number alone
EVENTS_BYTES = 4096  # more than a file of events has
_numbers = itertools.count(1)
_to_be_removed: set[Path] = set()


@dataclass(frozen=True)
class MemoryFiles:
    """The names of a group's files: for its limits, for the number of its processes that were killed for memory, and
    for the number of times that its limit was reached.

    The limit in `swap_limit` is for memory and swap space together if `counts_both` is True, else for swap space alone.
    """

    limit: str
    swap_limit: str
    counts_both: bool
    killed: str
    reached: str


VERSION_1 = MemoryFiles(
    "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", True, "memory.oom_control", "memory.failcnt"
)
VERSION_2 = MemoryFiles("memory.max", "memory.swap.max", False, "memory.events", "memory.events")


def cpu_quota(root: Path = CGROUPS, own: Path = OWN) -> float | None:
    """Return the CPU limit of this process's control group, in cores; None if there is no limit.

    `root` is the folder of control groups, `own` the file that names this process's groups.
    """
    quotas = []
    for folder in _groups(root, own, CPU):
        words = _text(folder / "cpu.max").split() or [
            _text(folder / "cpu.cfs_quota_us").strip(),
            _text(folder / "cpu.cfs_period_us").strip(),
        ]
        numbers = [_number(word) for word in words[:2]]
        if len(numbers) == 2 and numbers[0] and numbers[1]:
            quotas.append(numbers[0] / numbers[1])
    return min(quotas, default=None)


def memory_left(root: Path = CGROUPS, own: Path = OWN) -> int | None:
    """Return the bytes that this process's control group may still allocate; None if there is no limit.

    Inactive pages of files count as free, because the kernel drops them first. `root` is the folder of control groups,
    `own` the file that names this process's groups.
    """
    found = []
    for folder in _groups(root, own, MEMORY):
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


class MemoryGroup:
    """A control group for the processes of one bot. Raises OSError if it cannot be made.

    `limit_bytes` is the bot's limit.
    """

    def __init__(self, limit_bytes: int) -> None:
        above = divided_group()
        if above is None:
            raise FileNotFoundError("there is no control group below which this user may make others")
        folder, names = above
        self._reached = names.reached
        self.limit_bytes = limit_bytes + MARGIN_BYTES
        self._folder = _made_in(folder)
        self._held = files.hold(self._folder)
        try:
            self._write(names.limit, self.limit_bytes)
            with contextlib.suppress(FileNotFoundError):  # a kernel that does not count swap space
                self._write(names.swap_limit, self.limit_bytes + SWAP_BYTES if names.counts_both else SWAP_BYTES)
            self._killed = os.open(self._folder / names.killed, os.O_RDONLY | os.O_CLOEXEC)
        except BaseException:
            self._release()
            self._folder.rmdir()
            raise

    def add(self, pid: int) -> None:
        """Move a process into the group; its future children will be in it too. Raises OSError."""
        self._write(PROCESSES, pid)

    def has_killed(self) -> bool:
        """Return whether the kernel has killed a process of the group because the group has reached its limit.

        The kernel may also kill one because the whole machine has no memory left, or a group above. The result is False
        if somebody else has removed the group.
        """
        with contextlib.suppress(OSError):
            was_killed = KILLED.search(os.pread(self._killed, EVENTS_BYTES, 0)) is not None
            return was_killed and REACHED.search((self._folder / self._reached).read_bytes()) is not None
        return False

    def remove(self) -> None:
        """Remove the group, and those that could not be removed before, because killed processes had not ended yet."""
        os.close(self._killed)
        self._release()
        _to_be_removed.add(self._folder)
        for folder in list(_to_be_removed):
            with contextlib.suppress(OSError):
                folder.rmdir()
            if not folder.exists():
                _to_be_removed.discard(folder)

    def _release(self) -> None:
        if self._held is not None:
            os.close(self._held)

    def _write(self, name: str, value: int) -> None:
        # Without O_TRUNC and O_CREAT: these files are only written to.
        descriptor = os.open(self._folder / name, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, b"%d" % value)
        finally:
            os.close(descriptor)


@functools.cache
def divided_group(root: Path = CGROUPS, own: Path = OWN) -> tuple[Path, MemoryFiles] | None:
    """Return (the folder of the group below which this process can make a MemoryGroup, the names of its files).

    Return None if there is none. Groups that a killed judge has left there are removed. The result is cached. For
    `root` and `own` see cpu_quota().
    """
    for folder in _groups(root, own, MEMORY):
        is_first = (folder / VERSION_1.limit).exists()
        may = all(os.access(path, os.W_OK) for path in (folder, folder / PROCESSES))
        if may and (is_first or MEMORY in _text(folder / DIVIDED).split()):
            _remove_left(folder)
            return folder, VERSION_1 if is_first else VERSION_2
    return None


def _made_in(folder: Path) -> Path:
    """Make a folder for a group in `folder`, and return its path."""
    while True:
        made = folder / NAME.format(judge=os.getpid(), number=next(_numbers))
        with contextlib.suppress(FileExistsError):  # a judge with the same process id has left it
            made.mkdir()
            return made


def _remove_left(folder: Path) -> None:
    for path in folder.glob(NAME.format(judge="*", number="*")):
        name = OWN_NAME.fullmatch(path.name)
        if name is not None and not Path("/proc", name[1]).exists():
            held = files.hold(path)  # None: its judge is alive in another namespace, where its process id is this one
            if held is not None:
                with contextlib.suppress(OSError):
                    path.rmdir()
                os.close(held)


def _groups(root: Path, own: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's control groups and of all groups above them.

    Only hierarchies that may have the `controller`, "cpu" or "memory", count. For `root` and `own` see cpu_quota().
    """
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
    """Return the content of a file, "" if it cannot be read."""
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""


def _number(text: str) -> int | None:
    """Return the number that `text` holds in decimal digits; None for other texts, such as "max" and "-1"."""
    return int(text) if text.strip().isascii() and text.strip().isdecimal() else None
