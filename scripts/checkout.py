"""The checkout that the scripts run from: where it lies, what git calls it, and what was done in it."""

import shlex
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def revision(*options):
    """What `git describe` with these options calls the checkout, "unknown" without git or a commit."""
    try:
        described = _git("describe", "--always", *options)
        return f"{described}-dirty" if _git("status", "--porcelain", "--untracked-files=no") else described
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words):
    # Without a lock on the index: a script that is killed would leave it to the user's next commit.
    command = ["git", "--no-optional-locks", "-C", str(CHECKOUT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def shown_command(script, words):
    """A script's command line for readers elsewhere: of a path from the root only its last part is kept."""
    return shlex.join([script, *(Path(word).name if word.startswith("/") else word for word in words)])
