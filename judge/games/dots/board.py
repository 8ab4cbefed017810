"""Dots and boxes' boards: a size and an opening, drawn from a seed or read from a record."""

import argparse
from dataclasses import dataclass
from typing import Any

from judge.games.boards import BoardOption, is_list_of_texts, number_below, opening_plies_option
from judge.games.dots.rules import LARGEST_SIDE, SMALLEST_SIDE, Dots
from judge.language import _

DEFAULT_SIZE = "5x5"
_SIDES = range(SMALLEST_SIDE, LARGEST_SIDE + 1)
SIZES = tuple(f"{rows}x{columns}" for rows in _SIDES for columns in _SIDES)
DEFAULT_OPENING_PLIES = 6  # of matches: two bots that know no chance would play but one game


@dataclass(frozen=True)
class Board:
    """The start of a game: rows and columns of boxes, and the edges ("AAB", ...) drawn before the players are asked."""

    rows: int
    columns: int
    opening: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The board as a record holds it."""
        return {"rows": self.rows, "columns": self.columns, "opening": list(self.opening)}

    def in_words(self) -> str:
        """The board in a few words."""
        if not self.opening:
            return _("{rows} x {columns} boxes").format(rows=self.rows, columns=self.columns)
        return _("{rows} x {columns} boxes after {opening}").format(
            rows=self.rows, columns=self.columns, opening=" ".join(self.opening)
        )


def read_board(content: dict[str, Any]) -> Board:
    """The Board of a record's JSON object. Raises ValueError naming what is wrong with it."""
    if set(content) != {"rows", "columns", "opening"}:
        raise ValueError(
            _("board has {keys}, expected {expected}").format(
                keys=", ".join(content) or _("nothing"), expected="rows, columns, opening"
            )
        )
    rows, columns, opening = content["rows"], content["columns"], content["opening"]
    if type(rows) is not int or type(columns) is not int or not is_list_of_texts(opening):
        message = _("board is {board!r}, expected rows, columns and an opening, a list of edges")
        raise ValueError(message.format(board=content))
    return Board(rows, columns, tuple(opening))


def most_opening_plies(rows: int, columns: int) -> int:
    """How long an opening of safe edges is possible whatever they are; an even number.

    Where no safe edge is left, every free one belongs to a box with two of its edges drawn. Such a box has but two free
    edges, and a drawn edge belongs to two boxes at most: at most two free edges for every drawn one. So with less
    than a third of the edges drawn there is a safe one.
    """
    edges = (rows + 1) * columns + rows * (columns + 1)
    return -(-edges // 3) // 2 * 2


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """The options of a run's boards as they hold for it: those given, and for the others what they default to.

    Raises ValueError naming what does not fit.
    """
    size = given.get("size", DEFAULT_SIZE)
    most = most_opening_plies(*sides_of(size))
    usual = 0 if for_one_game else min(DEFAULT_OPENING_PLIES, most // 4 * 2)
    plies = given.get("opening_plies", usual)
    if not 0 <= plies <= most or plies % 2:
        message = _("opening-plies is {plies}, expected an even number 0..{most} for size {size}")
        raise ValueError(message.format(plies=plies, most=most, size=size))
    return {"size": size, "opening_plies": plies}


def draw_board(seed: int, pair: int, size: str, opening_plies: int) -> Board:
    """The board of pair number `pair` (from 0) of the match with this seed: random safe edges as its opening.

    None of them gives a box its third edge, so that nothing is to be had when the game begins.
    Precondition: complete_board_options takes size, a text such as "5x5", and opening_plies.
    """
    position = Dots(*sides_of(size))
    while len(position.drawn) < opening_plies:
        safe = [edge for edge in position.legal_moves() if position.is_safe(edge)]
        position.play(safe[number_below(len(safe), "edges", seed, pair, len(position.drawn))])
    return Board(position.rows, position.columns, tuple(position.drawn))


def sides_of(size: str) -> tuple[int, int]:
    """(rows, columns) of a size written as RxC."""
    rows, columns = size.split("x")
    return int(rows), int(columns)


def _size(text: str) -> str:
    if text.lower() not in SIZES:
        message = _("{text!r} is no size, expected RxC boxes, each {least}..{most}")
        raise argparse.ArgumentTypeError(message.format(text=text, least=SMALLEST_SIDE, most=LARGEST_SIDE))
    return text.lower()


def _help_on_size() -> str:
    return _("rows and columns of boxes, {least}..{most} each (default: {default})").format(
        least=SMALLEST_SIDE, most=LARGEST_SIDE, default=DEFAULT_SIZE
    )


def _help_on_opening() -> str:
    return _(
        "let games begin after so many random edges, an even number, drawn from the seed, the same for both games of a "
        "pair; none lets a box be completed (default: {default}, less on small boards; 0 for `play`)"
    ).format(default=DEFAULT_OPENING_PLIES)


OPTIONS = (
    BoardOption("--size", {"type": _size, "metavar": "RxC"}, _help_on_size, choices=SIZES, default=DEFAULT_SIZE),
    opening_plies_option(_help_on_opening, most_opening_plies(LARGEST_SIDE, LARGEST_SIDE)),
)
