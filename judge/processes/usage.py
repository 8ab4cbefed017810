"""What a process uses of the machine: processor time, and whether it runs at all. Memory: memory.py."""

import psutil


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
