"""The checkout that the scripts run from: where it lies and what git calls it."""

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
