"""The parts that a sandbox shows of programs installed outside the system's folders: by venv, conda, pyenv, nvm etc.

An installation is the folder that holds the program's `bin`. Only the parts of it that are listed here are shown, as it
may hold other data: a user's ~/.local, for example, holds data beside the programs.
"""

import contextlib
import functools
import os
import shutil
import site
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from judge.processes.folders import is_inside, with_folders_above

# The names of folders of programs in an installation, and of all entries of an installation that are shown.
PROGRAM_FOLDERS = ("bin", "sbin", "shims")
INSTALLATION_ENTRIES = (
    *("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "pyvenv.cfg", "conda-meta"),
    *("shims", "versions", "plugins", "version", "pyenv.d", "conf", "jmods", "release", "jre", "pkg", "src"),
)


@functools.lru_cache(maxsize=64)
def installations(argv: tuple[str, ...], folder: str, search: str | None, own: str | None = None) -> tuple[str, ...]:
    """Return the paths to show for a command that runs in `folder`.

    These are the parts of the installations of the programs that `argv` names, and of the Python that runs the judge.
    `search` is the value of PATH, None for the default. Each path is returned in both forms: as it is written, and with
    links resolved. `own` is the player's own folder, with links resolved, None if it has none. A link in that folder
    counts only if it is the program that is started, like the python of a virtual environment: other links could lead
    anywhere. The result is cached.
    """
    programs = [sys.executable]
    program_index = _program_index(argv)
    for number, word in enumerate((*argv, "python3", "python")):
        with contextlib.suppress(ValueError):  # a null byte
            path = os.path.join(folder, word) if os.sep in word else shutil.which(word, path=search)
            if path and os.path.isfile(path) and (number == program_index or not leads_out(path, own)):
                programs += [path, *_interpreter_paths(path, search)]
    paths = [path for program in dict.fromkeys(programs) for path in _installation_paths(program)]
    paths += [path for prefix in (sys.prefix, sys.base_prefix) for path in _existing_parts(prefix)]
    # Links below `own` are not resolved here: the target of the program's own link is among the paths already. A path
    # lies below `own` if it does so once the links in the names of its folders are resolved.
    places = [os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) for path in paths]
    resolved = [os.path.realpath(place) for place in places if own is None or not is_inside(place, own)]
    return tuple(dict.fromkeys((*map(os.path.abspath, paths), *resolved, *in_both_forms(user_packages()))))


def _program_index(argv: Sequence[str]) -> int:
    """Return the index of the program in `argv`: 0, or the index of the program that `env` starts."""
    if os.path.basename(argv[0]) != "env":
        return 0
    return next((number for number, word in enumerate(argv) if number and "=" not in word and word[:1] != "-"), 0)


def leads_out(path: str, own: str | None) -> bool:
    """Return whether a path leads by a link in the folder `own` to a place outside; False if `own` is None."""
    return (
        own is not None
        and not is_inside(os.path.realpath(path), own)
        and any(is_inside(os.path.realpath(place), own) for place in with_folders_above(os.path.abspath(path)))
    )


def in_both_forms(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the absolute paths, each as it is written and with links resolved, without repetitions."""
    return tuple(dict.fromkeys(form for path in paths for form in (os.path.abspath(path), os.path.realpath(path))))


def _interpreter_paths(path: str, search: str | None) -> list[str]:
    """Return the paths of the programs that run the script `path`; [] if the file is no script.

    These are the interpreter in its first line, and a program that `env` looks up on PATH, whose value is `search`.
    Other words of the line do not count: a script could name any program in order to see what is installed beside it.
    """
    with contextlib.suppress(OSError), open(path, "rb") as file:
        beginning = file.read(256)
        if beginning.startswith(b"#!"):
            words = os.fsdecode(beginning[2:].partition(b"\n")[0]).split()
            for_env = words[1:3] if words and os.path.basename(words[0]) == "env" else []
            names = [*words[:1], *(word for word in for_env if os.sep not in word)]
            return [program for name in names if (program := shutil.which(name, path=search))]
    return []


def _installation_paths(path: str) -> tuple[str, ...]:
    """Return the paths to show for the program `path`: its own path, and the parts of its installation.

    If the program is a link, the paths of each program to which the link leads are added.
    """
    shown = [path]
    for _step in range(10):  # links may lead in a circle
        folder = os.path.dirname(path)
        if os.path.basename(folder) in PROGRAM_FOLDERS:
            shown += _existing_parts(os.path.dirname(folder))
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))
        shown.append(path)
    return tuple(shown)


def _existing_parts(prefix: str) -> list[str]:
    """Return the existing parts of the installation in the folder `prefix`; [] for the root folder."""
    paths = [os.path.join(prefix, name) for name in INSTALLATION_ENTRIES]
    return [path for path in paths if os.path.exists(path)] if prefix != os.sep else []


@functools.cache
def user_packages() -> tuple[str, ...]:
    """Return the folders of the Python packages that the user has installed with `pip install --user`."""
    library = os.path.join(site.getuserbase(), "lib")
    return tuple(str(path) for path in Path(library).glob("python3*"))


def user_base_variables() -> dict[str, str]:
    """Return the variable {"PYTHONUSERBASE": folder}, by which Python finds user_packages() in a sandbox.

    A sandbox has another home. Return {} if the user has installed no packages.
    """
    return {"PYTHONUSERBASE": site.getuserbase()} if user_packages() else {}
