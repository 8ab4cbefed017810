"""What a process uses of the machine: processor time, whether it runs at all, and memory.

A bot's memory is that of all its processes together, shared pages counted once, without cgroups. Three things are added
up:

* what the processes have mapped, each page divided by the number of processes that map it (the "proportional set size",
  PSS, of `/proc/PID/smaps_rollup`), with what of it was swapped out. Two processes that share a page, as after a fork,
  count it once; so does one that maps it twice. Anonymous, System V and POSIX shared memory is among it as far as it is
  mapped and was touched;
* shared memory that they hold by a descriptor: a memfd, a file in /dev/shm, a deleted file on any tmpfs. It counts once
  however many descriptors there are, and less what of it is mapped, which is counted above;
* what lies in a tmpfs that they see and the judge does not, as /tmp in a sandbox, mapped or not, and again once.

Reading the PSS takes the kernel some 2.6 ms for 1 GB, and `/proc/PID/status` 8 us. A page cannot count for more than in
each process that maps it, so the sum of the resident sizes (RSS) is a bound: the PSS is read only where that bound
exceeds the limit or has grown since.

What was held and given back between two looks shows in the peak that the kernel keeps of each process (VmHWM), the most
pages that it ever had mapped at once. Files that it shares with others (the interpreter, libraries) and what it maps
twice are among them, so where such a peak exceeds the limit, what of the process's files and shared memory belongs to
others now, by its PSS, is taken off first. A limit is never exceeded by pages that are others' as well.

What cannot be read (`smaps_rollup` and `fd` of a process of another user, or of one that forbade it) counts by its RSS,
or not at all. Shared memory that no process maps or has open is not found; nor is a named file on a tmpfs elsewhere.
"""

import contextlib
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import psutil

KIB = 1024
STAT_BLOCK = 512  # bytes: the unit of st_blocks on Linux
GROWTH = 1.1  # of the bound, after which the figure is measured anew although no limit is near
SHARED_MEMORY = "/dev/shm"
MEMFD, DELETED = "/memfd:", " (deleted)"  # how the kernel names what a descriptor leads to
TMPFS = "tmpfs"
MAPPING = re.compile(rb"[0-9a-f]+-[0-9a-f]+ (\S{4}) \S+ ([0-9a-f]+):([0-9a-f]+) (\d+)")

File = tuple[int, int]  # device and inode number
WHOLE = 0  # in place of an inode number: all files of the device


def stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the process's state on (proc(5) counts it as 3), [] if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def cpu_seconds(pid: int) -> float:
    """CPU seconds of one live process, with the CPU of children it has waited for; 0.0 if it is gone.

    The kernel counts CPU time here in steps of 10 ms.
    """
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    cpu_s = times.user + times.system
    cpu_s += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return cpu_s


def is_dead(pid: int) -> bool:
    """True if the process has ended, whether or not it has been reaped."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def is_asleep(pid: int) -> bool:
    """True if the process waits for something; False if it runs, would run, or is gone."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_SLEEPING
    except psutil.Error:
        return False


@dataclass(frozen=True)
class Resident:
    """What `/proc/PID/status` says of a process, in bytes: mapped now or swapped out, the most ever mapped, and how
    much of what is mapped now belongs to files or is shared memory. All 0 if it is gone.
    """

    now: int = 0
    peak: int = 0
    of_files: int = 0


@dataclass(frozen=True)
class Proportional:
    """What `/proc/PID/smaps_rollup` says of a process, in bytes: its share of all pages, of those of files and shared
    memory, and of shared memory alone.
    """

    total: int
    of_files: int
    of_shared_memory: int


class MemoryMeter:
    """Looks at the memory of one bot's processes time and again. peak_bytes: the most that was found so far."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._measured_bound = 0.0

    def look(self, pids: Sequence[int], limit_bytes: float | None = None) -> int:
        """Bytes that these processes are known to have held at once; exact where that may exceed the limit."""
        sizes = dict(map(_running, pids))
        files = {**held_files(sizes), **own_mounts(sizes)}
        bound = sum(size.now for size in sizes.values()) + sum(files.values())
        alone = max((size.peak for size in sizes.values()), default=0)
        is_plain = not files and sum(size.now > 0 for size in sizes.values()) < 2
        has_grown = not is_plain and bound > GROWTH * self._measured_bound
        if has_grown or (limit_bytes is not None and max(bound, alone) > limit_bytes):
            self._measured_bound = max(self._measured_bound, bound)
            shares = {pid: proportional(pid) for pid in sizes}
            own_peaks = [_own_peak(size, shares[pid]) for pid, size in sizes.items()]
            held = max(_measured(sizes, shares, files), *own_peaks)
        else:
            held = max(bound if is_plain else sum(files.values()), alone)
        self.peak_bytes = max(self.peak_bytes, held)
        return held


def _running(pid: int) -> tuple[int, Resident]:
    """A process by a thread of it that runs, and its Resident: nothing is told of one whose first thread has ended."""
    size = resident(pid)
    with contextlib.suppress(OSError):
        for thread in map(int, os.listdir(f"/proc/{pid}/task") if not size.now else ()):
            other = resident(thread)
            if other.now:
                return thread, other
    return pid, size


def resident(pid: int) -> Resident:
    """The Resident of one live process. The peak is its own since its exec: getrusage's includes the judge's size."""
    sizes: defaultdict[bytes, int] = defaultdict(int)
    try:
        sizes.update(_kilobytes(f"/proc/{pid}/status"))
    except OSError:
        with contextlib.suppress(psutil.Error):  # no such folder: another system, or the process is gone
            rss_bytes = psutil.Process(pid).memory_info().rss
            return Resident(rss_bytes, rss_bytes)
    of_files = sizes[b"RssFile"] + sizes[b"RssShmem"]
    return Resident(sizes[b"VmRSS"] + sizes[b"VmSwap"], sizes[b"VmHWM"], of_files)


def proportional(pid: int) -> Proportional | None:
    """The Proportional of one live process, None where that cannot be read."""
    try:
        sizes = defaultdict(int, _kilobytes(f"/proc/{pid}/smaps_rollup"))
    except OSError:
        return None
    shared = sizes[b"Pss_Shmem"]
    return Proportional(sizes[b"Pss"] + sizes[b"SwapPss"], sizes[b"Pss_File"] + shared, shared)


def held_files(pids: Iterable[int]) -> dict[File, int]:
    """{shared memory that these processes hold by a descriptor: its size in bytes}, whether it is mapped or not."""
    found: dict[File, int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    path = f"/proc/{pid}/fd/{name}"
                    target = os.readlink(path)
                    if not target.startswith((MEMFD, f"{SHARED_MEMORY}/")) and not target.endswith(DELETED):
                        continue
                    status = os.stat(path)
                    if stat.S_ISREG(status.st_mode) and (target.startswith(MEMFD) or _is_on_tmpfs(status.st_dev)):
                        found[status.st_dev, status.st_ino] = status.st_blocks * STAT_BLOCK
    return found


def own_mounts(pids: Iterable[int]) -> dict[File, int]:
    """{(device, WHOLE): bytes in use} of every tmpfs that these processes see and the judge does not."""
    found: dict[File, int] = {}
    with contextlib.suppress(OSError):
        looked_at = {os.readlink("/proc/self/ns/mnt")}
        for pid in pids:
            with contextlib.suppress(OSError):
                namespace = os.readlink(f"/proc/{pid}/ns/mnt")
                if namespace in looked_at:
                    continue
                looked_at.add(namespace)
                outside = _tmpfs_mounts("self")
                for device, place in _tmpfs_mounts(str(pid)).items():
                    if device not in outside:
                        found[device, WHOLE] = _used(f"/proc/{pid}/root{place}", device)
    return found


def _used(place: str, device: int) -> int:
    """Bytes in the file system at a place, 0 where another one is mounted over it."""
    with contextlib.suppress(OSError):
        if os.stat(place).st_dev == device:
            whole = os.statvfs(place)
            return (whole.f_blocks - whole.f_bfree) * whole.f_frsize
    return 0


def _is_on_tmpfs(device: int) -> bool:
    """Whether this is a tmpfs that the judge sees as well; those of a bot alone are looked at as a whole."""
    return device in _tmpfs_mounts("self")


def _tmpfs_mounts(pid: str) -> dict[int, str]:
    """{device: a place} of every tmpfs that a process sees, by proc(5)'s mountinfo."""
    found: dict[int, str] = {}
    with (
        contextlib.suppress(OSError),
        open(f"/proc/{pid}/mountinfo", encoding="utf-8", errors="surrogateescape") as file,
    ):
        for line in file:
            before, _, after = line.partition(" - ")
            if after.split(" ", 1)[0] == TMPFS:
                device, _root, place = before.split(" ")[2:5]
                major, minor = map(int, device.split(":"))
                found[os.makedev(major, minor)] = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place)
    return found


def _measured(sizes: dict[int, Resident], shares: dict[int, Proportional | None], files: dict[File, int]) -> int:
    """What these processes hold now in mapped pages and in files, each counted once."""
    total, mapped = 0, defaultdict[File, int](int)
    for pid, size in sizes.items():
        share = shares[pid]
        total += size.now if share is None else share.total
        if files and share is not None and share.of_shared_memory:
            for file, mapped_bytes in _mapped_files(pid, files).items():
                mapped[file] += mapped_bytes
    return total + sum(max(0, size - mapped[file]) for file, size in files.items())


def _mapped_files(pid: int, files: Iterable[File]) -> dict[File, int]:
    """How many bytes of these files a process has mapped, by its PSS of each mapping."""
    wanted, found = set(files), defaultdict[File, int](int)
    file, is_private = None, False
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps", "rb") as lines:
        for line in lines:
            mapping = MAPPING.match(line)
            if mapping:
                flags, major, minor, inode = mapping.groups()
                device = os.makedev(int(major, 16), int(minor, 16))
                file = (device, WHOLE) if (device, WHOLE) in wanted else (device, int(inode))
                is_private = flags.endswith(b"p")
            elif file in wanted and line.startswith((b"Pss:", b"SwapPss:")):
                found[file] += int(line.split()[1]) * KIB
            elif file in wanted and is_private and line.startswith(b"Anonymous:"):  # copies of the file's pages
                found[file] -= int(line.split()[1]) * KIB
    return found


def _own_peak(size: Resident, share: Proportional | None) -> int:
    """The most that the process ever had mapped, less what of its files and shared memory is others' as well, now."""
    return size.peak if share is None else size.peak - max(0, size.of_files - share.of_files)


def _kilobytes(path: str) -> dict[bytes, int]:
    """{name: bytes} of the lines "name: number kB" of a file."""
    with open(path, "rb") as file:
        found = (line.partition(b":") for line in file if line.endswith(b" kB\n"))
        return {name: int(rest.split()[0]) * KIB for name, _, rest in found}
