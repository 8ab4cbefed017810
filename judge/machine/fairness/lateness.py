"""How late a process is that asked to be woken: a judge that is late sees replies late."""

import time
from collections.abc import Callable, Sequence

TICK_S = 0.002  # asked for each time


def lateness(
    until: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> list[float]:
    """Sleep tick by tick until this moment of the clock; by how many seconds each sleep was too long."""
    found = []
    now = clock()
    while now < until:
        wake = now + TICK_S
        sleep(TICK_S)
        now = clock()
        found.append(max(0.0, now - wake))
    return found


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest of the values that at least `percent` of them do not exceed. Precondition: there is one."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
