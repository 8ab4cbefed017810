"""The Launch of a player: the arguments of its command, its environment variables, its folder."""

import os
from dataclasses import dataclass, replace
from pathlib import Path


class PlayerError(Exception):
    """A player in the command line or the players file is invalid. str() says what was expected."""


class BadCommand(Exception):
    """A command line that cannot be split into words: it is empty, or has an open quote."""


@dataclass(frozen=True)
class Launch:
    """A command to start: its arguments, the environment variables to add, its folder (None: the judge's current one).

    `only` are the names of the files in the folder that belong to the player, None for all of them: the folder of a
    player that is a single source file may hold anything else.

    `keeps_prints_apart` is true for our host of a strategy library, which sends only replies to stdout, and the
    library's prints to a separate pipe (protocol/strategy_library.py).
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None
    keeps_prints_apart: bool = False
    only: tuple[str, ...] | None = None

    def filled(self, limit_s: float, seed: int) -> "Launch":
        """Return a copy with {limit} and {seed} in its arguments replaced by limit_s (seconds per move) and seed."""
        words = (word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in self.argv)
        return replace(self, argv=tuple(words))


def path_of(text: str) -> Path:
    """Return the path that a player's text names. `~` means the home folder: a shell does not expand it behind src:."""
    return Path(text if os.path.exists(text) else os.path.expanduser(text))
