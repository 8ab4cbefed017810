"""The cores that this process may use, and how many games at a time they bear."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass

from judge.language import recorded
from judge.machine.cgroups import cpu_quota
from judge.machine.fact import Fact, State

# What is said, as JSON has it.
NAME = recorded("cores")
NO_QUOTA, QUOTA = recorded("no quota"), recorded("a quota of {quota}")
CORES = recorded("{online} online, {allowed} allowed, {quota}: --jobs {jobs} fits")
TOO_FEW = recorded("{cores} badly, a player is stopped while it thinks")
GIVE_A_CORE = recorded("give the container a core at least (docker run --cpus)")


@dataclass(frozen=True)
class Cores:
    """How many there are, how many of them this process may run on, and its quota in cores' worth of time."""

    online: int
    allowed: int
    quota: float | None

    @property
    def usable(self) -> float:
        """Cores' worth of time at most."""
        return self.allowed if self.quota is None else min(self.allowed, self.quota)

    @property
    def jobs(self) -> int:
        """Games at a time: in each, one player thinks; the judge itself takes next to nothing."""
        return max(1, math.floor(self.usable))


def read_cores(
    online: int | None = None,
    affinity: Callable[[], int | None] | None = None,
    quota: Callable[[], float | None] = cpu_quota,
) -> Cores:
    """The Cores of this machine. online and affinity (how many cores this process may run on): None asks the system."""
    count = online or os.cpu_count() or 1
    return Cores(count, (affinity or _affinity)() or count, quota())


def _affinity() -> int | None:
    """How many cores this process may run on, None where the system has no such call."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def cores_fact(cores: Cores) -> Fact:
    """How many cores there are to use, and how many games at a time."""
    quota = NO_QUOTA if cores.quota is None else QUOTA.format(quota=f"{cores.quota:.2g}")
    text = CORES.format(online=cores.online, allowed=cores.allowed, quota=quota, jobs=cores.jobs)
    if cores.usable < 1:
        return Fact(NAME, State.WARNING, TOO_FEW.format(cores=text), GIVE_A_CORE)
    return Fact(NAME, State.OK, text)
