"""The checkout that the judge runs from: where it lies and which version it is."""

import functools
import importlib.metadata
import subprocess
from pathlib import Path

from judge.players import content

DIRTY = "-dirty"
BOT_PACKAGES = ("bot", "protocol")
CHECKOUT = Path(__file__).resolve().parents[2]


@functools.cache
def own_version() -> str:
    """This checkout's revision as git describes it, with a hash of the bot where it has changed since; else the
    installed package's version.
    """
    if (CHECKOUT / ".git").exists():
        command = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--tags"]
        try:
            described = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
            return f"{described}+{_source_version()}" if described.endswith(DIRTY) else described
        except (OSError, subprocess.CalledProcessError):
            pass  # no git here, or no commit yet
    return package_version()


def _source_version() -> str:
    """The version of the bot's files as they are."""
    files = [file for package in BOT_PACKAGES for file in sorted((CHECKOUT / package).rglob("*"))]
    played = [file for file in files if file.suffix in (".py", ".bin") and file.is_file()]
    return content.digest((str(file.relative_to(CHECKOUT)), file) for file in played)[: content.DIGITS]


def package_version() -> str:
    """The installed package's version."""
    try:
        return importlib.metadata.version("dropfour")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
