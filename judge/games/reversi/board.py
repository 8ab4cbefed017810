"""Reversi's boards: a size and an opening, drawn from a seed or read from a record."""

import argparse
from dataclasses import dataclass
from typing import Any

from judge.games.boards import BoardOption, is_list_of_texts, number_below, opening_plies_option
from judge.games.reversi.rules import LARGEST_SIZE, SMALLEST_SIZE, Reversi
from judge.language import _

DEFAULT_SIZE = 8
DEFAULT_OPENING_PLIES = 8  # of matches: two bots that know no chance would play but one game


@dataclass(frozen=True)
class Board:
    """The start of a game: the size, and the moves ("d3", ...) made before the players are asked."""

    size: int
    opening: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The board as a record holds it."""
        return {"size": self.size, "opening": list(self.opening)}

    def in_words(self) -> str:
        """The board in a few words."""
        if not self.opening:
            return f"{self.size} x {self.size}"
        return _("{size} x {size} after {opening}").format(size=self.size, opening=" ".join(self.opening))


def read_board(content: dict[str, Any]) -> Board:
    """The Board of a record's JSON object. Raises ValueError naming what is wrong with it."""
    if set(content) != {"size", "opening"}:
        raise ValueError(
            _("board has {keys}, expected {expected}").format(
                keys=", ".join(content) or _("nothing"), expected="size, opening"
            )
        )
    size, opening = content["size"], content["opening"]
    if type(size) is not int or not is_list_of_texts(opening):
        message = _("board is {board!r}, expected a size and an opening, a list of moves")
        raise ValueError(message.format(board=content))
    return Board(size, tuple(opening))


def most_opening_plies(size: int) -> int:
    """How long an opening on a board of this size may be: half of the game."""
    return (size * size - 4) // 2


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """The options of a run's boards as they hold for it: those given, and for the others what they default to.

    Raises ValueError naming what does not fit.
    """
    size = given.get("size", DEFAULT_SIZE)
    usual = 0 if for_one_game else min(DEFAULT_OPENING_PLIES, most_opening_plies(size) // 2)
    plies = given.get("opening_plies", usual)
    if not 0 <= plies <= most_opening_plies(size):
        message = _("opening-plies is {plies}, expected 0..{most} for size {size}")
        raise ValueError(message.format(plies=plies, most=most_opening_plies(size), size=size))
    return {"size": size, "opening_plies": plies}


def draw_board(seed: int, pair: int, size: int, opening_plies: int) -> Board:
    """The board of pair number `pair` (from 0) of the match with this seed: random legal moves as its opening.

    Precondition: complete_board_options takes size and opening_plies.
    """
    attempt = 0
    while True:  # a game may be over early, though hardly ever
        position = Reversi(size)
        opening: list[str] = []
        while len(opening) < opening_plies and not position.over:
            legal = position.legal_moves()
            opening.append(legal[number_below(len(legal), "opening", seed, pair, attempt, len(opening))])
            position.play(opening[-1])
        if not position.over:
            return Board(size, tuple(opening))
        attempt += 1


def _size(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and SMALLEST_SIZE <= int(text) <= LARGEST_SIZE):
        message = _("{text!r} is no size, expected {least}..{most}")
        raise argparse.ArgumentTypeError(message.format(text=text, least=SMALLEST_SIZE, most=LARGEST_SIZE))
    return int(text)


def _help_on_size() -> str:
    return _("rows and columns, {least}..{most} (default: {default})").format(
        least=SMALLEST_SIZE, most=LARGEST_SIZE, default=DEFAULT_SIZE
    )


def _help_on_opening() -> str:
    return _(
        "let games begin after so many random moves, drawn from the seed, the same for both games of a pair "
        "(default: {default}, less on small boards; 0 for `play`)"
    ).format(default=DEFAULT_OPENING_PLIES)


OPTIONS = (
    BoardOption(
        "--size",
        {"type": _size, "metavar": "N"},
        _help_on_size,
        bounds=(SMALLEST_SIZE, LARGEST_SIZE),
        default=DEFAULT_SIZE,
    ),
    opening_plies_option(_help_on_opening, most_opening_plies(LARGEST_SIZE)),
)
