"""Finds the processes that this one has started, directly or through others, and ends those of a stopped command.

The bots of games are ended by their keepers (keeper.py). This is for everything else that a command starts, such as
compilers and git.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time

from judge.processes.keeper import PR_SET_CHILD_SUBREAPER, descendants_of
from judge.processes.usage import stat_fields


def adopt_orphans(adopts: bool = True) -> bool:
    """Let this process become the parent of its orphaned descendants, or with `adopts` False no longer do so.

    Return False if the system does not support it.
    """
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0) == 0


def open_in_browser(address: str) -> bool:
    """Open an address in the user's browser, which outlives this process.

    Return False if there is no browser. Precondition: no other program is running yet.
    """
    import webbrowser  # imported here because no other command needs it

    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    adopt_orphans(False)
    try:
        subprocess.run(
            # The shell ends at once, so the program that it has started gets another parent.
            ["/bin/sh", "-c", '"$@" &', "sh", sys.executable, "-I", "-m", "webbrowser", address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    finally:
        adopt_orphans()
    return True


def end_processes_since(moment_s: float) -> None:
    """Kill and reap all descendants of this process that started after the moment `moment_s`, in seconds after boot.

    Return after 10 s at the latest. Precondition: no other thread starts programs during the call.
    """
    deadline = time.monotonic() + 10
    is_any_left = True
    while is_any_left and time.monotonic() < deadline:
        is_any_left = False
        for pid in descendants_of(os.getpid()):
            with contextlib.suppress(OSError):  # the process has ended
                if started_s(pid) >= moment_s - 0.01 and not _reap(pid):
                    is_any_left = True
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.002 if is_any_left else 0.0)


def seconds_after_boot() -> float:
    """Return the time since boot on the clock that started_s() uses.

    On systems without that clock, return the time of a monotonic clock.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def started_s(pid: int) -> float:
    """Return when a process started, in seconds after boot (field 22 in proc(5)). Raises OSError if it has ended."""
    fields = stat_fields(pid)
    if not fields:
        raise ProcessLookupError(f"there is no process {pid}")
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _reap(pid: int) -> bool:
    """Reap the process if it is a child of this one that has ended. Return whether it was reaped."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return False
