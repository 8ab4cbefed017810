"""What a process and those it started use of the machine: processor time, memory, whether they run at all."""

import contextlib

import psutil

from judge.processes.descendants import process_tree


def of_process(pid: int) -> tuple[float, int]:
    """(CPU seconds, peak resident bytes) of one live process, with the CPU of children it has waited for.

    (0.0, 0) if it is gone. The kernel counts CPU time here in steps of 10 ms.
    """
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0, 0
    cpu_s = times.user + times.system
    cpu_s += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return cpu_s, resident(pid)[1]


def resident(pid: int) -> tuple[int, int]:
    """(bytes, peak bytes) of memory that one live process holds; (0, 0) if it is gone.

    The peak is the process's own since its exec: getrusage's figure includes the judge's size before it.
    """
    sizes = {b"VmRSS": 0, b"VmHWM": 0}
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                name, _, rest = line.partition(b":")
                if name in sizes:
                    sizes[name] = int(rest.split()[0]) * 1024
    except OSError:
        with contextlib.suppress(psutil.Error):  # no such folder: another system, or the process is gone
            rss_bytes = psutil.Process(pid).memory_info().rss
            return rss_bytes, rss_bytes
    return sizes[b"VmRSS"], sizes[b"VmHWM"]


def resident_together(pid: int) -> int:
    """Bytes that pid and its descendants are known to have held at once: now in sum, or one of them ever.

    The second catches what one process held between two calls. Pages that processes share count for each.
    """
    now, peaks = zip(*map(resident, process_tree(pid)), strict=True)
    return max(sum(now), *peaks)


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
