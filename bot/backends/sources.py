"""The source files that machine code is made from, a hash of these files, and the folders where compiled code is kept.

Standard library only. The environment variable DROPFOUR_CACHE_DIR names another folder for compiled code.
"""

from __future__ import annotations

import hashlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import IO

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEPT_VERSIONS = 8
# The folder, in the package, of the engines that are shipped with it. It has one folder for each game.
PACKED_ENGINES = "engines"
_COMPILER = os.path.join("backends", "native_build.py")


def source_files(game: str) -> list[str]:
    """Returns a sorted list of the paths of all files that a game's kernels are made from or tested with.

    Paths are relative to the folder of the package bot.
    """
    found: list[str] = []
    for room in ("kernels", "search", os.path.join("games", game)):
        for folder, _, names in os.walk(os.path.join(PACKAGE, room)):
            place = os.path.relpath(folder, PACKAGE)
            found += [os.path.join(place, name) for name in names if name.endswith(".py")]
    return sorted(found)


def source_hash(game: str) -> str:
    """Returns hex digits that identify the machine code of a game's kernels.

    They do not depend on the sources' folder.
    """
    digest = hashlib.sha256()
    for path in source_files(game) + [_COMPILER]:
        with open(os.path.join(PACKAGE, path), "rb") as source:
            digest.update(path.encode() + b"\0" + source.read() + b"\0")
    digest.update(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())  # numba compiles other code for it
    return digest.hexdigest()[:16]


def entry_points(game: str) -> dict[str, int]:
    """Returns {name: number of integer arguments} of the functions with @entry_point in the game's kernels.py.

    The names are parsed from the source, because importing it would import numba.
    """
    import ast

    with open(os.path.join(PACKAGE, "games", game, "kernels.py"), encoding="utf-8") as source:
        functions = [node for node in ast.parse(source.read()).body if isinstance(node, ast.FunctionDef)]
    return {
        function.name: len(function.args.args)
        for function in functions
        if any(getattr(mark, "id", "") == "entry_point" for mark in function.decorator_list)
    }


def cache_root() -> str:
    """Returns the folder for all compiled code. It need not exist yet."""
    chosen = os.environ.get("DROPFOUR_CACHE_DIR")
    if chosen:
        return chosen
    checkout = os.path.dirname(PACKAGE)
    if os.path.exists(os.path.join(checkout, "pyproject.toml")) and os.access(checkout, os.W_OK):
        return os.path.join(checkout, ".cache", "kernels")
    for home in (os.environ.get("XDG_CACHE_HOME"), os.path.join(os.path.expanduser("~"), ".cache")):
        if home and os.access(home if os.path.isdir(home) else os.path.dirname(home) or ".", os.W_OK):
            return os.path.join(home, "dropfour")
    from tempfile import gettempdir

    return os.path.join(gettempdir(), f"dropfour-{os.getuid()}")


def native_folder(game: str) -> str:
    """Returns the folder for a game's native engines that are built from the sources as they are now."""
    return os.path.join(cache_root(), "native", f"{game}-{source_hash(game)}")


def engines_folder(game: str) -> str:
    """Returns the folder in which the bot looks for a game's native engines.

    If only the package's own folder of engines exists, it is that folder. Otherwise it is native_folder(game), where
    engines are built.
    """
    built, packed = native_folder(game), os.path.join(PACKAGE, PACKED_ENGINES, game)
    return packed if os.path.isdir(packed) and not os.path.isdir(built) else built


def drop_old_versions(current: Collection[str], marker: str) -> None:
    """Remove folders of old versions. A folder is complete if it holds a file named `marker`.

    `current` are the paths of the current version of every game. They and the folders beside them are all versions. The
    current ones, the newest KEPT_VERSIONS complete folders and all incomplete folders stay.
    """
    import shutil

    folders = [os.path.join(root, name) for root in set(map(os.path.dirname, current)) for name in os.listdir(root)]
    complete = [path for path in folders if os.path.exists(os.path.join(path, marker))]
    for path in sorted(complete, key=os.path.getmtime, reverse=True)[KEPT_VERSIONS:]:
        if path not in current:
            shutil.rmtree(path, ignore_errors=True)


def lock_exclusively(file: IO[str]) -> None:
    """Wait until this process has the lock of `file`.

    So if several processes find the cache empty, only one compiles.
    """
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX)
