"""Priorities of threads: the server stands back behind bots that play, those of its own tables included.

On Linux each thread has a priority of its own, and a thread or a process begins with that of the thread that starts it.
Without privileges it can only be lowered. So one thread keeps the usual one, and starts those that need it.

Where sessions get equal parts of the processor (sched(7), "The autogroup feature"), and each bot has one of its own,
priorities count inside a session alone. A session has a priority too, but a server that is started at a terminal shares
the shell's: that is left as it is, and little work is what keeps the server out of the way.
"""

import contextlib
import os
import threading
from pathlib import Path
from queue import SimpleQueue

AUTOGROUP = Path("/proc/self/autogroup")
LOW = 10  # as `nice` has it: a tenth of what others get, where all want to run


def lower() -> None:
    """Lower the priority of the calling thread, and of what it starts from now on."""
    with contextlib.suppress(OSError):
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, max(LOW, os.getpriority(os.PRIO_PROCESS, own)))


def lower_session() -> None:
    """The same for the session that this process leads, if it does: sessions that it starts are not concerned."""
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):
            AUTOGROUP.write_text(str(LOW), "ascii")


class Starter:
    """Starts threads with the priority that the thread has which makes it, whoever asks for them."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[threading.Thread | None] = SimpleQueue()
        self._own = threading.Thread(target=self._run, name="starter", daemon=True)
        self._own.start()

    def start(self, thread: threading.Thread) -> None:
        """Have the thread started soon."""
        self._waiting.put(thread)

    def close(self) -> None:
        """Start what is waiting, and no more after that."""
        self._waiting.put(None)
        self._own.join()

    def _run(self) -> None:
        while (thread := self._waiting.get()) is not None:
            thread.start()
