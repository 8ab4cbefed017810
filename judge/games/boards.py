"""What follows from a match's seed alone, the same on every machine and version, and options of boards.

Numbers are cut from hashes rather than drawn from a generator: board k needs no board before it.
"""

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from judge.language import _

LARGEST_SEED = 2**31 - 1  # fits the signed 32 bits that other people's bots may read


class Board(Protocol):
    """What the start of every game has."""

    def as_json(self) -> dict[str, Any]: ...

    def in_words(self) -> str: ...


@dataclass(frozen=True)
class BoardOption:
    """An option of one game's boards: its `flag` on the command line, and what argparse has to know of it.

    `settings` are its "type" and "metavar"; help() says what it is for, in the reader's language. Other games may have
    an option of the same flag. One that is `for_one_game` is for `judge play`, not for commands that draw a
    board for each pair of games.

    For a form to fill in: an integer has `bounds`, (least, most), over all boards; `choices` are all texts that there
    are, where these are few; `default` holds for one game, None where it is drawn.
    """

    flag: str
    settings: dict[str, Any]
    help: Callable[[], str]
    for_one_game: bool = False
    bounds: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()
    default: int | str | None = None

    @property
    def name(self) -> str:
        """What the game's draw_board calls it."""
        return self.flag.removeprefix("--").replace("-", "_")

    def read(self, text: str) -> Any:
        """The value that a text stands for. Raises ValueError saying what is wrong with it."""
        convert = self.settings["type"]
        try:
            return convert(text)
        except argparse.ArgumentTypeError as error:
            raise ValueError(str(error)) from None
        except ValueError:
            found = {"type": convert.__name__, "value": text}
            raise ValueError(_("invalid %(type)s value: %(value)r") % found) from None


def is_list_of_texts(value: Any) -> bool:
    """Whether a record's opening may be one: what its moves are is for the rules to say."""
    return type(value) is list and all(type(entry) is str for entry in value)


def opening_plies_option(help_text: Callable[[], str], most: int) -> BoardOption:
    """--opening-plies, for games whose matches begin behind an opening, of so many plies on the largest board."""
    settings = {"type": _plies, "metavar": "N"}
    return BoardOption("--opening-plies", settings, help_text, bounds=(0, most), default=0)


def _plies(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(_("{text!r} is no number of plies, expected 0 or more").format(text=text))
    return int(text)


def player_seed(seed: int, pair: int, side: str) -> int:
    """The seed for the player on this side ("A" or "B"), 0..2^31 - 1; the same in both games of a pair."""
    return number_below(LARGEST_SEED + 1, "player", seed, pair, side)


def number_below(bound: int, *parts: object) -> int:
    """A number below bound, as good as uniform and independent for different parts."""
    text = "/".join(["dropfour", *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big") % bound
