"""The Launch of a player: the words of its command, its environment variables, its folder."""

import os
from dataclasses import dataclass, replace
from pathlib import Path


class PlayerError(Exception):
    """A player in the command line or the players file is invalid. str() says what was expected."""


class BadCommand(Exception):
    """A command line that cannot be split into words: it is empty, or has an open quote."""


@dataclass(frozen=True)
class Launch:
    """A command to start: its words, the environment variables to add, its folder (None: the judge's current one).

    `keeps_prints_apart` is true for our host of a strategy library, which sends only replies to stdout, and the
    library's prints to a separate pipe (protocol/strategy_library.py).
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None
    keeps_prints_apart: bool = False

    def filled(self, limit_s: float, seed: int) -> "Launch":
        """Return a copy with {limit} (seconds per move) and {seed} replaced in its words."""
        words = (word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in self.argv)
        return replace(self, argv=tuple(words))


def path_of(text: str) -> Path:
    """Return the path in a player's text; `~` is the home folder, as the shell leaves it alone behind src: or lib:."""
    return Path(text if os.path.exists(text) else os.path.expanduser(text))
