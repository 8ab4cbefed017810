"""Derives numbers from a match's seed, the same on every machine and in every version; describes board options.

Numbers come from hashes instead of a random generator, so that board k can be drawn without the boards before it.
"""

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from judge.language import _

LARGEST_SEED = 2**31 - 1  # other people's bots may read a seed as a signed integer of 32 bits


class Board(Protocol):
    """The start of any game; as_json() is its form in records."""

    def as_json(self) -> dict[str, Any]: ...

    def in_words(self) -> str: ...


@dataclass(frozen=True)
class BoardOption:
    """A board option of one game: its `flag` on the command line, and its arguments for argparse.

    `settings` are argparse's "type" and "metavar"; help() returns its description in the reader's language. Other games
    may have an option with the same flag.

    For forms on web pages: `bounds` are the (least, most) values of an integer, over all boards; `choices` lists all
    allowed texts if there are few; `default` is the value for a single game, None if it is drawn from the seed.
    """

    flag: str
    settings: dict[str, Any]
    help: Callable[[], str]
    bounds: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()
    default: int | str | None = None

    @property
    def name(self) -> str:
        """The name of the option's parameter in the game's draw_board."""
        return self.flag.removeprefix("--").replace("-", "_")

    def read(self, text: str) -> Any:
        """Return the value that a typed text stands for. Raise ValueError with a message for the user."""
        convert = self.settings["type"]
        try:
            return convert(text)
        except argparse.ArgumentTypeError as error:
            raise ValueError(str(error)) from None
        except ValueError:
            found = {"type": convert.__name__, "value": text}
            raise ValueError(_("invalid %(type)s value: %(value)r") % found) from None


def check_keys(content: dict[str, Any], *expected: str) -> None:
    """Raise ValueError unless a board of a record has these keys, and no others."""
    if set(content) != set(expected):
        message = _("board has {keys}, expected {expected}")
        raise ValueError(message.format(keys=", ".join(content) or _("nothing"), expected=", ".join(expected)))


def is_list_of_texts(value: Any) -> bool:
    """Return whether the value is a list of strings, as a record's opening has to be; the rules check its moves."""
    return type(value) is list and all(type(entry) is str for entry in value)


def opening_plies_option(help_text: Callable[[], str], most: int) -> BoardOption:
    """Return the option --opening-plies; most: the largest number of plies, on the largest board."""
    settings = {"type": _plies, "metavar": "N"}
    return BoardOption("--opening-plies", settings, help_text, bounds=(0, most), default=0)


def _plies(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(_("{text!r} is no number of plies, expected 0 or more").format(text=text))
    return int(text)


def player_seed(seed: int, pair: int, side: str) -> int:
    """Return the seed for the player on this side ("A" or "B"), 0..2^31 - 1; it is the same in both games of a pair."""
    return number_below(LARGEST_SEED + 1, "player", seed, pair, side)


def number_below(bound: int, *parts: object) -> int:
    """Return a number in 0..bound - 1 made of a hash of the parts; it is as good as random, and the same each time."""
    text = "/".join(["dropfour", *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big") % bound
