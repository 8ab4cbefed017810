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
    """A command to start: its arguments, the environment variables to add, and the folder in which it runs.

    A `folder` of None means the judge's current folder. `only` are the names of the files in the folder that belong to
    the player, None for all files: the folder of a player that is a single source file may hold unrelated files.
    `keeps_prints_apart` is True for our host of a strategy library, which sends only replies to stdout, and the
    library's prints to a separate pipe (protocol/strategy_library.py).
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None
    keeps_prints_apart: bool = False
    only: tuple[str, ...] | None = None

    def filled(self, limit_s: float, seed: int) -> "Launch":
        """Return a copy whose arguments have `limit_s` (seconds per move) and `seed` in place of {limit} and {seed}."""
        words = (word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in self.argv)
        return replace(self, argv=tuple(words))


def path_of(text: str) -> Path:
    """Return the path that a player's text names, with the home folder in place of `~`.

    A shell does not expand a `~` behind src:.
    """
    return Path(text if os.path.exists(text) else os.path.expanduser(text))
