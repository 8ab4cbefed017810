"""Ways to be late that a machine's load has nothing to do with: misbehave.py's modes that miss the limit."""

import fcntl
import hashlib
import os
import threading
import time

LATE_BY_S = 0.4  # past the limit, with much room to the STALL that the judge calls a second after it
THREADS = 8
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

    def late_by_a_lock(self):
        """Waits for what another process of its own holds."""
        held, holding = os.memfd_create("lock"), os.pipe()
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


def _burn(seconds):
    """Use so much processor time in this thread."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        hashlib.sha256(BLOCK)
