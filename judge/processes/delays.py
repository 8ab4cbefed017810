"""Tells how long a bot keeps the judge waiting, and not the machine.

A look at a bot's processes, or at its pipes, may have to wait for a lock of the kernel that the bot can hold for long:
that of a process's mappings, or that of a pipe, while the kernel fetches the memory from which a process writes. Such a
thread of the judge neither runs nor waits for a core.
"""

import contextlib
import os
import threading
import time

from judge.processes import measure

SCHEDSTAT_BYTES = 128  # more than three numbers take
_own = threading.local()  # the open file of each thread: opening it takes ten times as long as reading it


def own_wait_s() -> float:
    """Return the seconds that the calling thread has waited for a core since it began.

    Return 0 where the system does not count them.
    """
    with contextlib.suppress(OSError, ValueError):
        if getattr(_own, "process", None) != os.getpid():  # it has been read neither by this thread nor before a fork
            path = f"/proc/self/task/{threading.get_native_id()}/schedstat"
            _own.file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed with its thread
            _own.process = os.getpid()
        return measure.run_and_wait_of(os.pread(_own.file.fileno(), SCHEDSTAT_BYTES, 0))[1]
    return 0.0


class Delay:
    """The time that the calling thread spends from the creation of this object on."""

    def __init__(self) -> None:
        self._began_s, self._began_cpu_s, self._lacked_s = time.monotonic(), time.thread_time(), _lacked_s()

    def wall_s(self) -> float:
        """Return the seconds until now."""
        return time.monotonic() - self._began_s

    def cpu_s(self) -> float:
        """Return the seconds in which the thread ran."""
        return time.thread_time() - self._began_cpu_s

    def blocked_s(self) -> float:
        """Return the seconds in which the kernel kept the thread waiting; 0 where the system does not tell.

        These are all but those in which the thread ran, waited for a core, or other threads of this process ran, as
        they may have kept the interpreter from it.
        """
        lacked_s = _lacked_s()
        if self._lacked_s is None or lacked_s is None:
            return 0.0
        return max(0.0, self.wall_s() - self.cpu_s() - (lacked_s - self._lacked_s))


def _lacked_s() -> float | None:
    """Return the seconds so far that the calling thread has waited for a core, or other threads of the judge have run.

    Return None where the system does not count them.
    """
    waited_s = own_wait_s()
    return waited_s + time.process_time() - time.thread_time() if waited_s else None
