"""Measures with a synthetic load whether games that run at the same time get equal shares of the machine.

A slot stands for one game: a process that repeats the same piece of work (slot.py). While the slots run, this process
measures how late its timers are, because a late judge reads replies late. The results are compared with fixed bounds.
"""

import contextlib
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.language import recorded
from judge.machine.facts import (
    MEASURE_LATER,
    MOST_STEAL,
    Cores,
    Fact,
    State,
    between,
    one_minute,
    read_cores,
    read_cpu_times,
)
from judge.machine.slot import READY
from judge.statistics.score import percentile

TICK_S = 0.002  # the length of each sleep
LEAST_SPEED = 0.95  # bound: the speed of the slowest slot, as a share of the fastest one's
MOST_WAITED = 0.05  # bound: the share of a slot's time that it may wait for a core
MOST_LATE_S = 0.01  # bound: the 99th percentile of the timers' lateness
IDLE, BUSY = "idle", "busy"  # values in records
CORES, SPEEDS, WAITS = recorded("cores"), recorded("speeds"), recorded("waits")
WAKE_UPS, STEAL = recorded("wake-ups"), recorded("steal")
CORES_FOR_GAMES = recorded("games at a time: {jobs}, cores to use: {cores}")
RELATIVE_SPEEDS = recorded(
    "the slowest of {slots} slots computes at {slowest} of the fastest (bound: {bound}), from round to round +-{spread}"
)
ONE_SPEED = recorded("one slot alone, from round to round +-{spread}")
WAITED = recorded("a slot waited for a core {waited} of its time at most (bound: {bound})")
WAITS_NOT_TOLD = recorded("how long programs wait for a core is not counted here: no clock gives that time back")
LATE = recorded("timers are {p50} ms late, 99 of 100 at most {p99} ms (bound: {bound} ms), all at most {most} ms")
STOLEN = recorded("another machine had {steal} of the cores' time (bound: {bound})")
STEAL_NOT_TOLD = recorded("how much of the cores another machine has is not told here")
END_OTHERS_OR_FEWER_JOBS = recorded("end what runs beside, or play fewer games at a time")
SLOT = Path(__file__).with_name("slot.py")
HEAD_START_S = 0.02  # the time between sending the slots their moment to begin and that moment
NO_SLOT = recorded("a process that was to compute could not be started: {error}")
SLOT_ENDED = recorded("a process that was to compute ended before its time")
ROUND_S = 0.5
MOST_SLOTS_PER_CORE = 4  # more slots give no new information: all of them wait
SHORT_ROUNDS, SHORT_ROUND_S = 7, 0.05  # the measurement before a run: under half a second with the start of the slots


@dataclass(frozen=True)
class Round:
    """The result of one slot in one round: the number of pieces of work, and the seconds that they took.

    `ran_s` and `waited_s` are the seconds that the slot ran and waited for a core. They are None if the system does not
    report these times.
    """

    pieces: int
    took_s: float
    ran_s: float | None = None
    waited_s: float | None = None

    @property
    def speed(self) -> float:
        """Pieces of work per second."""
        return self.pieces / self.took_s if self.took_s > 0 else 0.0


def lateness(
    until: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> list[float]:
    """Sleep again and again for TICK_S, until the moment `until` of clock().

    Return for each sleep the number of seconds by which it ended late.
    """
    found = []
    now = clock()
    while now < until:
        wake = now + TICK_S
        sleep(TICK_S)
        now = clock()
        found.append(max(0.0, now - wake))
    return found


@dataclass(frozen=True)
class Fairness:
    """The result of a measurement that took `seconds` with `slots` slots, for `jobs` games at a time.

    `load` is the load average of the minute before. `steal` is the share of all cores' time that the host gave to other
    machines. `waited` is the largest share of its time that a slot waited for a core. These three are None if the
    system does not report them. `late_s` is the lateness of the timers in seconds: (median, 99th percentile, maximum).
    `slowest` is the speed of the slowest slot divided by the speed of the fastest slot. `spread` is the standard
    deviation of a slot's speed over the rounds. It is a share of the mean speed of all slots in the round; for a single
    slot it is a share of its mean speed in all rounds.
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
        """Return a Fact for each measured value that has a bound. It is a WARNING if the value is out of bounds."""
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
        """Return the names of the measured values that are out of bounds."""
        return [fact.name for fact in self.facts() if fact.state is not State.OK]

    @property
    def state(self) -> str:
        """IDLE if all measured values are within their bounds, else BUSY."""
        return BUSY if self.faults() else IDLE

    def as_json(self) -> dict[str, Any]:
        """Return the measured values for records and JSON output.

        `late_ms` is in milliseconds; shares are from 0 to 1.
        """
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
    """Return the Fairness that follows from the rounds of each slot and from the lateness of each timer in seconds.

    All slots have the same number of rounds. A round is compared with the rounds of the other slots at the same time,
    so that a slowdown of all slots does not count. For the other arguments see Fairness.
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
        (percentile(sorted(late_s), 50), percentile(sorted(late_s), 99), max(late_s)) if late_s else (0.0, 0.0, 0.0),
        min(speeds) / max(speeds) if max(speeds) > 0 else 0.0,
        math.sqrt(statistics.fmean(deviation**2 for deviation in deviations)),
    )


def _most_waited(slots: Sequence[Sequence[Round]]) -> float | None:
    """Return the largest share of its time that a slot waited for a core, None if the waits are unknown."""
    shares = []
    for entries in slots:
        waits = [entry.waited_s for entry in entries if entry.waited_s is not None]
        took_s = sum(entry.took_s for entry in entries)
        if len(waits) < len(entries) or took_s <= 0:
            return None
        shares.append(sum(waits) / took_s)
    return max(shares)


class NotMeasured(Exception):
    """The measurement failed because a slot failed; str() is the reason, a recorded() message."""


class Slots:
    """Running slots: begin() starts their rounds, results() waits for their results."""

    def __init__(self, processes: "Sequence[subprocess.Popen[str]]") -> None:
        self._processes = processes

    def begin(self) -> float:
        """Tell all slots to start their rounds at the same moment, and return that moment of time.monotonic().

        Raises NotMeasured if a slot has ended.
        """
        if any(_line_of(process) != READY for process in self._processes):
            raise NotMeasured(SLOT_ENDED)
        moment = time.monotonic() + HEAD_START_S
        for process in self._processes:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # results() raises NotMeasured then
                process.stdin.write(f"{moment}\n")
                process.stdin.flush()
        return moment

    def results(self) -> list[list[Round]]:
        """Wait for the slots, and return the rounds of each slot. All slots have the same number of rounds.

        Raises NotMeasured if a slot has ended early.
        """
        try:
            return [[Round(*entry) for entry in json.loads(_line_of(process))] for process in self._processes]
        except ValueError:
            raise NotMeasured(SLOT_ENDED) from None


def _line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # unsent bytes for a slot that has ended
            assert pipe is not None
            pipe.close()
    process.wait()


@contextlib.contextmanager
def started(slots: int, rounds: int, round_s: float) -> Iterator[Slots]:
    """Start `slots` slots, which run `rounds` rounds of `round_s` seconds each; kill them when the context ends.

    Each slot has its own session, so that it does not get the terminal's signals. Raises NotMeasured if a slot cannot
    be started.
    """
    command = [sys.executable, "-I", "-S", str(SLOT), str(rounds), repr(round_s)]
    with contextlib.ExitStack() as stack:
        processes = []
        try:
            for _slot in range(slots):
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    start_new_session=True,
                )
                stack.callback(_end, process)
                processes.append(process)
        except OSError as error:
            raise NotMeasured(NO_SLOT.format(error=error)) from error
        yield Slots(processes)


def measure(
    jobs: int,
    rounds: int = SHORT_ROUNDS,
    round_s: float = SHORT_ROUND_S,
    on_round: Callable[[int], object] = lambda done: None,
) -> Fairness:
    """Measure and return the Fairness of this machine for `jobs` games at a time.

    The measurement takes `rounds` rounds of `round_s` seconds each. on_round(done) is called after every round with the
    number of rounds done. All processes that are started here are ended. Raises NotMeasured.
    """
    cores, load = read_cores(), one_minute()
    late_s: list[float] = []
    with started(min(jobs, MOST_SLOTS_PER_CORE * cores.jobs), rounds, round_s) as workers:
        begin = workers.begin()
        before = read_cpu_times()
        for number in range(1, rounds + 1):
            late_s += lateness(begin + number * round_s)
            on_round(number)
        after = read_cpu_times()
        done = workers.results()
    shares = between(before, after) if before and after else None
    return fairness_of(done, late_s, cores, jobs, rounds * round_s, load, shares[1] if shares else None)
