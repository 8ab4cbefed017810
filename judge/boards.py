"""Boards and seeds that follow from a match's seed alone, the same on every machine and version.

They are cut from hashes rather than drawn from a generator: board k needs no board before it.
"""

import hashlib
from dataclasses import dataclass

SMALLEST_SIDE = 9  # the wire's range
LARGEST_SIDE = 12
LARGEST_SEED = 2**31 - 1  # fits the signed 32 bits that other people's bots may read


@dataclass(frozen=True)
class Board:
    """An empty board: rows, cols and its forbidden (row, column), row 0 on top."""

    rows: int
    cols: int
    forbidden: tuple


def draw_board(seed, pair, rows=None, cols=None, forbidden=None):
    """The board of pair number `pair` (from 0) of the match with this seed.

    What is given replaces what would be drawn, and the board drawn is large enough for the forbidden
    cell given. Raises ValueError naming what is out of range.
    """
    least_rows, least_cols = (
        (SMALLEST_SIDE, SMALLEST_SIDE)
        if forbidden is None
        else (min(max(SMALLEST_SIDE, coordinate + 1), LARGEST_SIDE) for coordinate in forbidden)
    )
    if rows is None:
        rows = least_rows + _number(LARGEST_SIDE - least_rows + 1, "rows", seed, pair)
    if cols is None:
        cols = least_cols + _number(LARGEST_SIDE - least_cols + 1, "cols", seed, pair)
    for name, value in (("rows", rows), ("cols", cols)):
        if not SMALLEST_SIDE <= value <= LARGEST_SIDE:
            raise ValueError(f"{name} is {value}, expected {SMALLEST_SIDE}..{LARGEST_SIDE}")
    if forbidden is None:
        cell = _number(rows * cols, "forbidden", seed, pair)
        forbidden = divmod(cell, cols)
    if not (0 <= forbidden[0] < rows and 0 <= forbidden[1] < cols):
        raise ValueError(
            f"forbidden cell {forbidden[0]},{forbidden[1]} is off the board, "
            f"expected rows 0..{rows - 1} and columns 0..{cols - 1}"
        )
    return Board(rows, cols, tuple(forbidden))


def player_seed(seed, pair, side):
    """The seed for the player on this side ("A" or "B"), 0..2^31 - 1; the same in both games of a pair."""
    return _number(LARGEST_SEED + 1, "player", seed, pair, side)


def _number(bound, *parts):
    """A number below bound, as good as uniform and independent for different parts."""
    text = "/".join(["dropfour", *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big") % bound
