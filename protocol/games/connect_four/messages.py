"""Connect four's messages, independent of the wire, and their limits.

Axes: row 0 on top, column 0 left, 0-based.
"""

from __future__ import annotations

from _operator import index

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.integers import Field, check_ranges
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WIRE_SIZES = (9, 12)  # least and greatest number of rows, and of columns


class Opening(ValueType):
    """The first message of a game: the board's size and its forbidden cell (row, col)."""

    rows: int
    cols: int
    forbidden: tuple[int, int]


class Turn(ValueType):
    """A request to move.

    `last` is the opponent's previous cell (row, col), None on an empty board. `tops[col]` is the row of the
    highest cell reached in a column, forbidden cell included: `rows` when empty, 0 when full. `board` is flat,
    row by row from the top: 0 empty or forbidden, 1 the opponent's, 2 the receiver's.
    """

    last: tuple[int, int] | None
    tops: tuple[int, ...]
    board: tuple[int, ...]


class Reply(ValueType):
    """A bot's answer: the cell it plays. The wire allows any integers; the referee checks legality."""

    row: int
    col: int


class _GameOver:
    """The type of GAME_OVER, the only message without content."""

    def __repr__(self) -> str:
        return "GAME_OVER"


GAME_OVER = _GameOver()

OPENING_FIELDS = (
    Field("rows", *WIRE_SIZES),
    Field("cols", *WIRE_SIZES),
    Field("noX", 0, WIRE_SIZES[1] - 1),
    Field("noY", 0, WIRE_SIZES[1] - 1),
)


def last_fields(rows: int, cols: int) -> tuple[Field, ...]:
    """Return the fields of the opponent's previous cell."""
    return (Field("lastX", -1, rows - 1), Field("lastY", -1, cols - 1))


def top_fields(rows: int, cols: int) -> tuple[Field, ...]:
    """Return one field per column."""
    return tuple(Field(f"top[{col}]", 0, rows) for col in range(cols))


def board_fields(rows: int, cols: int) -> tuple[Field, ...]:
    """Return one field per cell, row by row from the top."""
    return tuple(Field(f"board[{cell}]", 0, 2) for cell in range(rows * cols))


def opening_from(numbers: Iterable[int]) -> Opening:
    """Return an Opening from rows, cols, noX, noY, each within OPENING_FIELDS.

    Raises RemoteProtocolError if the forbidden cell is off the board.
    """
    rows, cols, forbidden_row, forbidden_col = numbers
    check_ranges((Field("noX", 0, rows - 1), Field("noY", 0, cols - 1)), (forbidden_row, forbidden_col))
    return Opening(rows, cols, (forbidden_row, forbidden_col))


def turn_from(last_row: int, last_col: int, tops: Iterable[int], board: Iterable[int]) -> Turn:
    """Return a Turn from numbers within their fields.

    Raises RemoteProtocolError if only one of `last_row` and `last_col` is -1.
    """
    if (last_row == -1) != (last_col == -1):
        raise RemoteProtocolError(field="lastX lastY", expected="a cell or -1 -1", received=f"{last_row} {last_col}")
    last = None if last_row == -1 else (last_row, last_col)
    return Turn(last, tuple(tops), tuple(board))


def check_opening(opening: Opening) -> None:
    """Raise LocalProtocolError unless `opening` may be sent."""
    try:
        rows, cols, (forbidden_row, forbidden_col) = opening
        numbers = tuple(map(index, (rows, cols, forbidden_row, forbidden_col)))
        check_ranges(OPENING_FIELDS, numbers)
        opening_from(numbers)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send {opening!r}: {error}") from None


def check_turn(turn: Turn) -> None:
    """Raise LocalProtocolError unless `turn` may be sent; check sizes and ranges, not the rules."""
    try:
        tops, board = tuple(map(index, turn.tops)), tuple(map(index, turn.board))
        last_row, last_col = map(index, last_numbers(turn))
        cols = len(tops)
        rows = len(board) // max(cols, 1)
        check_ranges(OPENING_FIELDS[:2], (rows, cols))
        check_ranges([Field("len(board)", rows * cols, rows * cols)], [len(board)])
        check_ranges(top_fields(rows, cols), tops)
        check_ranges(board_fields(rows, cols), board)
        check_ranges(last_fields(rows, cols), (last_row, last_col))
        turn_from(last_row, last_col, tops, board)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send a turn: {error}") from None


def last_numbers(turn: Turn) -> tuple[int, ...]:
    """Return the opponent's previous cell as the wire's two numbers, -1 -1 for none."""
    return (-1, -1) if turn.last is None else tuple(turn.last)
