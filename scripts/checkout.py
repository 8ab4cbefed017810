"""The checkout that the scripts run from: where it lies, what git calls it, and what was done in it."""

import shlex
import subprocess
from pathlib import Path

from judge.players.versions import CHECKOUT, DIRTY, git

__all__ = ["CHECKOUT", "revision", "shown_command"]


def revision(*options):
    """What `git describe` with these options calls the checkout, "unknown" without git or a commit."""
    try:
        described = git(CHECKOUT, "describe", "--always", *options)
        return described + DIRTY if git(CHECKOUT, "status", "--porcelain", "--untracked-files=no") else described
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def shown_command(script, words):
    """A script's command line for readers elsewhere: of a path from the root only its last part is kept."""
    return shlex.join([script, *(Path(word).name if word.startswith("/") else word for word in words)])
