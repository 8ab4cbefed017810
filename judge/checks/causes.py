"""Groups the outcomes of checks whose games ended by the same fault, so that a fault is reported once."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from judge.checks.checks import Outcome, Result
from judge.checks.trial import PLAYER
from judge.language import Sentence
from judge.play.backtraces import backtrace_of
from judge.reasons import PRINTED, PRINTED_OUT_OF_TURN, reason_of
from protocol.records.record import Fault, GameRecord, Termination


@dataclass(frozen=True)
class Cause:
    """All `outcomes` of checks whose games ended by the same fault, in the order of the checks.

    `first` is the first outcome of a failed check, or of a check with a warning if no check failed. `game` is its game,
    which shows the fault.
    """

    outcomes: tuple[Outcome, ...]
    first: Outcome
    game: GameRecord

    @property
    def result(self) -> Result:
        """FAILED if one of the checks in `outcomes` failed, else WARNING."""
        return self.first.result


def causes(outcomes: Iterable[Outcome]) -> list[Cause]:
    """Return the Causes of all outcomes that did not pass and have a game, in the order of their first outcomes."""
    groups: dict[Hashable, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.game is not None and outcome.result is not Result.PASSED:
            groups.setdefault(_fault_key(outcome.game), []).append(outcome)
    return [_cause(group) for group in groups.values()]


def _cause(group: list[Outcome]) -> Cause:
    """Return the Cause of the outcomes `group`, which all have a game."""
    first = min(group, key=lambda outcome: outcome.result is not Result.FAILED)
    assert first.game is not None
    return Cause(tuple(group), first, first.game)


def _fault_key(game: GameRecord) -> Hashable:
    """Return a key that is equal for games whose faults differ only in columns, times and similar details."""
    ending, reason, backtrace = game.termination, reason_of(game), backtrace_of(game, PLAYER)
    if isinstance(reason, Sentence) and reason.template in (PRINTED, PRINTED_OUT_OF_TURN):
        return PRINTED
    if ending.fault is Fault.TIME:
        return is_slow(game)
    if ending.fault is Fault.MEMORY:
        return ending
    if ending.fault is Fault.PROGRAM:  # such a reason holds no numbers that differ by game
        return ending, reason, None if backtrace is None else (backtrace.what, backtrace.place)
    return ending, _templates_of(reason)


def is_slow(game: GameRecord) -> bool:
    """Return whether the player lost the game by a reply that came too late, and not by one that never came."""
    return game.termination is Termination.TIME_FORFEIT or "late_s" in game.extra


def _templates_of(reason: str) -> Hashable:
    """Return the templates of which a reason is made, without the values of their fields.

    A reason that is not made of templates is returned as it is.
    """
    if not isinstance(reason, Sentence):
        return reason
    return reason.template, *(_templates_of(part) for part in reason.fields.values() if isinstance(part, Sentence))
