"""`lib:PATH.so`: a strategy library of the course as a player, in a separate process."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from judge.language import _
from judge.players.launch import Launch, PlayerError
from judge.players.versions import CHECKOUT

PREFIX = "lib:"
SUFFIX = ".so"
LOAD_LIMIT_S = 20.0


def in_folder(folder: str | Path) -> list[str]:
    """Return `lib:PATH` for each strategy library of a folder, in natural order: 2.so before 10.so."""
    paths: Iterable[Path] = [path for path in Path(folder).iterdir() if path.suffix == SUFFIX]
    return [f"{PREFIX}{path}" for path in sorted(paths, key=_natural_order)]


def _natural_order(path: Path) -> tuple[bool, int, str]:
    return (not path.stem.isdecimal(), int(path.stem) if path.stem.isdecimal() else 0, path.name)


def prepare(path: Path, variables: Mapping[str, str] | None = None) -> Launch:
    """Return the Launch of a strategy library, with these environment variables, after loading it once as a test.

    Raises PlayerError if the file does not exist or does not load.
    """
    if not path.is_file():
        raise PlayerError(_("strategy library {path!r}: there is no such file").format(path=str(path)))
    argv = (sys.executable, "-m", "protocol.strategy_library", str(path.resolve()))
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), **(variables or {})}
    launch = Launch(argv, environment, str(CHECKOUT), keeps_prints_apart=True)
    try:
        # Without input the host loads the library and ends. Files that the library writes are removed with the folder.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                argv,
                cwd=folder,
                env={**os.environ, **launch.environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LOAD_LIMIT_S,
                check=False,
            )
    except subprocess.TimeoutExpired:
        message = _("strategy library {path!r}: loading it takes over {limit:g} s")
        raise PlayerError(message.format(path=str(path), limit=LOAD_LIMIT_S)) from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise PlayerError(
            said[-1] if said else _("loading it ends with status {number}").format(number=done.returncode)
        )
    return launch
