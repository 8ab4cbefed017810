"""A check's time, dealt out to its cases: each has what the slowest player needs for the least of it, and a part of
the rest in proportion to its weight. What a case leaves is the later ones'.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """What a case asks for: seconds for the least of it, and its weight."""

    least_s: float
    weight: int


class Shares:
    """The time of a check with `lanes` cases at a time. claims: {case's name: its Claim}; clock() gives seconds.

    The cases' times are moments of clock(); without an end, total_s is math.inf.
    """

    def __init__(
        self, claims: Mapping[str, Claim], lanes: int, total_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.lanes, self.clock = lanes, clock
        self.began = clock()
        self.end = self.began + total_s
        self._waiting = dict(claims)
        self._running: dict[str, float] = {}
        self._dealt: dict[str, float] = {}
        self._lock = threading.Lock()

    def begin(self, name: str) -> float:
        """The moment until which this case, which begins now, may go on: one that begins again, no longer than before.

        One without a claim may go on until the end.
        """
        with self._lock:
            now = self.clock()
            claim = self._waiting.pop(name, None)
            if claim is None:
                return self._dealt.get(name, self.end)
            taken_s = sum(max(0.0, until - now) for until in self._running.values())
            kept_s = claim.least_s + sum(other.least_s for other in self._waiting.values())
            free_s = max(0.0, self.lanes * (self.end - now) - taken_s - kept_s)
            weights = claim.weight + sum(other.weight for other in self._waiting.values())
            until = min(self.end, now + claim.least_s + free_s * claim.weight / weights)
            self._running[name] = self._dealt[name] = until
            return until

    def finish(self, name: str) -> None:
        """The case is over."""
        with self._lock:
            self._running.pop(name, None)
