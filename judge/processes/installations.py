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

# The names of folders of programs in an installation, and of the entries of an installation that are shown.
OF_PROGRAMS = ("bin", "sbin", "shims")
OF_AN_INSTALLATION = (
    *("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "pyvenv.cfg", "conda-meta"),
    *("shims", "versions", "plugins", "version", "pyenv.d", "conf", "jmods", "release", "jre", "pkg", "src"),
)


@functools.lru_cache(maxsize=64)
def installations(argv: tuple[str, ...], folder: str, search: str | None, own: str | None = None) -> tuple[str, ...]:
    """Return the paths to show for a command that runs in `folder`.

    These are the parts of the installations of the programs that `argv` names, and of the Python that runs the judge.
    `search` is the value of PATH, None for the default. Each path is given in both forms: as it is written, and with
    links resolved. `own` is the player's own folder, with links resolved, if it has one: a link in it counts only if it
    is the program that is started, like the python of a virtual environment, as others could lead anywhere. The result
    is cached.
    """
    programs = [sys.executable]
    started = _started(argv)
    for number, word in enumerate((*argv, "python3", "python")):
        with contextlib.suppress(ValueError):  # a null byte
            path = os.path.join(folder, word) if os.sep in word else shutil.which(word, path=search)
            if path and os.path.isfile(path) and (number == started or not leads_out(path, own)):
                programs += [path, *_interpreter(path, search)]
    found = [path for program in dict.fromkeys(programs) for path in _installation(program)]
    found += [path for prefix in (sys.prefix, sys.base_prefix) for path in _parts(prefix)]
    # Of a link below `own` the program's own target is among these paths. What others there lead to is not shown.
    places = [os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) for path in found]
    resolved = [os.path.realpath(place) for place in places if own is None or not is_inside(place, own)]
    return tuple(dict.fromkeys((*map(os.path.abspath, found), *resolved, *in_both_forms(user_packages()))))


def _started(argv: Sequence[str]) -> int:
    """Return the number of the word that is the program: the first one, or the one that `env` starts."""
    if os.path.basename(argv[0]) != "env":
        return 0
    return next((number for number, word in enumerate(argv) if number and "=" not in word and word[:1] != "-"), 0)


def leads_out(path: str, own: str | None) -> bool:
    """Return whether a path goes through the folder `own` to a place outside."""
    return (
        own is not None
        and not is_inside(os.path.realpath(path), own)
        and any(is_inside(os.path.realpath(place), own) for place in with_folders_above(os.path.abspath(path)))
    )


def in_both_forms(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the absolute paths, each as it is written and with links resolved, without repetitions."""
    return tuple(dict.fromkeys(form for path in paths for form in (os.path.abspath(path), os.path.realpath(path))))


def _interpreter(path: str, search: str | None) -> list[str]:
    """Return the paths of the programs that the first line of a script names; [] if the file `path` is no script.

    Only the interpreter counts, and a program that `env` looks up on PATH, whose value is `search`. Other words are
    chosen by the script, which could name any program in order to see what is installed beside it.
    """
    with contextlib.suppress(OSError), open(path, "rb") as file:
        beginning = file.read(256)
        if beginning.startswith(b"#!"):
            words = os.fsdecode(beginning[2:].partition(b"\n")[0]).split()
            behind = words[1:3] if words and os.path.basename(words[0]) == "env" else []
            names = [*words[:1], *(word for word in behind if os.sep not in word)]
            return [found for word in names if (found := shutil.which(word, path=search))]
    return []


def _installation(path: str) -> tuple[str, ...]:
    """Return the paths to show for the program `path`: its own path, and the parts of its installation.

    If the program is a link, the paths of each program to which the link leads are added.
    """
    shown = [path]
    for _step in range(10):
        folder = os.path.dirname(path)
        if os.path.basename(folder) in OF_PROGRAMS:
            shown += _parts(os.path.dirname(folder))
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))
        shown.append(path)
    return tuple(shown)


def _parts(prefix: str) -> list[str]:
    """Return the existing parts of the installation in the folder `prefix`; [] for the root folder."""
    found = [os.path.join(prefix, name) for name in OF_AN_INSTALLATION]
    return [path for path in found if os.path.exists(path)] if prefix != os.sep else []


@functools.cache
def user_packages() -> tuple[str, ...]:
    """Return the folders of the Python packages that the user has installed with `pip install --user`."""
    library = os.path.join(site.getuserbase(), "lib")
    return tuple(str(path) for path in Path(library).glob("python3*"))


def user_base() -> dict[str, str]:
    """Return {"PYTHONUSERBASE": folder}, with which Python finds user_packages() although a sandbox has another home.

    Return {} if the user has installed no packages.
    """
    return {"PYTHONUSERBASE": site.getuserbase()} if user_packages() else {}
