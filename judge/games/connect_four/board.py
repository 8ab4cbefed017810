"""Connect four's empty boards: drawn from a seed, wished for on the command line, read from a record."""

import argparse
from dataclasses import dataclass
from typing import Any

from judge.games.boards import BoardOption, number_below
from judge.games.positions import Cell

SMALLEST_SIDE = 9  # the wire's range
LARGEST_SIDE = 12


@dataclass(frozen=True)
class Board:
    """An empty board: rows, cols and its forbidden (row, column) or None, row 0 on top."""

    rows: int
    cols: int
    forbidden: Cell | None

    def as_json(self) -> dict[str, Any]:
        """The board as a record holds it."""
        forbidden = None if self.forbidden is None else list(self.forbidden)
        return {"rows": self.rows, "cols": self.cols, "forbidden": forbidden}

    def in_words(self) -> str:
        """The board in a few words."""
        size = f"{self.rows} rows x {self.cols} columns"
        if self.forbidden is None:
            return f"{size}, no forbidden cell"
        row, column = self.forbidden
        return f"{size}, forbidden cell {row},{column}"


def read_board(content: dict[str, Any]) -> Board:
    """The Board of a record's JSON object. Raises ValueError naming what is wrong with it."""
    if set(content) != {"rows", "cols", "forbidden"}:
        raise ValueError(f"board has {', '.join(content) or 'nothing'}, expected rows, cols, forbidden")
    forbidden = content["forbidden"]
    for name in ("rows", "cols"):
        if type(content[name]) is not int:
            raise ValueError(f"board: {name} is {content[name]!r}, expected an integer")
    if forbidden is not None:
        if not isinstance(forbidden, list) or [type(part) for part in forbidden] != [int, int]:
            raise ValueError(f"board: forbidden is {forbidden!r}, expected null or [row, column]")
        forbidden = tuple(forbidden)
    return Board(content["rows"], content["cols"], forbidden)


def draw_board(
    seed: int, pair: int, rows: int | None = None, cols: int | None = None, forbidden: Cell | None = None
) -> Board:
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
        rows = least_rows + number_below(LARGEST_SIDE - least_rows + 1, "rows", seed, pair)
    if cols is None:
        cols = least_cols + number_below(LARGEST_SIDE - least_cols + 1, "cols", seed, pair)
    for name, value in (("rows", rows), ("cols", cols)):
        if not SMALLEST_SIDE <= value <= LARGEST_SIDE:
            raise ValueError(f"{name} is {value}, expected {SMALLEST_SIDE}..{LARGEST_SIDE}")
    if forbidden is None:
        cell = number_below(rows * cols, "forbidden", seed, pair)
        forbidden = divmod(cell, cols)
    if not (0 <= forbidden[0] < rows and 0 <= forbidden[1] < cols):
        raise ValueError(
            f"forbidden cell {forbidden[0]},{forbidden[1]} is off the board, "
            f"expected rows 0..{rows - 1} and columns 0..{cols - 1}"
        )
    return Board(rows, cols, (forbidden[0], forbidden[1]))


def complete_wishes(wishes: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """The options of a run's boards as they hold for it, here those given: the rest is drawn for each board."""
    return wishes


def _cell(text: str) -> Cell:
    """A cell "row,column", both from 0; whether it is on the board is checked with the size."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isascii() and part.strip().isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a cell, expected ROW,COLUMN counted from 0")
    return int(parts[0]), int(parts[1])


OPTIONS = (
    BoardOption("--rows", {"type": int, "metavar": "R", "help": "9..12 (default: drawn from the seed)"}, True),
    BoardOption("--cols", {"type": int, "metavar": "C", "help": "9..12 (default: drawn from the seed)"}, True),
    BoardOption(
        "--forbidden",
        {"type": _cell, "metavar": "R,C", "help": "row and column from 0 (default: drawn)"},
        True,
    ),
)
