"""The checkout that the scripts run from: where it lies, what git calls it, and what was done in it."""

import shlex
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def revision(*options):
    """What `git describe` with these options calls the checkout, "unknown" without git or a commit."""
    command = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", *options]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def shown_command(script, words):
    """A script's command line for readers elsewhere: of a path from the root only its last part is kept."""
    return shlex.join([script, *(Path(word).name if word.startswith("/") else word for word in words)])
