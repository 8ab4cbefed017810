"""A position as a text of one character for each cell, for whoever draws it without knowing the rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from judge.games.positions import Position

PositionT = TypeVar("PositionT", bound=Position)

FREE = "."
FORBIDDEN = "#"  # nobody may ever take it
OF_OPENING = "-"  # taken before the game, nobody's
OF_PLAYER = ("0", "1")


def code(owner: int | None) -> str:
    """The character of a cell that player 0, player 1 or nobody (None) has."""
    return FREE if owner is None else OF_PLAYER[owner]


@dataclass(frozen=True)
class Cells(Generic[PositionT]):
    """What draws a game's positions has of them; cells are numbered from 0 in an order of the game's own.

    size(position) is (rows, columns); codes(position) has a character for each cell, of those above; last(position) is
    the number of the cell that the last move took (there was one); line(position) are the numbers of the cells that
    have won by where they lie, [] before and in games without such a line.
    """

    size: Callable[[PositionT], tuple[int, int]]
    codes: Callable[[PositionT], str]
    last: Callable[[PositionT], int]
    line: Callable[[PositionT], list[int]]
