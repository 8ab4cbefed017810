"""A player's version by its content: a hash of the files that decide how it plays.

The judge's own is that of the checkout that it runs from.
"""

import functools
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

DIGITS = 12  # of a hash, where people read it
DIRTY = "-dirty"
BOT_PACKAGES = ("bot", "protocol")
CHECKOUT = Path(__file__).resolve().parents[2]


def digest(files: Iterable[tuple[str, Path]], *words: str) -> str:
    """A hash, 64 hexadecimal digits, of files with the names they go by, and of words. Raises OSError."""
    found = hashlib.sha256()
    for word in words:
        _add(found, word.encode())
    for name, path in files:
        _add(found, name.encode())
        _add(found, path.read_bytes())
    return found.hexdigest()


def _add(found: "hashlib._Hash", data: bytes) -> None:
    found.update(len(data).to_bytes(8, "big"))
    found.update(data)


def version_of_files(paths: Sequence[Path]) -> str | None:
    """The version of a player that consists of these files; None where they cannot be read."""
    try:
        return digest((path.name, path) for path in paths)[:DIGITS]
    except OSError:
        return None


def version_of_command(words: Sequence[str], folder: Path) -> str | None:
    """The version of a command: of its program, and of the words that are files seen from its folder.

    None where the program is not found. What a script imports or reads later is not seen.
    """
    if not words:
        return None
    program = str(folder / words[0]) if os.sep in words[0] else shutil.which(words[0])
    if program is None or not os.path.isfile(program):
        return None
    files = [folder / word for word in words[1:] if not word.startswith("-") and os.path.isfile(folder / word)]
    return version_of_files([Path(program), *files])


@functools.cache
def own_version() -> str:
    """This checkout's revision as git describes it, with a hash of the bot where it has changed since; else the
    installed package's version.
    """
    if (CHECKOUT / ".git").exists():
        try:
            described = _git("describe", "--always", "--tags")
            changed = _git("status", "--porcelain", "--untracked-files=no")
            return f"{described}{DIRTY}+{_source_version()}" if changed else described
        except (OSError, subprocess.CalledProcessError):
            pass  # no git here, or no commit yet
    return package_version()


def _git(*words: str) -> str:
    # `describe --dirty` would write the index: a judge that is killed then leaves its lock to the user's next commit.
    command = ["git", "--no-optional-locks", "-C", str(CHECKOUT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _source_version() -> str:
    """The version of the bot's files as they are."""
    files = [file for package in BOT_PACKAGES for file in sorted((CHECKOUT / package).rglob("*"))]
    played = [file for file in files if file.suffix in (".py", ".bin") and file.is_file()]
    return digest((str(file.relative_to(CHECKOUT)), file) for file in played)[:DIGITS]


def package_version() -> str:
    """The installed package's version."""
    try:
        return importlib.metadata.version("dropfour")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
