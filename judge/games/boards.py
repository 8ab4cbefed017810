"""Derives numbers from a match's seed, the same on every machine and in every version. Describes board options.

The numbers come from hashes and not from a random generator, so that board k can be drawn without the boards before it.
"""

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from judge.language import _, marked

LARGEST_SEED = 2**31 - 1  # other people's bots may read a seed as a signed integer of 32 bits


class Board(Protocol):
    """The start of any game; as_json() is its form in records."""

    def as_json(self) -> dict[str, Any]: ...

    def in_words(self) -> str: ...


@dataclass(frozen=True)
class BoardOption:
    """A board option of one game: its `flag` on the command line, and its arguments for argparse.

    `settings` are argparse's "type" and "metavar"; help() returns its description in the reader's language. Other games
    may have an option with the same flag. The other fields are for forms on web pages. `title` is the marked() name of
    the option. `bounds` are the (least, most) values of an integer, over all boards. `choices` lists all allowed texts
    if there are few; otherwise a text has an `example`. `default` is the value for a single game, None if the value is
    drawn from the seed.
    """

    flag: str
    title: str
    settings: dict[str, Any]
    help: Callable[[], str]
    bounds: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()
    example: str = ""
    default: int | str | None = None

    @property
    def name(self) -> str:
        """The name of the parameter of the game's draw_board() that takes this option's value."""
        return self.flag.removeprefix("--").replace("-", "_")

    def read(self, text: str) -> Any:
        """Return the value that `text`, as a user has typed it, stands for.

        Raise ValueError with a message for the user if the text is invalid.
        """
        convert = self.settings["type"]
        try:
            return convert(text)
        except argparse.ArgumentTypeError as error:
            raise ValueError(str(error)) from None
        except ValueError:
            fields = {"type": convert.__name__, "value": text}
            raise ValueError(_("invalid %(type)s value: %(value)r") % fields) from None


def check_keys(content: dict[str, Any], *expected: str) -> None:
    """Raise ValueError unless the board of a record has the `expected` keys and no others."""
    if set(content) != set(expected):
        message = _("the board has the keys [{keys}], expected [{expected}]")
        raise ValueError(message.format(keys=", ".join(content), expected=", ".join(expected)))


def is_list_of_texts(value: Any) -> bool:
    """Return whether `value` is a list of strings, as the opening in a record must be. The rules check its moves."""
    return type(value) is list and all(type(entry) is str for entry in value)


def opening_plies_option(help_text: Callable[[], str], most: int) -> BoardOption:
    """Return the option --opening-plies.

    `most` is the largest number of plies, on the largest board. help_text() returns the option's description.
    """
    settings = {"type": _plies, "metavar": "N"}
    title = marked("random moves before the game")
    return BoardOption("--opening-plies", title, settings, help_text, bounds=(0, most), default=0)


def _plies(text: str) -> int:
    """Return the number of plies that `text` names. Raises argparse.ArgumentTypeError if it names none."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(_("{text!r} is no number of plies, expected 0 or more").format(text=text))
    return int(text)


def player_seed(seed: int, pair: int, side: str) -> int:
    """Return the seed for the player on this side ("A" or "B"), from 0 to 2^31 - 1.

    `seed` is the seed of the match. The result is the same in both games of a pair.
    """
    return number_below(LARGEST_SEED + 1, "player", seed, pair, side)


def number_below(bound: int, *parts: object) -> int:
    """Return a number from 0 to bound - 1. It is a hash of `parts`, so it looks random but is the same each time."""
    text = "/".join(["dropfour", *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big") % bound
