"""The conditions under which games were played: the machine's state, moves that were short of a core, VOID attempts.

play/scoresheet.py defines when a move is short of a core.
"""

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge.language import _
from judge.machine.facts import BUSY, IDLE
from judge.play import scoresheet
from protocol.records.record import GameRecord

PlayerOf = Callable[[GameRecord, str], str]
MACHINE = "machine"  # the key in GameRecord.extra for the result of measuring the machine before the run
WORKER = "worker"  # the key in GameRecord.extra for facts on the cluster's worker that played the game


def machine_state(records: Sequence[GameRecord]) -> str | None:
    """Return BUSY if the machine was busy before one of the runs to which these games belong, or IDLE if before none.

    Returns None if no run found the machine busy, but some run has not measured it.
    """
    states = set(_states(records))
    if BUSY in states:
        return BUSY
    return IDLE if states == {IDLE} else None


def _states(records: Sequence[GameRecord]) -> dict[str | None, int]:
    """Return {state of the machine: number of games}. The state is IDLE, BUSY, or None if it was not measured."""
    states = [record.kept(MACHINE).get("state") for record in records]
    return collections.Counter(state if state in (IDLE, BUSY) else None for state in states)


def summary(records: Sequence[GameRecord], void_attempts: int, player_of: PlayerOf | None = None) -> dict[str, Any]:
    """Return the conditions as a part of a run's JSON object.

    `void_attempts` is the number of VOID attempts at games of the run. player_of(record, side) returns the name of the
    player who was `side` in a game. `player_of` is None for a run between two players.
    """
    states = _states(records)
    return {
        "void_attempts": void_attempts,
        "short_of_core": scoresheet.as_json(scoresheet.turns_by_player(records))
        if player_of is None
        else _players_as_json(scoresheet.turns_by_player(records, player_of)),
        "machine": {
            "state": machine_state(records),
            "games": {IDLE: states.get(IDLE, 0), BUSY: states.get(BUSY, 0), "not_measured": states.get(None, 0)},
        },
    }


def _players_as_json(turns: Mapping[str, scoresheet.Turns]) -> dict[str, Any]:
    """Return the result of scoresheet.as_json() with the players' shares moved below the key "players".

    Otherwise a player's name could be the same as another key.
    """
    bound = {"bound": scoresheet.MOST_SHORT, "warning": scoresheet.needs_warning(turns)}
    return {"players": scoresheet.rounded_shares(turns), **bound}


def lines(
    records: Sequence[GameRecord], void_attempts: int, player_of: PlayerOf | None = None, verbose: bool = True
) -> list[str]:
    """Return sentences about the conditions. Without `verbose` only conditions that may have changed results are named.

    If the machine was busy, one sentence says so, and whether the results can be trusted.

    For `void_attempts` and `player_of` see summary(). Precondition: there is at least one record.
    """
    turns = scoresheet.turns_by_player(records) if player_of is None else scoresheet.turns_by_player(records, player_of)
    sentences = []
    if verbose or scoresheet.needs_warning(turns):
        sentences = [_shares_of_sides(turns) if player_of is None else _largest_share(turns)]
    if void_attempts:
        stayed = sum(not record.termination.counts for record in records)
        attempts = _("attempts at games that did not count (VOID): {attempts}; games left without a result: {games}")
        sentences.append(attempts.format(attempts=void_attempts, games=stayed))
    if machine_state(records) == BUSY and not scoresheet.needs_warning(turns):
        sentence = _(
            "the machine was busy before the runs with {busy} of the {games} games; how much time the players lost was "
            "not measured, so do not trust the results"
        )
        if any(each.measured for each in turns.values()):
            sentence = _(
                "the machine was busy before the runs with {busy} of the {games} games; no player lost enough time to "
                "change a result, so the results can be trusted"
            )
        sentences.append(sentence.format(busy=_states(records)[BUSY], games=len(records)))
    return sentences


def warnings(record: GameRecord) -> list[str]:
    """Return [a warning] if other programs slowed a side so much that it may have chosen other moves, else []."""
    turns = scoresheet.turns_by_player([record])
    return [_shares_of_sides(turns)] if scoresheet.needs_warning(turns) else []


def _shares_of_sides(turns: Mapping[str, scoresheet.Turns]) -> str:
    """Return a sentence with the shares of A's and B's moves that were short of a core."""
    if not any(each.measured for each in turns.values()):
        return _("moves slowed by other programs: not measured")
    a, b = ("-" if each.share is None else f"{each.share:.1%}" for each in turns.values())
    return _with_warning(turns, _("moves slowed by other programs: {a} of A's, {b} of B's").format(a=a, b=b))


def _largest_share(turns: Mapping[str, scoresheet.Turns]) -> str:
    """Return a sentence with the player whose share of moves that were short of a core is the largest."""
    shares = [(each.share, name) for name, each in turns.items() if each.share is not None]
    if not shares:
        return _("moves slowed by other programs: not measured")
    share, name = max(shares)
    most = _("moves slowed by other programs: at most {share} of a player's moves ({player})")
    return _with_warning(turns, most.format(share=f"{share:.1%}", player=name))


def _with_warning(turns: Mapping[str, scoresheet.Turns], shares: str) -> str:
    """Return the sentence `shares`, as part of a warning if so many moves were slowed that the result is doubtful."""
    if not scoresheet.needs_warning(turns):
        return shares
    costly = sum(each.costly for each in turns.values())
    warning = _(
        "warning: {shares}; {number} of these moves lost more than {share} of the time limit: do "
        "not trust the result, play again on an idle machine"
    )
    return warning.format(shares=shares, number=costly, share=f"{scoresheet.COSTLY_SHARE:.0%}")
