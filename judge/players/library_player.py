"""`lib:PATH.so`: a strategy library of the course as a player, in a separate process."""

import mmap
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from judge import files
from judge.language import _
from judge.players.launch import PlayerError
from judge.players.versions import CHECKOUT
from judge.processes.start import Launch

PREFIX = "lib:"
SUFFIX = ".so"
FUNCTIONS = ("getPoint", "clearPoint")
LARGEST_BYTES = 10**9


def libraries_in(folder: str | Path) -> list[str]:
    """Return `lib:PATH` for each strategy library in a folder, in natural order: 2.so before 10.so.

    Raises OSError if the folder cannot be read.
    """
    paths: Iterable[Path] = [path for path in Path(folder).iterdir() if path.suffix == SUFFIX]
    return [f"{PREFIX}{path}" for path in sorted(paths, key=_natural_order)]


def _natural_order(path: Path) -> tuple[bool, int, str]:
    """Return a key that sorts files whose names are numbers by these numbers, and before all others."""
    return (not path.stem.isdecimal(), int(path.stem) if path.stem.isdecimal() else 0, path.name)


def prepare(path: Path, variables: Mapping[str, str] | None = None) -> Launch:
    """Return the Launch of our host with the strategy library `path`; `variables` are environment variables to add.

    The library is not loaded, as its constructors would run here: judge/play/start_trial.py loads it in a sandbox.
    Raises PlayerError if the file does not exist, cannot be read, is no shared object, or lacks a name in FUNCTIONS.
    """
    if not path.is_file():
        raise PlayerError(_("strategy library {path!r}: there is no such file").format(path=str(path)))
    try:
        files.require_file(path, LARGEST_BYTES)
        _require_functions(path)
    except (OSError, ValueError) as error:  # ValueError: the file is empty
        message = _("strategy library {path!r} cannot be read: {error}")
        raise PlayerError(message.format(path=str(path), error=error)) from error
    argv = (sys.executable, "-m", "protocol.strategy_library", str(path.resolve()))
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), **(variables or {})}
    return Launch(argv, environment, str(CHECKOUT), keeps_prints_apart=True)


def _require_functions(path: Path) -> None:
    """Raise PlayerError if the file is no shared object, or does not contain the names of the two functions.

    The names are searched for in the whole file, where a null byte ends each of them. The file's table of symbols is
    not used, as it might be made to mislead. Raises OSError if the file cannot be read, ValueError if it is empty.
    """
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        is_object = content[:4] == b"\x7fELF"
        missing = [name for name in FUNCTIONS if content.find(name.encode() + b"\0") < 0]
    if not is_object:
        message = _("strategy library {path!r}: expected a shared object (ELF), as `g++ -shared` makes it")
        raise PlayerError(message.format(path=str(path)))
    if missing:
        message = _("strategy library {path!r} lacks the function {name}")
        raise PlayerError(message.format(path=str(path), name=missing[0]))
