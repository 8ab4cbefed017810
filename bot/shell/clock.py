"""Time as values: the budget of a turn, its deadlines, and when this process began. Seconds, monotonic.

Standard library only, Python 3.8 syntax.
"""

from __future__ import annotations

import os
import time

from .. import FIRST_STATEMENT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The share of the margin that is left to the platform after the hard deadline.
_HARD_SHARE = 0.5
LARGEST_MARGIN_SHARE = 0.25


class Budget:
    """What one turn may take from its start, in seconds: `soft` ends the search, at `hard` the guard answers."""

    __slots__ = ("soft", "hard")

    def __init__(self, limit: float, margin: float) -> None:
        """limit: the platform's limit; margin: what of it is left unused, at most a quarter of the limit."""
        if not limit > 0:
            raise ValueError(f"the limit must be a positive number of seconds, got {limit!r}")
        if not margin >= 0:
            raise ValueError(f"the margin must be zero or more seconds, got {margin!r}")
        margin = min(margin, limit * LARGEST_MARGIN_SHARE)
        self.soft = limit - margin
        self.hard = limit - margin * _HARD_SHARE

    def deadline(self, started: float) -> Deadline:
        """The Deadline of a turn that started at that monotonic time."""
        return Deadline(started, started + self.soft, started + self.hard)


class Deadline:
    """One turn's absolute times on the monotonic clock: started, soft, hard."""

    __slots__ = ("started", "soft", "hard")

    def __init__(self, started: float, soft: float, hard: float) -> None:
        self.started, self.soft, self.hard = started, soft, hard

    def remaining(self, now: float) -> float:
        """Seconds until the soft deadline, never negative."""
        return max(0.0, self.soft - now)


def process_start(monotonic: Callable[[], float] = time.monotonic) -> float:
    """When this process began, on the monotonic clock.

    From field 22 of /proc/self/stat (proc(5), ticks after boot, usually 10 ms each), which counts the
    interpreter's own start-up too; elsewhere, the first statement of this package.
    """
    try:
        with open("/proc/self/stat", "rb") as stat:
            ticks = int(stat.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return FIRST_STATEMENT_S
    started = monotonic() - age
    # A container or a suspended machine may show another clock's ticks: believe only what is possible.
    return started if 0 <= FIRST_STATEMENT_S - started < 60 else FIRST_STATEMENT_S
