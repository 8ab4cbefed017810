"""Lowers the priority of the server's threads, so that bots that play, also at its own tables, have a higher priority.

On Linux each thread has its own priority, and a new thread or process inherits the priority of the thread that starts
it. Without privileges a priority can only be lowered. One thread therefore keeps the usual priority and starts all
threads that need the usual priority.

With autogroups (sched(7), "The autogroup feature") each session gets an equal share of the CPUs, and the priorities of
threads count only inside their session. Each bot has its own session. A session has a priority, too, which the server
lowers if it leads its session. A server that is started at a terminal shares the shell's session, whose priority is
left alone. Such a server disturbs bots little because it does little work.
"""

import contextlib
import os
import threading
from pathlib import Path
from queue import SimpleQueue

AUTOGROUP = Path("/proc/self/autogroup")
LOW = 10  # a nice value: about a tenth of the CPU time of others, if all want to run


def lower() -> None:
    """Lower the priority of the calling thread. Threads and processes that it starts later inherit this priority."""
    with contextlib.suppress(OSError):
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, max(LOW, os.getpriority(os.PRIO_PROCESS, own)))


def lower_session() -> None:
    """Lower the priority of this process's session, if this process leads it.

    A session that this process starts later has the usual priority.
    """
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):
            AUTOGROUP.write_text(str(LOW), "ascii")


class Starter:
    """Starts threads for other threads. They get the priority of the thread that created the Starter."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[threading.Thread | None] = SimpleQueue()
        self._own = threading.Thread(target=self._run, name="starter", daemon=True)
        self._own.start()

    def start(self, thread: threading.Thread) -> None:
        """Queue the thread to be started."""
        self._waiting.put(thread)

    def close(self) -> None:
        """Wait until all queued threads are started. Threads queued later are not started."""
        self._waiting.put(None)
        self._own.join()

    def _run(self) -> None:
        while (thread := self._waiting.get()) is not None:
            thread.start()
