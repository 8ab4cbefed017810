"""How long a check will take, from what a move of the player has taken so far."""

import time
from collections.abc import Callable, Iterable

from judge.checks.effort import Effort
from judge.checks.outcomes import Checks, Outcome
from judge.checks.runs import least_turns, pauses_s
from judge.checks.trial import Conditions
from judge.games import GAMES
from judge.games.check_cases import CheckCase, Kind

# The player's turns in a kind of case, in those of the longest game.
USUAL_SHARES = {
    Kind.WHOLE_GAME: 0.5,
    Kind.LONG_GAME: 0.8,
    Kind.AGAINST_ITSELF: 1.2,
    Kind.LATE_POSITIONS: 0.5,
    Kind.SLOW_JUDGE: 0.2,
    Kind.UNREAD_STDERR: 0.8,
}
LEAST_LEFT_S = 1.0


class Pace:
    """Estimates what is left of Checks; clock() gives seconds."""

    def __init__(self, checks: Checks, clock: Callable[[], float] = time.monotonic) -> None:
        self._checks, self._clock = checks, clock
        self._began = clock()
        self._waiting = {case.name: case for case in (*checks.cases, *checks.last_cases)}
        self._end: float | None = None

    def note(self, outcome: Outcome) -> None:
        """A check is over."""
        self._waiting.pop(outcome.name, None)
        turn_s = self._checks.bench.turn_s()
        if turn_s is not None:
            conditions = self._checks.conditions
            seen = self._checks.bench.moves
            left_s = expected_s(self._waiting.values(), conditions, turn_s, conditions.effort, seen)
            self._end = min(self._checks.bench.end, self._clock() + left_s)

    def share(self) -> float:
        """How much of the check's time has passed, 0 to 1; 0 as long as nobody knows."""
        if self._end is None:
            return 0.0
        now = self._clock()
        left_s = max(LEAST_LEFT_S, self._end - now)
        return (now - self._began) / (now - self._began + left_s)


def expected_s(
    cases: Iterable[CheckCase], conditions: Conditions, turn_s: float, effort: Effort, moves: float = 0
) -> float:
    """How long these cases take a player whose turns take turn_s, if none is left off for want of time.

    So many moves have been seen before.
    """
    most_turns = GAMES[conditions.game].most_turns
    seconds, many_s = [0.0], 0.0
    for case in cases:
        turns = USUAL_SHARES.get(case.kind, 0.0) * most_turns or least_turns(case)
        seconds.append(turns * turn_s + pauses_s(case, conditions.limit_s))
        moves += turns
        many_s += turn_s if case.kind is Kind.MANY_GAMES else 0.0
    many_s *= max(0.0, effort.moves - moves)  # as many games as are missing, on all lanes
    return max((sum(seconds) + many_s) / conditions.jobs, *seconds)


def thorough_s(checks: Checks, effort: Effort) -> float | None:
    """About how long a check of that effort would take; None where no move was seen."""
    turn_s = checks.bench.turn_s(is_hurried=False)
    cases = [*checks.cases, *checks.last_cases]
    return None if turn_s is None else expected_s(cases, checks.conditions, turn_s, effort)
