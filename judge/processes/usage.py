"""What the processes of a bot use: CPU time, waiting for a core, memory. All are plain figures of the kernel.

**CPU time** is that of all living processes (`clock_getcpuclockid`), plus that of the children for which each of them
has waited (`/proc/PID/stat`). Orphans are waited for by the bot's root, the keeper or bubblewrap's first process, so a
process that has ended counts too, except one whose parent ignores SIGCHLD: the kernel forgets its time.

**Waiting** is counted for each thread (`/proc/PID/task/TID/schedstat`, Documentation/scheduler/sched-stats.rst):
nanoseconds run, nanoseconds waited for a core although it could have run, slices.

**Memory** is the sum of the proportional set sizes (PSS of `/proc/PID/smaps_rollup`, and swap): each page divided by
the number of processes that map it, so shared pages count once. Reading the PSS takes the kernel some 2.6 ms for 1 GB,
the resident set size (RSS) 8 us. The RSS is at least the PSS, so one process counts with its RSS while that is within
the limit. Memory that was held and released between two looks shows in the kernel's peak of each process (VmHWM), less
what other processes share with it now. Files in memory that nobody has mapped, pipes and sockets are not counted.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

TICK_S = 1 / os.sysconf("SC_CLK_TCK")

SCHEDSTAT = "schedstat"  # the file of a thread's times
ThreadTimes = dict[tuple[int, int], tuple[float, float]]  # (process, thread) -> seconds run, seconds waited


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the process's state on (field 3 of proc(5)).

    Return [] if the process has ended.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def cpu_s(root: int, pids: Iterable[int]) -> float:
    """Return the CPU seconds of the processes `pids` below `root`, and of all others below it that have been reaped.

    `pids` has parents first: a child that ends meanwhile is missed for a moment, and not counted twice.
    """
    total_s = _reaped_cpu_s(root)
    for pid in pids:
        total_s += _reaped_cpu_s(pid)
        with contextlib.suppress(OSError):  # the process has just been reaped
            total_s += time.clock_gettime((~pid << 3) | 2)  # the clock that clock_getcpuclockid(3) gives
    return total_s


def _reaped_cpu_s(pid: int) -> float:
    """Return the CPU seconds of all ended children for which the process has waited."""
    return sum(int(field) * TICK_S for field in stat_fields(pid)[13:15])


def thread_times(pids: Iterable[int]) -> ThreadTimes:
    """Return how long every live thread of the processes has run and has waited for a core, in seconds.

    Return {} where the system does not count this.
    """
    times: ThreadTimes = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError, ValueError):
                    times[pid, int(thread)] = _run_and_wait_s(f"/proc/{pid}/task/{thread}")
    return times


def own_wait_s() -> float:
    """Return the seconds that the calling thread has waited for a core; 0 where the system does not count them."""
    with contextlib.suppress(OSError, ValueError):
        return _run_and_wait_s(f"/proc/self/task/{threading.get_native_id()}")[1]
    return 0.0


def _run_and_wait_s(thread: str) -> tuple[float, float]:
    """Return the seconds that a thread, given by its folder in /proc, has run and has waited for a core."""
    with open(f"{thread}/{SCHEDSTAT}", "rb") as file:
        run_ns, waited_ns, _ = file.read().split()
    return int(run_ns) / 1e9, int(waited_ns) / 1e9


def is_dead(pid: int) -> bool:
    """Return True if the process has ended, whether or not it has been reaped."""
    import psutil  # here, as doctor runs without it

    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def is_asleep(pid: int) -> bool:
    """Return True if the process sleeps; False if it runs, is ready to run, or has ended."""
    import psutil  # here, as doctor runs without it

    try:
        return psutil.Process(pid).status() == psutil.STATUS_SLEEPING
    except psutil.Error:
        return False


def wants_a_core(pid: int) -> bool:
    """Return whether the process runs or is ready to run, by the state of its first thread."""
    return stat_fields(pid)[:1] == ["R"]


@dataclass(frozen=True)
class Resident:
    """The memory of a process in bytes: mapped or swapped out now, and the most that was ever mapped."""

    now: int
    peak: int


def held_bytes(pids: Sequence[int], limit_bytes: float | None = None) -> int:
    """Return the most bytes of memory that these processes held at once.

    The result is exact if it is above the limit, and may be too high below it, or if `limit_bytes` is None. If a
    process ends during the reading, the pages that it shared count twice, so a sum above the limit is read again.
    """
    held = _held_bytes_now(pids, limit_bytes)
    return held if limit_bytes is None or held <= limit_bytes else min(held, _held_bytes_now(pids, limit_bytes))


def _held_bytes_now(pids: Sequence[int], limit_bytes: float | None) -> int:
    """Return the result of held_bytes() from one reading."""
    sizes = {pid: size for pid in pids if (size := _resident(pid)).now}
    bound = sum(size.now for size in sizes.values())
    peak = max((size.peak for size in sizes.values()), default=0)
    if len(sizes) < 2 and (limit_bytes is None or max(bound, peak) <= limit_bytes):
        return max(bound, peak)  # a lone process within the limit: the slow reading of its PSS is not needed
    shares = {pid: _proportional_bytes(pid, size.now) for pid, size in sizes.items()}
    # Either all together hold most now, or one held most at its peak, less what it shares with others now.
    return max([sum(shares.values()), *(size.peak - (size.now - shares[pid]) for pid, size in sizes.items())])


def _resident(pid: int) -> Resident:
    """Return the Resident of one process; its numbers are 0 if the process has ended."""
    sizes = _sizes_in(f"/proc/{pid}/status")
    if sizes.get(b"VmRSS"):
        return Resident(sizes[b"VmRSS"] + sizes.get(b"VmSwap", 0), sizes[b"VmHWM"])
    if not os.path.exists("/proc/self/status"):
        import psutil  # here, as doctor runs without it

        with contextlib.suppress(psutil.Error):
            rss_bytes = psutil.Process(pid).memory_info().rss
            return Resident(rss_bytes, rss_bytes)
    return Resident(0, 0)


def _proportional_bytes(pid: int, resident_bytes: int) -> int:
    """Return the PSS of a process with its part of swap, in bytes; `resident_bytes` if it cannot be read."""
    sizes = _sizes_in(f"/proc/{pid}/smaps_rollup")
    return sizes[b"Pss"] + sizes.get(b"SwapPss", 0) if b"Pss" in sizes else resident_bytes


def _sizes_in(path: str) -> dict[bytes, int]:
    """Return {name: bytes} of the lines "name: number kB" in a file of /proc; {} if it cannot be read."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        lines = (line.partition(b":") for line in file.read().splitlines() if line.endswith(b" kB"))
        return {name: int(size.split()[0]) * 1024 for name, _, size in lines}
    return {}
