"""What a measurement of slots adds up to, and by which bounds it is fair or not."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judge.language import recorded
from judge.machine.cores import Cores
from judge.machine.fact import Fact, State
from judge.machine.fairness.lateness import percentile
from judge.machine.fairness.slots import Round
from judge.machine.load import MEASURE_LATER, MOST_STEAL

LEAST_SPEED = 0.95  # of the slowest slot, as a share of the fastest one's
MOST_WAITED = 0.05  # of a slot's time: the rest is the least of its time that a move should get
MOST_LATE_S = 0.01  # of 99 wake-ups in 100
IDLE, BUSY = "idle", "busy"  # as records have it
# What is said, as JSON has it.
CORES, SPEEDS, WAITS = recorded("cores"), recorded("speeds"), recorded("waits")
WAKE_UPS, STEAL = recorded("wake-ups"), recorded("steal")
CORES_FOR_GAMES = recorded("games at a time: {jobs}, cores to use: {cores}")
RELATIVE_SPEEDS = recorded(
    "the slowest of {slots} slots computes at {slowest} of the fastest (bound: {bound}), from round to round +-{spread}"
)
ONE_SPEED = recorded("one slot alone, from round to round +-{spread}")
WAITED = recorded("a slot waited for a core {waited} of its time at most (bound: {bound})")
WAITS_NOT_TOLD = recorded("how long slots wait for a core is not told here")
LATE = recorded("timers are {p50} ms late, 99 of 100 at most {p99} ms (bound: {bound} ms), all at most {most} ms")
STOLEN = recorded("another machine had {steal} of the cores' time (bound: {bound})")
STEAL_NOT_TOLD = recorded("how much of the cores another machine has is not told here")
END_OTHERS_OR_FEWER_JOBS = recorded("end what runs beside, or play fewer games at a time")


@dataclass(frozen=True)
class Fairness:
    """What was measured while `slots` slots worked, for so many games at a time as `jobs` says.

    load: load average over a minute before; steal: share of all cores' time that another machine had; waited: the
    largest share of its time that a slot waited for a core; late_s: by how much wake-ups were too late, the median,
    the 99th percentile and the most; slowest: the slowest slot's speed as a share of the fastest one's; spread: the
    standard deviation of a slot's speed in a round, as a share of all slots' in it (of one alone, in all rounds).
    None is what the system does not tell.
    """

    cores: Cores
    jobs: int
    slots: int
    seconds: float
    load: float | None
    steal: float | None
    waited: float | None
    late_s: tuple[float, float, float]
    slowest: float
    spread: float

    def facts(self) -> list[Fact]:
        """One Fact for each figure that has a bound; a WARNING is beyond it."""
        p50, p99, most = (f"{1000 * late_s:.1f}" for late_s in self.late_s)
        late = LATE.format(p50=p50, p99=p99, bound=f"{1000 * MOST_LATE_S:g}", most=most)
        return [
            _fact(
                CORES,
                CORES_FOR_GAMES.format(jobs=self.jobs, cores=f"{self.cores.usable:g}"),
                self.jobs <= self.cores.jobs,
            ),
            _fact(SPEEDS, self._speeds(), self.slowest >= LEAST_SPEED),
            Fact(WAITS, State.OK, WAITS_NOT_TOLD)
            if self.waited is None
            else _fact(
                WAITS,
                WAITED.format(waited=f"{self.waited:.1%}", bound=f"{MOST_WAITED:.0%}"),
                self.waited <= MOST_WAITED,
            ),
            _fact(WAKE_UPS, late, self.late_s[1] <= MOST_LATE_S),
            Fact(STEAL, State.OK, STEAL_NOT_TOLD)
            if self.steal is None
            else _fact(
                STEAL,
                STOLEN.format(steal=f"{self.steal:.1%}", bound=f"{MOST_STEAL:.0%}"),
                self.steal <= MOST_STEAL,
                MEASURE_LATER,
            ),
        ]

    def _speeds(self) -> str:
        spread = f"{self.spread:.1%}"
        if self.slots == 1:
            return ONE_SPEED.format(spread=spread)
        return RELATIVE_SPEEDS.format(
            slots=self.slots, slowest=f"{self.slowest:.1%}", bound=f"{LEAST_SPEED:.0%}", spread=spread
        )

    def faults(self) -> list[str]:
        """The names of the facts that are beyond their bounds."""
        return [fact.name for fact in self.facts() if fact.state is not State.OK]

    @property
    def state(self) -> str:
        """IDLE if no figure is beyond its bound, else BUSY."""
        return BUSY if self.faults() else IDLE

    def as_json(self) -> dict[str, Any]:
        """The figures for records and programs; times in ms, shares of 1."""
        p50, p99, most = (round(1000 * late_s, 3) for late_s in self.late_s)
        return {
            "state": self.state,
            "cores": self.cores.usable,
            "jobs": self.jobs,
            "slots": self.slots,
            "seconds": round(self.seconds, 3),
            "load": self.load,
            "steal": _rounded(self.steal),
            "waited": _rounded(self.waited),
            "late_ms": {"p50": p50, "p99": p99, "max": most},
            "slowest": _rounded(self.slowest),
            "spread": _rounded(self.spread),
        }


def _fact(name: str, text: str, is_within: bool, advice: str = END_OTHERS_OR_FEWER_JOBS) -> Fact:
    return Fact(name, State.OK, text) if is_within else Fact(name, State.WARNING, text, advice)


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def fairness_of(
    slots: Sequence[Sequence[Round]],
    late_s: Sequence[float],
    cores: Cores,
    jobs: int,
    seconds: float,
    load: float | None = None,
    steal: float | None = None,
) -> Fairness:
    """The Fairness of each slot's rounds, all slots having as many, and of how late wake-ups were.

    Rounds are compared with those of the other slots at the same time: what slows all of them down is no unfairness.
    """
    rounds = list(zip(*slots, strict=True))
    means = [statistics.fmean(entry.speed for entry in entries) for entries in rounds]
    if len(slots) == 1:
        means = [statistics.fmean(means)] * len(means)
    relative = [
        [entry.speed / mean if mean > 0 else 0.0 for entry, mean in zip(entries, means, strict=True)]
        for entries in slots
    ]
    speeds = [statistics.fmean(shares) for shares in relative]
    deviations = [share - speed for shares, speed in zip(relative, speeds, strict=True) for share in shares]
    return Fairness(
        cores,
        jobs,
        len(slots),
        seconds,
        load,
        steal,
        _most_waited(slots),
        (percentile(late_s, 50), percentile(late_s, 99), max(late_s)) if late_s else (0.0, 0.0, 0.0),
        min(speeds) / max(speeds) if max(speeds) > 0 else 0.0,
        math.sqrt(statistics.fmean(deviation**2 for deviation in deviations)),
    )


def _most_waited(slots: Sequence[Sequence[Round]]) -> float | None:
    """The largest share of its time that a slot waited for a core, None where that is not told."""
    shares = []
    for entries in slots:
        waits = [entry.waited_s for entry in entries if entry.waited_s is not None]
        took_s = sum(entry.took_s for entry in entries)
        if len(waits) < len(entries) or took_s <= 0:
            return None
        shares.append(sum(waits) / took_s)
    return max(shares)
