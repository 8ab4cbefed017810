"""What players and their errors have in common."""

import os
from pathlib import Path


class PlayerError(Exception):
    """A player in the command line or the players file is invalid. str() says what was expected."""


class BadCommand(Exception):
    """A command line that cannot be split into words: it is empty, or has an open quote."""


def path_of(text: str) -> Path:
    """Return the path that a player's text names, with the home folder in place of `~`.

    A shell does not expand a `~` behind src:.
    """
    return Path(text if os.path.exists(text) else os.path.expanduser(text))
