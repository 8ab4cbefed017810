"""The messages of reversi, independent of the wire, and their limits.

Axes: row 0 on top, column 0 left, 0-based. Player 0 has the black discs and moves first.
"""

from __future__ import annotations

from _operator import index

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.integers import Field, check_ranges
from protocol.value_types import ValueType

WIRE_SIZES = (4, 10)  # least and greatest board for Saiblo's replies of two digits; Saiblo uses 8


class Turn(ValueType):
    """Saiblo's request to move.

    `side` is the receiver, 0 or 1. `cells` is flat, `size` rows of `size` columns from the top: 0 for a disc of
    player 0, 1 for one of player 1, 2 for an empty cell.
    """

    side: int
    size: int
    cells: tuple[int, ...]


class RuleQuery(ValueType):
    """A bot's question to Saiblo's judge where `side` may move. Fields as in a Turn."""

    side: int
    size: int
    cells: tuple[int, ...]


class Reply(ValueType):
    """A bot's answer: the cell it plays. The referee checks legality."""

    row: int
    col: int


def checked_board(message: Turn | RuleQuery) -> tuple[int, tuple[int, ...]]:
    """Return (side, cells) of a Turn or RuleQuery as ints.

    Raises LocalProtocolError if it may not be sent: sizes and ranges are checked, the rules are not.
    """
    try:
        side, size, cells = message
        side, size, cells = index(side), index(size), tuple(map(index, cells))
        check_ranges((Field("side", 0, 1), Field("size", *WIRE_SIZES)), (side, size))
        check_ranges([Field("len(cells)", size * size, size * size)], [len(cells)])
        check_ranges([Field(f"cells[{cell}]", 0, 2) for cell in range(size * size)], cells)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send a {type(message).__name__}: {error}") from None
    return side, cells
