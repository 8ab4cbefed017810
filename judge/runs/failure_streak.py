"""A player that fails in game after game: nothing is learnt from more of them."""

import collections
from collections.abc import Callable, Hashable

from judge.language import _, shown
from judge.terminal import printable, sentence
from protocol.records.record import GameRecord, Termination

LONGEST = 3  # failures of one player in a row
FAILURES = (Termination.STARTUP_FAILURE, Termination.CRASH)


class FailureStreaks:
    """Counts each player's start-up failures and crashes without another ending of its games between them.

    player_of(record, side) tells players apart.
    """

    def __init__(self, player_of: Callable[[GameRecord, str], Hashable] = lambda record, side: side) -> None:
        self._player_of = player_of
        self._lengths: collections.Counter[Hashable] = collections.Counter()

    def add(self, record: GameRecord) -> str | None:
        """Count a game that has ended; returns the side, "A" or "B", whose streak is too long now, or None."""
        if record.termination is Termination.VOID:
            return None
        for side in "AB":
            player = self._player_of(record, side)
            failed = record.at_fault == side and record.termination in FAILURES
            self._lengths[player] = self._lengths[player] + 1 if failed else 0
            if self._lengths[player] >= LONGEST:
                return side
        return None


def in_words(record: GameRecord, side: str) -> str:
    """That a player fails time and again, and the reason in this game, its last."""
    name, reason = record.players["AB".index(side)].name, sentence(shown(str(record.extra.get("reason", ""))))
    streak = _("{side} ({name}) failed in {number} games in a row: {reason}")
    return printable(streak.format(side=side, name=name, number=LONGEST, reason=reason))
