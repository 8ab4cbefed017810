"""Ways to be late that a machine's load has nothing to do with: misbehave.py's modes that miss the limit.

Those that `pretend` have a process that waits for a core all the time, so that the machine seems to be at fault.
"""

import contextlib
import fcntl
import hashlib
import os
import signal
import tempfile
import threading
import time

LATE_BY_S = 0.4  # past the limit, with much room to the STALL that the judge calls a second after it
THREADS = 8
WORKER_S = 0.005  # the work of a process that ends before anybody sees it
STARTERS = 20  # short programs that start a bot, as those of a script do
BLOCK = bytes(1 << 20)  # hashing so much gives the interpreter's lock away: such threads run side by side


class Lateness:
    """One method per mode. Needs limit_s, and legal(), which answers the turn.

    What is burnt is counted in processor time: a machine that gives a bot less of it makes these later still.
    """

    limit_s: float

    @property
    def _too_long_s(self):
        return self.limit_s + LATE_BY_S

    def late(self):
        """Asleep."""
        time.sleep(self._too_long_s)
        self.legal()

    def late_to_start(self):
        """sleep_in_start() has been late before the first message was read."""
        self.legal()

    def late_by_a_lock(self):
        """Waits for what another process of its own holds."""
        (held, path), holding = tempfile.mkstemp(), os.pipe()
        os.unlink(path)
        if os.fork() == 0:
            own = os.open(f"/proc/self/fd/{held}", os.O_RDWR)
            fcntl.flock(own, fcntl.LOCK_EX)
            os.write(holding[1], b"!")
            time.sleep(self._too_long_s)
            os._exit(0)
        os.read(holding[0], 1)
        fcntl.flock(held, fcntl.LOCK_EX)
        os.wait()
        self.legal()

    def late_by_work(self):
        """Runs all the time."""
        _burn(self._too_long_s)
        self.legal()

    def late_by_threads(self):
        """Eight threads that crowd each other out."""
        threads = [threading.Thread(target=_burn, args=(self._too_long_s,)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.legal()

    def late_pretending_with_workers(self):
        """Works in one process after another, on the core of one that only gives it away."""
        with _giving_way():
            self._work()

    def late_pretending_with_unseen_workers(self):
        """The same, and waits for none of them: their time is nobody's."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        with _giving_way():
            self._work()

    def late_pretending_asleep(self):
        """Does nothing, for ever."""
        os.nice(19)
        with _giving_way():
            time.sleep(3600)

    def _work(self):
        _burn_in_workers(round(self._too_long_s / WORKER_S))
        self.legal()


def sleep_in_start(limit_s):
    """Work in short programs, and sleep for longer than the limit."""
    _burn_in_workers(STARTERS)
    time.sleep(limit_s + LATE_BY_S)


def _burn_in_workers(number):
    for _ in range(number):
        worker = os.fork()
        if worker == 0:
            _burn(WORKER_S)
            os._exit(0)
        with contextlib.suppress(ChildProcessError):  # where nobody waits for it, this waits for all
            os.waitpid(worker, 0)


@contextlib.contextmanager
def _giving_way():
    """Stay on one core, with a process there that wants it and gives it away."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    helper = os.fork()
    if helper == 0:
        while True:
            os.sched_yield()
    try:
        yield
    finally:
        os.kill(helper, signal.SIGKILL)


def _burn(seconds):
    """Use so much processor time in this thread."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        hashlib.sha256(BLOCK)
