"""Versions of players: hashes of the files that determine how a player plays.

The judge's own version is the git revision of its checkout. Without git it is the version of the package with a hash of
the bot's files.
"""

import functools
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from judge.files import parts

DIGITS = 12  # the digits of a hash that are shown
LARGEST_FILE = 4 * 2**30  # bytes; hashing a file of this size takes a few seconds
DIRTY = "-dirty"
BOT_PACKAGES = ("bot", "protocol")
CACHE_VARIABLE = "DROPFOUR_CACHE_DIR"
CHECKOUT = Path(__file__).resolve().parents[2]


def cache_folder(checkout: Path = CHECKOUT) -> Path:
    """Return the folder for all that is compiled, built and checked out for `checkout`. The folder need not exist yet.

    It is DROPFOUR_CACHE_DIR if that is set, else the checkout's .cache if this user may write there, else the user's
    own cache folder, else a folder among the temporary files. bot/backends/sources.py chooses the folder of compiled
    kernels in the same way.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    is_checkout = (checkout / "pyproject.toml").exists() or (checkout / ".git").exists()
    if is_checkout and os.access(checkout, os.W_OK):
        return checkout / ".cache"
    for home in filter(None, (os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache"))):
        existing = home if os.path.isdir(home) else os.path.dirname(home) or "."
        if os.access(existing, os.W_OK):
            return Path(home, "dropfour")
    return Path(tempfile.gettempdir(), f"dropfour-{os.getuid()}")


def digest(files: Iterable[tuple[str, Path]], *words: str) -> str:
    """Return a hash (64 hexadecimal digits) of `words`, and of the names and contents of `files`.

    `files` has (name, path) pairs. Raises OSError if a path cannot be read, is larger than LARGEST_FILE, or is no file.
    """
    sha256 = hashlib.sha256()
    for word in words:
        _add_with_length(sha256, os.fsencode(word))
    for name, path in files:
        _add_with_length(sha256, os.fsencode(name))
        for part in parts(path, LARGEST_FILE):
            sha256.update(part)
    return sha256.hexdigest()


def _add_with_length(sha256: "hashlib._Hash", data: bytes) -> None:
    """Add the length of the data and the data to a hash, so that ("a", "bc") and ("ab", "c") differ."""
    sha256.update(len(data).to_bytes(8, "big"))
    sha256.update(data)


def version_of_files(paths: Sequence[Path]) -> str | None:
    """Return the version of a player that consists of these files, which is a hash; None if a file cannot be read."""
    try:
        return digest((path.name, path) for path in paths)[:DIGITS]
    except OSError:
        return None


def version_of_command(words: Sequence[str], folder: Path) -> str | None:
    """Return the version of a command: a hash of its program and of the files in `folder` that its arguments name.

    `words` are the program and its arguments. Return None if the program is not found. Files that a script imports or
    reads later do not count.
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
    """Return this checkout's revision as git describes it.

    If the checkout has changes, a hash of the bot's files is added. If git is absent, refuses the checkout or has no
    commit of it, return the package's version and that hash, so that copies of different bots never have the same
    version.
    """
    if (CHECKOUT / ".git").exists():
        try:
            described = git(CHECKOUT, "describe", "--always", "--tags")
            changed = git(CHECKOUT, "status", "--porcelain", "--untracked-files=no")
            return f"{described}{DIRTY}+{_source_version()}" if changed else described
        except (OSError, subprocess.CalledProcessError):
            pass
    return f"{package_version()}+{_source_version()}"


def why_no_revision(folder: Path) -> str:
    """Return git's message, on one line, on why it finds no commit in the folder.

    Return "" if git finds a commit or prints nothing.
    """
    try:
        git(folder, "rev-parse", "--verify", "HEAD")
    except subprocess.CalledProcessError as error:
        return " ".join(error.stderr.split())
    except OSError as error:
        return str(error)
    return ""


def git(folder: Path, *words: str) -> str:
    """Run git with the arguments `words` in `folder`, and return its stdout, stripped.

    Raises CalledProcessError with git's stderr if git fails, OSError if it cannot be run. git is told to take no
    optional locks: a judge that is killed would leave a lock, which would stop the user's next commit. `describe
    --dirty` takes a lock all the same.
    """
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _source_version() -> str:
    """Return a hash of the bot's files in their present state, as DIGITS hexadecimal digits."""
    files = [file for package in BOT_PACKAGES for file in sorted((CHECKOUT / package).rglob("*"))]
    sources = [file for file in files if file.suffix in (".py", ".bin") and file.is_file()]
    return digest((str(file.relative_to(CHECKOUT)), file) for file in sources)[:DIGITS]


def package_version() -> str:
    """Return the installed package's version, "unknown" if it is not installed."""
    try:
        return importlib.metadata.version("dropfour")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
