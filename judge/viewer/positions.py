"""Every position of a recorded game, as far as its moves are legal."""

import copy

from judge.games import GAMES
from judge.games.game import AnyGame
from judge.games.positions import IllegalMove, Position
from judge.language import _, shown
from judge.play.recheck import new_position
from judge.play.scoresheet import in_order
from judge.play.screen import move_in_words
from judge.terminal import sentence
from protocol.records.record import GameRecord


class RecordedPositions:
    """A record with its positions: number 0 is the one that the game began with, number N the one after ply N.

    `last` is the greatest number; `refusal` says why there are not as many positions as moves, "" where there are.
    Raises ValueError for a game or board that the rules do not know.
    """

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        position = new_position(record)
        self.game: AnyGame = GAMES[record.game]
        self._positions: list[Position] = [position]
        self._sides: list[str] = []  # who moved, by the rules
        self.refusal = ""
        for ply, move in enumerate(record.moves, start=1):
            position = copy.deepcopy(position)
            mover = position.to_move
            try:
                position.play(move.move)
            except (ValueError, IllegalMove) as error:
                refusal = _("ply {ply} cannot be shown: {error}")
                self.refusal = refusal.format(ply=ply, error=sentence(shown(str(error))))
                break
            self._positions.append(position)
            self._sides.append(in_order(record.first)[mover])

    @property
    def last(self) -> int:
        return len(self._positions) - 1

    def position(self, ply: int) -> Position:
        """The position after ply number `ply`, for looking at alone. Raises IndexError outside 0..last."""
        if not 0 <= ply <= self.last:
            raise IndexError(f"ply {ply} is outside 0..{self.last}")
        return self._positions[ply]

    def move_in_words(self, ply: int) -> str:
        """One line on the move that led to a position; for number 0, that nobody has moved."""
        position = self.position(ply)
        if ply == 0:
            return _("before the first move")
        played = self.game.move_in_words(position)
        return move_in_words(ply, self._sides[ply - 1], played, self.record.moves[ply - 1])
