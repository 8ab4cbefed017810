"""What a sandbox shows of the installations of programs outside the system's folders: venv, conda, pyenv, nvm etc.

An installation is the folder that holds the program's `bin`. Its own parts are shown, no others: in a user's ~/.local
there are data beside the programs.
"""

import contextlib
import functools
import os
import shutil
import site
import sys
from collections.abc import Iterable
from pathlib import Path

# The folders of programs in an installation, and what of an installation is shown: its own files, no user's data.
OF_PROGRAMS = ("bin", "sbin", "shims")
OF_AN_INSTALLATION = (
    *("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "pyvenv.cfg", "conda-meta"),
    *("shims", "versions", "plugins", "version", "pyenv.d", "conf", "jmods", "release", "jre", "pkg", "src"),
)
PYTHONS = ("python3", "python")
SCRIPT, SCRIPT_BYTES = b"#!", 256
MOST_LINKS = 10


@functools.lru_cache(maxsize=64)
def installations(argv: tuple[str, ...], folder: str, search: str | None) -> tuple[str, ...]:
    """Return what is shown for a command in a folder: of the installations of its programs, and of this Python.

    search: the PATH. The result is cached, with all paths in both forms: as they are written, and with links resolved.
    """
    programs = [sys.executable]
    for word in (*argv, *PYTHONS):
        with contextlib.suppress(ValueError):  # a null byte
            path = os.path.join(folder, word) if os.sep in word else shutil.which(word, path=search)
            if path and os.path.isfile(path):
                programs += [path, *_interpreter(path, search)]
    found = [path for program in dict.fromkeys(programs) for path in _installation(program)]
    found += [path for prefix in (sys.prefix, sys.base_prefix) for path in _parts(prefix)]
    return in_both_forms([*found, *user_packages()])


def in_both_forms(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the absolute paths, each as it is written and with links resolved, without repetitions."""
    return tuple(dict.fromkeys(form for path in paths for form in (os.path.abspath(path), os.path.realpath(path))))


def _interpreter(path: str, search: str | None) -> list[str]:
    """Return the programs that the first line of a script names: the first word, and behind `env` what is on PATH.

    Other words are the script's own, which could name any program to see what is installed beside it.
    """
    with contextlib.suppress(OSError), open(path, "rb") as file:
        beginning = file.read(SCRIPT_BYTES)
        if beginning.startswith(SCRIPT):
            words = os.fsdecode(beginning[len(SCRIPT) :].partition(b"\n")[0]).split()
            behind = words[1:3] if words and os.path.basename(words[0]) == "env" else []
            names = [*words[:1], *(word for word in behind if os.sep not in word)]
            return [found for word in names if (found := shutil.which(word, path=search))]
    return []


def _installation(path: str) -> tuple[str, ...]:
    """Return what is shown for a program: its installation, and those of the programs that it is a link to."""
    shown = [path]
    for _step in range(MOST_LINKS):
        folder = os.path.dirname(path)
        if os.path.basename(folder) in OF_PROGRAMS:
            shown += _parts(os.path.dirname(folder))
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))
        shown.append(path)
    return tuple(shown)


def _parts(prefix: str) -> list[str]:
    """Return the existing parts of an installation; what is below a user's home alone is looked for."""
    found = [os.path.join(prefix, name) for name in OF_AN_INSTALLATION]
    return [path for path in found if os.path.exists(path)] if prefix != os.sep else []


@functools.cache
def user_packages() -> tuple[str, ...]:
    """Return the folders of Python's packages that the user has installed for itself."""
    library = os.path.join(site.getuserbase(), "lib")
    return tuple(str(path) for path in Path(library).glob("python3*"))


def user_base() -> dict[str, str]:
    """Return the environment variable with which Python finds them, as the home is another one in a sandbox."""
    return {"PYTHONUSERBASE": site.getuserbase()} if user_packages() else {}
