"""The parts that a sandbox shows of programs installed outside the system's folders: by venv, conda, pyenv, nvm etc.

An installation is the folder that holds the program's `bin`. Only its parts listed here are shown: a user's ~/.local,
for example, holds data beside the programs.
"""

import contextlib
import functools
import os
import shutil
import site
import sys
from collections.abc import Iterable
from pathlib import Path

# The names of folders of programs in an installation, and of the entries of an installation that are shown.
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
    """Return the paths to show for a command that runs in `folder`.

    These are the parts of the installations of the programs that argv names and of this Python. search: the PATH. All
    paths are given in both forms: as they are written, and with links resolved. The result is cached.
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
    """Return the paths of the programs that the first line of a script names; [] if the file is no script.

    Only the interpreter counts, and what `env` looks up on PATH, `search`. Other words are chosen by the script, which
    could name any program in order to see what is installed beside it.
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
    """Return the paths to show for a program: its own, and the parts of its installation.

    If it is a link, the same for each program that it leads to.
    """
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
    """Return the existing parts of the installation in the folder `prefix`; [] for the root folder."""
    found = [os.path.join(prefix, name) for name in OF_AN_INSTALLATION]
    return [path for path in found if os.path.exists(path)] if prefix != os.sep else []


@functools.cache
def user_packages() -> tuple[str, ...]:
    """Return the folders of the Python packages that the user has installed with `pip install --user`."""
    library = os.path.join(site.getuserbase(), "lib")
    return tuple(str(path) for path in Path(library).glob("python3*"))


def user_base() -> dict[str, str]:
    """Return {"PYTHONUSERBASE": folder}, with which Python finds user_packages() though a sandbox has another home.

    Return {} if there are none.
    """
    return {"PYTHONUSERBASE": site.getuserbase()} if user_packages() else {}
