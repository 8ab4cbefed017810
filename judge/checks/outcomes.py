"""All checks of a player: what they are, the order they are made in, some of them at a time, and what each comes to."""

import enum
import queue
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from judge.checks import limits
from judge.checks.bench import Bench, Doubtful, Unfit
from judge.checks.runs import claim, run
from judge.checks.shares import Shares
from judge.checks.trial import Conditions
from judge.games import GAMES
from judge.games.check_cases import CheckCase, Kind
from judge.language import _, marked, recorded, shown
from judge.play.endings import ending_in_words
from judge.play.referee import Interrupted
from judge.play.seat import Forfeit
from judge.players.players import Contestant
from judge.processes.spawn import JudgeFailure
from protocol.records.record import Termination

LIMITS: tuple[tuple[str, Callable[[Bench], str]], ...] = (
    (recorded("time limit"), limits.time_limit),
    (recorded("start-up charged to the first move"), limits.start_up),
    (recorded("output limit"), limits.output_limit),
    (recorded("nothing but replies on stdout"), limits.replies_alone),
    (recorded("memory limit"), limits.memory_limit),
    (recorded("stderr limit"), limits.stderr_limit),
    (recorded("one thread: CPU time within wall time"), limits.one_thread),
    (recorded("few threads and processes"), limits.few_threads),
    (recorded("at rest while the opponent is to move"), limits.at_rest),
)  # judged from the runs, so they come last
TRIES = 3  # of a case in which the machine failed


class Result(enum.Enum):
    """What a check comes to: its word in JSON."""

    PASSED = "passed"
    WARNING = "warning"
    FAILED = "failed"


class Group(enum.Enum):
    """What checks have in common, for those who read of them: its word in JSON."""

    GAMES = "games"
    LONG_GAMES = "long_games"
    INPUT = "input"
    SILENCE = "silence"
    END_OF_INPUT = "end_of_input"
    LIMITS = "limits"


IN_WORDS = {
    Group.GAMES: marked("boards and opponents"),
    Group.LONG_GAMES: marked("long games and many"),
    Group.INPUT: marked("input cut in any way"),
    Group.SILENCE: marked("long silences"),
    Group.END_OF_INPUT: marked("end of the input"),
    Group.LIMITS: marked("limits"),
}
GROUPS = {
    Kind.WHOLE_GAME: Group.GAMES,
    Kind.LONG_GAME: Group.LONG_GAMES,
    Kind.AGAINST_ITSELF: Group.LONG_GAMES,
    Kind.MANY_GAMES: Group.LONG_GAMES,
    Kind.LATE_POSITIONS: Group.LONG_GAMES,
    Kind.BYTE_BY_BYTE: Group.INPUT,
    Kind.IN_PARTS: Group.INPUT,
    Kind.JOINED: Group.INPUT,
    Kind.SLOW_JUDGE: Group.SILENCE,
    Kind.END_BEFORE_TURN: Group.END_OF_INPUT,
    Kind.END_AFTER_REPLY: Group.END_OF_INPUT,
    Kind.UNREAD_STDERR: Group.LIMITS,
    Kind.LONG_SEARCH: Group.LIMITS,
}


@dataclass(frozen=True)
class Outcome:
    """One check's result; `reason` says why it failed, or what was seen. `forfeit`: how it would have lost a game.

    `moves` were asked for, `longest` of them in one game.
    """

    name: str
    group: Group
    result: Result
    reason: str
    elapsed_s: float
    forfeit: Termination | None = None
    moves: int = 0
    longest: int = 0

    @property
    def passed(self) -> bool:
        """Whether it did not fail: a warning may be right for the upload as it is."""
        return self.result is not Result.FAILED

    def reason_in_words(self) -> str:
        """The reason in the reader's language."""
        if self.forfeit is None:
            return shown(self.reason)
        words = shown(self.reason.removeprefix(f"{self.forfeit.value}: "))
        return _("{ending}: {reason}").format(ending=ending_in_words(self.forfeit), reason=words)

    def as_json(self) -> dict[str, Any]:
        """It as a JSON object's content."""
        return {
            "name": self.name,
            "group": self.group.value,
            "passed": self.passed,
            "result": self.result.value,
            "reason": self.reason,
            "elapsed_s": self.elapsed_s,
            "moves": self.moves,
            "longest": self.longest,
        }


def names(game: str) -> list[str]:
    """What the checks of a game are called, in their order."""
    return [*(case.name for case in GAMES[game].check_cases), *(name for name, _check in LIMITS)]


class Checks:
    """The checks of a player under the Conditions, or only those of these names.

    The limits judge from the runs before them, and a case of many games has all lanes to itself after the others.
    """

    def __init__(self, contestant: Contestant, conditions: Conditions, only: Collection[str] | None = None) -> None:
        def is_wanted(name: str) -> bool:
            return only is None or name in only

        self.conditions = conditions
        cases = [case for case in GAMES[conditions.game].check_cases if is_wanted(case.name)]
        if conditions.jobs > 1:
            cases.sort(key=lambda case: -case.weight)  # the longest first, so that they run beside the others
        self.cases = [case for case in cases if case.kind is not Kind.MANY_GAMES]
        self.last_cases = [case for case in cases if case.kind is Kind.MANY_GAMES]
        self.limits = [(name, check) for name, check in LIMITS if is_wanted(name)]
        claims = {case.name: claim(case, conditions.limit_s) for case in cases}
        seconds = conditions.effort.seconds_at(conditions.limit_s)
        self.bench = Bench(contestant, conditions, Shares(claims, conditions.jobs, seconds))

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.cases) + len(self.last_cases) + len(self.limits)

    def outcomes(self) -> Iterator[Outcome]:
        """Make all checks, and yield their Outcomes as they come.

        Raises Interrupted when the conditions' stop is set, JudgeFailure if the machine fails; that sets it too.
        """
        if self.conditions.jobs == 1:
            yield from map(self._case, self.cases)
        else:
            yield from self._side_by_side()
        yield from map(self._case, self.last_cases)
        for name, check in self.limits:
            yield _outcome(name, Group.LIMITS, partial(check, self.bench), self.bench.part())

    def _side_by_side(self) -> Iterator[Outcome]:
        ended: queue.SimpleQueue[Outcome | Exception] = queue.SimpleQueue()

        def make(case: CheckCase) -> None:
            try:
                ended.put(self._case(case))
            except Exception as error:
                ended.put(error)

        with ThreadPoolExecutor(self.conditions.jobs) as pool:
            try:
                for case in self.cases:
                    pool.submit(make, case)
                for _ in self.cases:
                    outcome = ended.get()
                    if isinstance(outcome, Exception):
                        raise outcome
                    yield outcome
            except (Interrupted, JudgeFailure):
                self.conditions.stop.set()  # the other lanes too
                raise
            finally:
                pool.shutdown(cancel_futures=True)

    def _case(self, case: CheckCase) -> Outcome:
        for attempt in range(1, TRIES + 1):
            part = self.bench.part()
            try:
                outcome = _outcome(case.name, GROUPS[case.kind], partial(run, part, case), part)
            except JudgeFailure:
                if attempt == TRIES:
                    raise
                continue
            self.bench.add(part)
            break
        return outcome


def _outcome(name: str, group: Group, check: Callable[[], str], part: Bench) -> Outcome:
    began, fault = time.monotonic(), None
    try:
        result, reason = Result.PASSED, check()
    except Forfeit as forfeit:
        fault = forfeit.termination
        result, reason = Result.FAILED, f"{fault.value}: {forfeit}"
    except Unfit as unfit:
        result, reason = Result.FAILED, str(unfit)
    except Doubtful as doubtful:
        result, reason = Result.WARNING, str(doubtful)
    elapsed_s = round(time.monotonic() - began, 3)
    lengths = [len(costs.walls_s) for costs in (*part.costs, *part.unread_costs)]
    return Outcome(name, group, result, reason, elapsed_s, fault, sum(lengths), max(lengths, default=0))


def outcomes(contestant: Contestant, conditions: Conditions, only: Collection[str] | None = None) -> Iterator[Outcome]:
    """The Outcomes of Checks, as they come."""
    return Checks(contestant, conditions, only).outcomes()


def in_order(found: Sequence[Outcome], game: str) -> list[Outcome]:
    """The Outcomes in the order of all checks of the game."""
    places = {name: place for place, name in enumerate(names(game))}
    return sorted(found, key=lambda outcome: places[outcome.name])
