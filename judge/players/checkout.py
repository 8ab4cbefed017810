"""The checkout that the judge runs from: where it lies and which version it is."""

import functools
import importlib.metadata
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


@functools.cache
def own_version() -> str:
    """This checkout's revision as git describes it, else the installed package's version."""
    if (CHECKOUT / ".git").exists():
        command = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--tags"]
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pass  # no git here, or no commit yet
    try:
        return importlib.metadata.version("dropfour")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
