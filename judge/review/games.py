"""A recorded game as it is put to an engine: its positions, who is to move in each, and how it ended on the board."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
from judge.language import _
from judge.play.recheck import new_position
from judge.play.repro import WIRE
from judge.play.scoresheet import in_order
from protocol.errors import LocalProtocolError
from protocol.records.record import GameRecord
from protocol.records.review import game_key

DRAWN = ""  # in place of a winner


class CannotBeAsked(Exception):
    """A game whose positions can be put to no engine; str() says why."""


@dataclass(frozen=True)
class ReviewedGame:
    """A record, with its number in its file, from 1.

    `movers` has the side to move, "A" or "B", in each position, from the one before ply 1 on, as far as the moves are
    legal and the game is not over. `winner` is who has won on the board, DRAWN for a draw, None where it is not over.
    Raises CannotBeAsked where the rules do not know the game or its board, or the wire has no words for it.
    """

    number: int
    record: GameRecord
    key: str = field(init=False)
    movers: tuple[str, ...] = field(init=False)
    plies: int = field(init=False)  # legal ones
    winner: str | None = field(init=False)

    def __post_init__(self) -> None:
        sides = in_order(self.record.first)
        movers, winner, plies = [], None, -1
        try:
            position = new_position(self.record)
            GAMES[self.record.game].wire(WIRE, position).opening(position, 0)
        except (ValueError, LocalProtocolError) as error:
            raise CannotBeAsked(str(error)) from error
        for position in positions(self.record):
            plies += 1
            if position.over:
                winner = DRAWN if position.winner is None else sides[position.winner]
            else:
                movers.append(sides[position.to_move])
        for name, value in (("movers", tuple(movers)), ("plies", plies), ("winner", winner)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "key", game_key(self.record))

    def in_words(self) -> str:
        """What the reader calls it."""
        return _("game {number}").format(number=self.number)


def positions(record: GameRecord) -> Iterator[Position]:
    """The position before each ply, and the last one, as far as the moves are legal: one object, changed by each step.

    Raises ValueError for a game or board that the rules do not know.
    """
    position = new_position(record)
    yield position
    for move in record.moves:
        try:
            position.play(move.move)
        except (ValueError, IllegalMove):
            return
        yield position
