"""The parts that the rules of all games share: moves, cells, positions, and counting cells."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from judge.language import _, recorded, shown

Cell = tuple[int, int]  # row and column, from 0 at the top left
Owners = Sequence[Sequence[int | None]]  # a board: owner[row][column] is player 0 or 1, None for nobody
AnyMove = int | str  # a move of any game, as in records
AFTER_THE_END = recorded("{move} was played after the end of the game", "after_the_end")


class IllegalMove(Exception):
    """An illegal move. str() says what is wrong and what would be legal, and is a message for records too.

    `cell` is the number of the cell that the move named (see Cells in games/game.py). It is None if that cell is not on
    the board.
    """

    def __init__(self, message: str, cell: int | None = None) -> None:
        super().__init__(message)
        self.cell = cell


class Position(Protocol):
    """A position of any game; players are 0 and 1. Game in games/game.py documents the members."""

    @property
    def to_move(self) -> int: ...

    @property
    def over(self) -> bool: ...

    @property
    def winner(self) -> int | None: ...

    @property
    def moves(self) -> Sequence[object]: ...

    @property
    def last(self) -> object: ...

    def legal_moves(self) -> Sequence[AnyMove]: ...

    def play(self, move: AnyMove, /) -> object: ...


def play_opening(position: Position, opening: Iterable[AnyMove]) -> None:
    """Play the moves of an opening. Raise ValueError for an illegal move, or if the game is over after the opening."""
    for ply, move in enumerate(opening, start=1):
        try:
            position.play(move)
        except IllegalMove as error:
            message = _("ply {ply} of the opening is not legal: {error}")
            raise ValueError(message.format(ply=ply, error=shown(str(error)))) from error
    if position.over:
        raise ValueError(_("the game is over after the opening: expected a shorter opening"))


def check_range(name: str, value: int, least: int, most: int) -> None:
    """Raise ValueError unless `value` is in least..most. `name` is its name in the message."""
    if not least <= value <= most:
        message = _("{name} is {value}, expected {least}..{most}")
        raise ValueError(message.format(name=name, value=value, least=least, most=most))


def counts_of(owner: Owners) -> tuple[int, int]:
    """Return (the number of cells of player 0, the number of cells of player 1)."""
    owners = [player for row in owner for player in row]
    return owners.count(0), owners.count(1)


def leader(counts: tuple[int, int]) -> int | None:
    """Return the player (0 or 1) with more cells; None if the counts are equal."""
    first, second = counts
    if first == second:
        return None
    return 0 if first > second else 1
