"""A position in the words of `bot analyze`, for whoever asks our bot about it: options, and what it reads on stdin."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from judge.games.boards import Board
from judge.games.positions import AnyMove
from judge.language import _

BoardT = TypeVar("BoardT", bound=Board)
Words = tuple[list[str], bytes]  # options, and a drawing or nothing
MARKS = ("X", "O")  # of the bot's drawings: what the first mover has, and the second
DRAWING = "--board"  # there is one on stdin


@dataclass(frozen=True)
class PositionWords(Generic[BoardT]):
    """A game's way to name positions.

    after_moves(board, moves): the one that the moves of a record lead to from its board. of_cells(size, codes, mover):
    the one of so many (rows, columns) with these characters (judge/games/cells.py), where player 0 or 1 is to move; it
    raises ValueError for what cannot be drawn. Both leave it to the bot whether there is a game with such a position.
    """

    after_moves: Callable[[BoardT, Sequence[AnyMove]], Words]
    of_cells: Callable[[tuple[int, int], str, int], Words]


def moves_option(moves: Iterable[AnyMove]) -> list[str]:
    """--moves with these, in one word: whatever stands there is no option."""
    text = ",".join(map(str, moves))
    return [f"--moves={text}"] if text else []


def drawing(lines: Iterable[str]) -> bytes:
    """The lines of a drawn board."""
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def check_size(size: tuple[int, int], least: int, most: int) -> None:
    """Raise ValueError unless a board may have so many rows and columns."""
    for name, value in zip(("rows", "columns"), size, strict=True):
        if not least <= value <= most:
            message = _("{name} is {value}, expected {least}..{most}")
            raise ValueError(message.format(name=name, value=value, least=least, most=most))


def check_codes(codes: str, expected: int, known: str) -> None:
    """Raise ValueError unless there are as many characters as expected, all of them among those known."""
    if len(codes) != expected:
        message = _("the position has {number} cells, expected {expected}")
        raise ValueError(message.format(number=len(codes), expected=expected))
    for character in codes:
        if character not in known:
            message = _("a cell is {value!r}, expected one of {choices}")
            raise ValueError(message.format(value=character, choices=" ".join(known)))


def rows_of(codes: str, columns: int) -> list[str]:
    """The characters row by row."""
    return [codes[start : start + columns] for start in range(0, len(codes), columns)]
