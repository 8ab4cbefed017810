"""Connect four's empty boards: drawn from a seed, wished for on the command line, read from a record."""

import argparse
from dataclasses import dataclass
from typing import Any

from judge.games.boards import BoardOption, number_below
from judge.games.positions import Cell
from judge.language import _

SMALLEST_SIDE = 9  # the wire's range
LARGEST_SIDE = 12
SIDES = (SMALLEST_SIDE, LARGEST_SIDE)


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
        if self.forbidden is None:
            return _("{rows} rows x {cols} columns, no forbidden cell").format(rows=self.rows, cols=self.cols)
        row, column = self.forbidden
        return _("{rows} rows x {cols} columns, forbidden cell {row},{column}").format(
            rows=self.rows, cols=self.cols, row=row, column=column
        )


def read_board(content: dict[str, Any]) -> Board:
    """The Board of a record's JSON object. Raises ValueError naming what is wrong with it."""
    if set(content) != {"rows", "cols", "forbidden"}:
        raise ValueError(
            _("board has {keys}, expected {expected}").format(
                keys=", ".join(content) or _("nothing"), expected="rows, cols, forbidden"
            )
        )
    forbidden = content["forbidden"]
    for name in ("rows", "cols"):
        if type(content[name]) is not int:
            message = _("board: {name} is {value!r}, expected an integer")
            raise ValueError(message.format(name=name, value=content[name]))
    if forbidden is not None:
        if not isinstance(forbidden, list) or [type(part) for part in forbidden] != [int, int]:
            raise ValueError(_("board: forbidden is {value!r}, expected null or [row, column]").format(value=forbidden))
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
            raise ValueError(
                _("{name} is {value}, expected {least}..{most}").format(
                    name=name, value=value, least=SMALLEST_SIDE, most=LARGEST_SIDE
                )
            )
    if forbidden is None:
        cell = number_below(rows * cols, "forbidden", seed, pair)
        forbidden = divmod(cell, cols)
    if not (0 <= forbidden[0] < rows and 0 <= forbidden[1] < cols):
        message = _(
            "forbidden cell {row},{column} is off the board, expected rows 0..{last_row} and columns 0..{last_column}"
        )
        raise ValueError(message.format(row=forbidden[0], column=forbidden[1], last_row=rows - 1, last_column=cols - 1))
    return Board(rows, cols, (forbidden[0], forbidden[1]))


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """The options of a run's boards as they hold for it, here those given: the rest is drawn for each board."""
    return given


def _cell(text: str) -> Cell:
    """A cell "row,column", both from 0; whether it is on the board is checked with the size."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isascii() and part.strip().isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(
            _("{text!r} is not a cell, expected ROW,COLUMN counted from 0").format(text=text)
        )
    return int(parts[0]), int(parts[1])


def _help_on_sides() -> str:
    return _("{least}..{most} (default: drawn from the seed)").format(least=SMALLEST_SIDE, most=LARGEST_SIDE)


def _help_on_forbidden() -> str:
    return _("row and column from 0 (default: drawn)")


OPTIONS = (
    BoardOption("--rows", {"type": int, "metavar": "R"}, _help_on_sides, for_one_game=True, bounds=SIDES),
    BoardOption("--cols", {"type": int, "metavar": "C"}, _help_on_sides, for_one_game=True, bounds=SIDES),
    BoardOption("--forbidden", {"type": _cell, "metavar": "R,C"}, _help_on_forbidden, for_one_game=True),
)
