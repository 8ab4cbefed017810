"""Measures a process: its CPU time, its state and its memory.

A bot's memory is the memory of all its processes together, with shared pages counted once. It is measured without
control groups, and is the sum of:

* mapped pages, each divided by the number of processes that map it (the "proportional set size", PSS, of
  `/proc/PID/smaps_rollup`), including swapped pages. A page that two processes share, as after a fork, counts once. A
  page that one process maps twice counts once, too. Anonymous, System V and POSIX shared memory is included if mapped
  and touched;
* shared memory that the processes hold by a descriptor: a memfd, a file in /dev/shm, a deleted file on any tmpfs. It
  counts once however many descriptors there are, minus its mapped part, which is counted above;
* the contents of every tmpfs that the processes see and the judge does not, such as a sandbox's /tmp, counted once,
  with a kilobyte for each file;
* the memory that the kernel keeps for the processes' threads and page tables, and for each socket in a network
  namespace that the judge is not in;
* the bytes that pipes and sockets can hold. Each pipe beyond 16 that the processes hold counts 64 KiB. In a network
  namespace that the judge is not in, a socket counts the bytes in its queues; a socket of AF_UNIX, whose queue is not
  known, counts the most that it may send.

Reading the PSS takes the kernel some 2.6 ms for 1 GB, reading `/proc/PID/status` 8 us. The sum of the resident sizes
(RSS) is an upper bound of the sum of the PSS. So the PSS is read only if that bound exceeds the limit or has grown.

Memory that was held and released between two measurements shows in the kernel's peak of each process (VmHWM), the most
pages it ever had mapped at once. That peak includes files shared with other processes (the interpreter, libraries) and
pages mapped twice. If it exceeds the limit, the part of files and shared memory that belongs to other processes now,
according to the PSS, is subtracted. Pages that other processes share never make a bot exceed a limit.

Three kinds of memory would not be found: System V shared memory, message queues, and a memfd while its only descriptor
is on its way through a socket. A sandbox forbids all of these (seccomp.py). Other memory of the kernel is not counted,
such as its lists of mappings, of locked files, and of what epoll watches; control_groups.py limits most of it.

If `smaps_rollup` of a process cannot be read (the process belongs to another user, or has forbidden it), the process
counts with its RSS. If its `fd` cannot be read (an ordinary user cannot read that of a process whose program has no
read permission), all descriptors for which it has room count as pipes. Shared memory that no process maps or has open
is not found, and neither is a named file on another tmpfs.
"""

import contextlib
import functools
import os
import re
import stat
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import psutil

from judge.files import bytes_in_memory

KIB = 1024
NANOSECOND = 1e-9
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
CPU_CLOCK_OF_PROCESS = 2  # CPUCLOCK_SCHED in the kernel's posix-timers.h, for the clock id of clock_getcpuclockid(3)
STAT_BLOCK = 512  # bytes: the unit of st_blocks on Linux
GROWTH = 1.1  # growth of the bound that triggers a new PSS measurement even far below the limit
SHARED_MEMORY = "/dev/shm"
MEMFD, DELETED = "/memfd:", " (deleted)"  # parts of the kernel's names for a descriptor's file
TMPFS = "tmpfs"
NAMESPACE_IDS = re.compile(rb"^NSpid:(.*)$", re.MULTILINE)  # of /proc/PID/status, the judge's namespace first
NUMBERS = re.compile(rb"^(Threads|FDSize):\s+(\d+)$", re.MULTILINE)  # of /proc/PID/status
MAPPING = re.compile(rb"[0-9a-f]+-[0-9a-f]+ (\S{4}) \S+ ([0-9a-f]+):([0-9a-f]+) (\d+)")

File = tuple[int, int]  # device and inode number
KnownMounts = dict[str, tuple[float, dict[int, str]]]  # {mount namespace: (when it was read, {device: mount point})}
# How long a table of mounts is reused: a bot in a sandbox cannot mount anything, and reading a table takes 0.1 ms.
MOUNTS_S = 0.5
WHOLE = 0  # in place of an inode number: all files of the device
PIPES, SOCKETS = -1, -2  # in place of a device: all pipes, the sockets of a network namespace
PIPE = "pipe:"
PIPE_BYTES, FREE_PIPES = 64 * KIB, 16
MOST_DESCRIPTORS = 20_000  # the most descriptors that are read of a bot, in 0.1 s; the others count as pipes
THREAD_BYTES = 24 * KIB  # the kernel's memory for a thread: its stack and its entry
SOCKET_BYTES = 4 * KIB  # the kernel's memory for a socket with its file
MOST_SENT = "/proc/sys/net/core/wmem_default"  # the file with the bytes that a socket may send; seccomp.py keeps it so
USUAL_MOST_SENT = 212992
IN_USE = (b"TCP", b"TCP6", b"UDP", b"UDP6")  # names in sockstat; in small letters the names of these sockets' tables


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the process's state on (field 3 of proc(5)).

    Return [] if the process has ended.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


@dataclass(frozen=True)
class CpuTime:
    """The CPU time of a process in seconds.

    `own_s` is the time of all its threads, including ended threads. `children_s` is the time of the children that it
    has waited for. `started` is the start of the process in clock ticks after boot.
    """

    own_s: float
    children_s: float
    started: int


def cpu_time(pid: int) -> CpuTime | None:
    """Return the CpuTime of a process that has not been reaped, None if there is no such process.

    The resolution of `children_s` is 10 ms.
    """
    fields = stat_fields(pid)
    if not fields:
        return None
    user, system, children_user, children_system = (int(field) * TICK_S for field in fields[11:15])
    own_s = user + system
    with contextlib.suppress(OSError):  # it has just been reaped
        own_s = time.clock_gettime((~pid << 3) | CPU_CLOCK_OF_PROCESS)
    return CpuTime(own_s, children_user + children_system, int(fields[19]))


def run_and_wait_s(thread_folder: str) -> tuple[float, float]:
    """Return (seconds that a thread ran, seconds that it waited for a core).

    `thread_folder` is the path /proc/PID/task/TID. Raises OSError or ValueError if the times cannot be read.
    """
    with open(f"{thread_folder}/schedstat", "rb") as file:
        return run_and_wait_of(file.read())


def run_and_wait_of(content: bytes) -> tuple[float, float]:
    """Return run_and_wait_s() from the content of a file schedstat. Raises ValueError."""
    run_ns, waited_ns, _ = content.split()
    return int(run_ns) * NANOSECOND, int(waited_ns) * NANOSECOND


class CpuMeter:
    """Adds up the CPU seconds of one bot's processes, including processes that have ended.

    A process that has ended counts in its parent's time once the parent has waited for it. If nobody waits for it,
    because its parent ignores SIGCHLD, the kernel forgets its time. It then counts with the time that was last seen,
    which is added to `lost_s`. `ended` is the number of processes that were seen and have ended since.
    """

    def __init__(self) -> None:
        self.lost_s = 0.0
        self.ended = 0
        self._seen: dict[int, CpuTime] = {}

    def measure(self, pids: Iterable[int], reaper: int | None = None) -> float:
        """Return the CPU seconds of the processes `pids`, of those seen before, and of all that they have waited for.

        `reaper` is the id of the first process of a sandbox, None without a sandbox. The reaper's own time does not
        count, only the time of the processes for which it has waited.
        """
        now = self._read({*pids, *self._seen} | ({reaper} if reaper else set()))
        gone = self._seen.keys() - now.keys()
        if gone:  # their parents may have waited for them after the parents' times were read
            now.update(self._read(now))
            waited_for_s = sum(
                time.children_s - self._seen[pid].children_s for pid, time in now.items() if pid in self._seen
            )
            ended_s = sum(self._seen[pid].own_s + self._seen[pid].children_s for pid in gone)
            self.lost_s = max(0.0, self.lost_s + ended_s - waited_for_s)
            self.ended += len(gone)
        self._seen = now
        own_s = sum(time.own_s for pid, time in now.items() if pid != reaper)
        return own_s + sum(time.children_s for time in now.values()) + self.lost_s

    def _read(self, pids: Iterable[int]) -> dict[int, CpuTime]:
        found = {}
        for pid in pids:
            time = cpu_time(pid)
            if time is not None and (pid not in self._seen or time.started == self._seen[pid].started):
                found[pid] = time
        return found


def number_in_namespace(pid: int) -> int:
    """Return the id of a process in its own process namespace; 0 if that is the judge's namespace, or it has ended.

    The kernel counts upwards, so as many processes have been started in the namespace, threads included.
    """
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/status", "rb") as status:
        numbers = NAMESPACE_IDS.findall(status.read())[0].split()
        return int(numbers[-1]) if len(numbers) > 1 else 0
    return 0


def is_dead(pid: int) -> bool:
    """Return True if the process has ended, whether or not it has been reaped."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def is_asleep(pid: int) -> bool:
    """Return True if the process sleeps; False if it runs, is ready to run, or has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_SLEEPING
    except psutil.Error:
        return False


@dataclass(frozen=True)
class Resident:
    """The memory of a process according to `/proc/PID/status`, in bytes. All fields are 0 if the process has ended.

    `now` is the memory that is mapped or swapped out; `peak` is the most that was ever mapped; `of_files` is the mapped
    part of files and shared memory. `of_kernel` is the memory that the kernel keeps for the process in addition.
    `descriptors` is the number of descriptors for which the process's table has room.
    """

    now: int = 0
    peak: int = 0
    of_files: int = 0
    of_kernel: int = 0
    descriptors: int = 0


@dataclass(frozen=True)
class Proportional:
    """The PSS of a process according to `/proc/PID/smaps_rollup`, in bytes.

    `total` counts all pages. `of_files` counts pages of files and of shared memory, `of_shared_memory` only pages of
    shared memory.
    """

    total: int
    of_files: int
    of_shared_memory: int


class MemoryMeter:
    """Measures the memory of one bot's processes repeatedly; `peak_bytes` is the maximum so far.

    `given` is {file: bytes in memory}: the judge has put these bytes there, so they do not count.
    """

    def __init__(self) -> None:
        self.peak_bytes = 0
        self.given: dict[File, int] = {}
        self._measured_bound = 0.0
        self._mounts: KnownMounts = {}

    def measure(self, pids: Sequence[int], limit_bytes: float | None = None) -> int:
        """Return the most bytes that these processes are known to have held at once.

        The result is exact only if it may exceed `limit_bytes`, None for no limit.
        """
        sizes = dict(map(_running, pids))
        files = {**held_files(sizes), **own_mounts(sizes, self._mounts), **own_sockets(sizes)}
        for file in self.given.keys() & files.keys():
            files[file] = max(0, files[file] - self.given[file])
        of_kernel = sum(size.of_kernel for size in sizes.values())
        bound = sum(size.now for size in sizes.values()) + sum(files.values()) + of_kernel
        alone = max((size.peak for size in sizes.values()), default=0) + of_kernel
        is_plain = not files and sum(size.now > 0 for size in sizes.values()) < 2
        has_grown = not is_plain and bound > GROWTH * self._measured_bound
        if has_grown or (limit_bytes is not None and max(bound, alone) > limit_bytes):
            self._measured_bound = max(self._measured_bound, bound)
            shares = {pid: proportional(pid) for pid in sizes}
            own_peaks = [_own_peak(size, shares[pid]) for pid, size in sizes.items()]
            held = max(_measured(sizes, shares, files), *own_peaks) + of_kernel
        else:
            held = max(bound if is_plain else sum(files.values()), alone)
        self.peak_bytes = max(self.peak_bytes, held)
        return held


def _running(pid: int) -> tuple[int, Resident]:
    """Return (thread id, Resident) of a live thread of a process: of its first thread if that has not ended.

    If no thread is alive, return the process's id and a Resident of 0 bytes.
    """
    size = resident(pid)
    with contextlib.suppress(OSError):
        for thread in map(int, os.listdir(f"/proc/{pid}/task") if not size.now else ()):
            other = resident(thread)
            if other.now:
                return thread, other
    return pid, size


def resident(pid: int) -> Resident:
    """Return the Resident of one live process.

    `peak` counts from the process's exec() on. (The peak of getrusage would include the judge's memory before it.)
    """
    sizes: defaultdict[bytes, int] = defaultdict(int)
    status = b""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            status = file.read()
        sizes.update(_kilobytes(status))
    except OSError:
        with contextlib.suppress(psutil.Error):  # another system without /proc, or the process has ended
            rss_bytes = psutil.Process(pid).memory_info().rss
            return Resident(rss_bytes, rss_bytes)
    of_files = sizes[b"RssFile"] + sizes[b"RssShmem"]
    numbers = defaultdict(int, ((name, int(number)) for name, number in NUMBERS.findall(status)))
    of_kernel = sizes[b"VmPTE"] + sizes[b"HugetlbPages"] + numbers[b"Threads"] * THREAD_BYTES
    return Resident(sizes[b"VmRSS"] + sizes[b"VmSwap"], sizes[b"VmHWM"], of_files, of_kernel, numbers[b"FDSize"])


def proportional(pid: int) -> Proportional | None:
    """Return the Proportional of one live process, None if /proc/PID/smaps_rollup cannot be read."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = defaultdict(int, _kilobytes(file.read()))
    except OSError:
        return None
    shared = sizes[b"Pss_Shmem"]
    return Proportional(sizes[b"Pss"] + sizes[b"SwapPss"], sizes[b"Pss_File"] + shared, shared)


def held_files(sizes: Mapping[int, Resident]) -> dict[File, int]:
    """Return {file: bytes} of the shared memory that these processes hold by a descriptor, mapped or not.

    `sizes` is {process id: Resident}. The value for the key (PIPES, WHOLE) is the number of bytes that the processes'
    pipes can hold. Descriptors that cannot be read count as pipes.
    """
    found: dict[File, int] = {}
    pipes: set[str] = set()
    left, number = MOST_DESCRIPTORS, 0
    for pid, size in sizes.items():
        # If a bot could make the judge look at millions of descriptors, the judge would read the other's reply late.
        if size.descriptors > left:
            number += size.descriptors
            continue
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except PermissionError:
            again = resident(pid)  # the descriptors of a process that is just ending cannot be read either
            number += again.descriptors if again.now else 0
            continue
        except OSError:  # it has ended
            continue
        left -= len(names)
        for name in names:
            path = f"/proc/{pid}/fd/{name}"
            try:
                target = os.readlink(path)
                if target.startswith(PIPE):
                    pipes.add(target)
                if not target.startswith((MEMFD, f"{SHARED_MEMORY}/")) and not target.endswith(DELETED):
                    continue
                status = os.stat(path)
                if stat.S_ISREG(status.st_mode) and (target.startswith(MEMFD) or _is_on_tmpfs(status.st_dev)):
                    found[status.st_dev, status.st_ino] = status.st_blocks * STAT_BLOCK
            except PermissionError:
                number += 1
            except OSError:  # it was closed
                pass
    number += len(pipes)
    if number > FREE_PIPES:
        found[PIPES, WHOLE] = (number - FREE_PIPES) * PIPE_BYTES
    return found


def own_mounts(pids: Iterable[int], known: KnownMounts) -> dict[File, int]:
    """Return {(device, WHOLE): bytes in use} of every tmpfs that these processes see and the judge does not.

    `known` holds what earlier calls have read of each mount namespace. This call replaces entries older than MOUNTS_S.
    """
    found: dict[File, int] = {}
    with contextlib.suppress(OSError):
        looked_at = {os.readlink("/proc/self/ns/mnt")}
        for pid in pids:
            with contextlib.suppress(OSError):
                namespace = os.readlink(f"/proc/{pid}/ns/mnt")
                if namespace in looked_at:
                    continue
                looked_at.add(namespace)
                now = time.monotonic()
                read_at, mounts = known.get(namespace, (-MOUNTS_S, {}))
                if now - read_at >= MOUNTS_S:
                    outside = _tmpfs_mounts("self")
                    seen = _tmpfs_mounts(str(pid))
                    mounts = {device: place for device, place in seen.items() if device not in outside}
                    known[namespace] = now, mounts
                for device, place in mounts.items():
                    found[device, WHOLE] = _used(f"/proc/{pid}/root{place}", device)
    return found


def _used(place: str, device: int) -> int:
    """Return the bytes in use in the file system of `device`, which is mounted at the path `place`.

    Return 0 if another file system is mounted over it.
    """
    with contextlib.suppress(OSError):
        if os.stat(place).st_dev == device:
            return bytes_in_memory(os.statvfs(place))
    return 0


def own_sockets(pids: Iterable[int]) -> dict[File, int]:
    """Return {(SOCKETS, namespace): bytes that the sockets in it can hold} for the network namespaces of the processes.

    The judge's own namespace is left out.
    """
    found: dict[File, int] = {}
    with contextlib.suppress(OSError):
        looked_at = {os.stat("/proc/self/ns/net").st_ino}
        for pid in pids:
            with contextlib.suppress(OSError):
                namespace = os.stat(f"/proc/{pid}/ns/net").st_ino
                if namespace not in looked_at:
                    looked_at.add(namespace)
                    found[SOCKETS, namespace] = _in_sockets(f"/proc/{pid}/net")
    return found


def _in_sockets(folder: str) -> int:
    in_use = [line for name in ("sockstat", "sockstat6") for line in _table(f"{folder}/{name}", 0)]
    number = sum(int(line[2]) for line in in_use if line[0] == b"sockets:")
    held = number * SOCKET_BYTES
    if number > MOST_DESCRIPTORS:
        return held + number * _most_sent()
    held += len(_table(f"{folder}/unix")) * _most_sent()
    held += sum(int(line[4]) + int(line[5]) for line in _table(f"{folder}/netlink"))
    # Reading an empty table of TCP takes the kernel milliseconds, as it walks the tables of all namespaces.
    used = [line[0] for line in in_use if line[2] != b"0"]
    for name in IN_USE:
        for line in _table(f"{folder}/{name.decode().lower()}") if name + b":" in used else ():
            held += sum(int(queue, 16) for queue in line[4].split(b":"))
    return held


def _table(path: str, headings: int = 1) -> list[list[bytes]]:
    """Return the fields of each line of a file except its first `headings` lines; [] if the file cannot be read."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return [line.split() for line in file.read().splitlines()[headings:]]
    return []


@functools.cache
def _most_sent() -> int:
    try:
        with open(MOST_SENT) as file:
            return int(file.read())
    except (OSError, ValueError):
        return USUAL_MOST_SENT


def _is_on_tmpfs(device: int) -> bool:
    """Return whether the device is a tmpfs that the judge sees. own_mounts() counts the tmpfs that only a bot sees."""
    return device in _tmpfs_mounts("self")


def _tmpfs_mounts(pid: str) -> dict[int, str]:
    """Return {device: mount point} of every tmpfs that a process sees, from /proc/PID/mountinfo.

    `pid` is the id of the process as text, or "self".
    """
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
    """Return the bytes that these processes hold now in mapped pages and in `files`. Shared memory counts once.

    `sizes` and `shares` have a Resident and a Proportional for each process id. A process without a Proportional counts
    with its Resident.
    """
    total, mapped = 0, defaultdict[File, int](int)
    for pid, size in sizes.items():
        share = shares[pid]
        total += size.now if share is None else share.total
        if files and share is not None and share.of_shared_memory:
            for file, mapped_bytes in _mapped_files(pid, files).items():
                mapped[file] += mapped_bytes
    return total + sum(max(0, size - mapped[file]) for file, size in files.items())


def _mapped_files(pid: int, files: Iterable[File]) -> dict[File, int]:
    """Return {file: the bytes of it that the process has mapped} for these files, by the PSS of its mappings."""
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
    """Return the process's peak in bytes, less the files and shared memory in it that belong to other processes now."""
    return size.peak if share is None else size.peak - max(0, size.of_files - share.of_files)


def _kilobytes(content: bytes) -> dict[bytes, int]:
    """Return {name: bytes} of the lines "name: number kB" in a file of /proc."""
    found = (line.partition(b":") for line in content.splitlines() if line.endswith(b" kB"))
    return {name: int(rest.split()[0]) * KIB for name, _, rest in found}
