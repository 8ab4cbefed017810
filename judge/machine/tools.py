"""The programs that players are built and fetched with: compilers, nm, git."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from judge.language import recorded
from judge.machine.fact import Fact, State

Which = Callable[[str], str | None]

C_COMPILERS = ("cc", "gcc", "clang")
PATIENCE_S = 20.0  # a compiler on a cold disk takes a second or two
STANDARD = "-std=c++17"  # the platform's
# What is said, as JSON has it.
C_COMPILER = recorded("C compiler")
NO_COMPILER = recorded("none of {names} is installed; native engines of the bot are linked with it")
NO_NM = recorded("not installed; native engines and src: players are checked with it")
NO_CPP = recorded("not installed; src: players are built with it")
NO_GIT = recorded("not installed; bot@REVISION is checked out with it")
HAS_WALLS = recorded("{version}, {path}: each bot plays behind one")
NO_WALLS = recorded("{reason}; bots can reach each other, their judge and your files")
HOW_TO_ALLOW = recorded("docs/sandbox.md says what forbids it")
UNKNOWN_VERSION = recorded("of an unknown version")
FAILS = recorded("{version}, fails with {standard} on a program of two lines; src: players are built so")
TAKES = recorded("{version}, {path}, takes {standard}")
NO_REPOSITORY = recorded("{git}; {folder} is no repository, so there is no bot@REVISION")
RUN_FROM_CLONE = recorded("run dropfour from a git clone")
# Needs the library's headers too, which some systems keep in a package of their own.
TRIAL = "#include <vector>\nint main() { if (std::vector<int> v; v.empty()) return 0; }\n"


def output_of(command: Sequence[str], input: str = "") -> tuple[int | None, str]:
    """(exit status, what a program prints); the status is None where it cannot be started or does not end."""
    try:
        done = subprocess.run(
            command,
            input=input,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    return done.returncode, done.stdout


def version_of(path: str) -> str:
    """The version that a program tells on --version, "" where it tells none."""
    status, text = output_of([path, "--version"])
    first_line = (text.splitlines() or [""])[0]
    found = re.search(r"\d+\.\d+(?:\.\d+)*", first_line)
    return found[0] if status == 0 and found else ""


def linking_facts(
    how_to_get: Callable[[str], str], which: Which = shutil.which, environment: Mapping[str, str] = os.environ
) -> list[Fact]:
    """A C compiler and nm, with which native engines are linked and tested."""
    wanted = environment.get("CC")
    names = (wanted, *C_COMPILERS[1:]) if wanted else C_COMPILERS
    compiler = next(filter(None, map(which, names)), None)
    return [
        _fact(C_COMPILER, compiler, NO_COMPILER.format(names=", ".join(names)), how_to_get("gcc")),
        _fact("nm", which("nm"), NO_NM, how_to_get("nm")),
    ]


def cpp_fact(how_to_get: Callable[[str], str], which: Which = shutil.which) -> Fact:
    """g++ as the platform calls it, for src: players."""
    path = which("g++")
    if path is None:
        return Fact("g++", State.WARNING, NO_CPP, how_to_get("g++"))
    version = version_of(path) or UNKNOWN_VERSION
    status, _output = output_of([path, STANDARD, "-fsyntax-only", "-x", "c++", "-"], TRIAL)
    if status != 0:
        return Fact("g++", State.WARNING, FAILS.format(version=version, standard=STANDARD), how_to_get("g++"))
    return Fact("g++", State.OK, TAKES.format(version=version, path=path, standard=STANDARD))


def git_fact(checkout: Path, how_to_get: Callable[[str], str], which: Which = shutil.which) -> Fact:
    """git, and whether the program lies in a repository."""
    path = which("git")
    fact = _fact("git", path, NO_GIT, how_to_get("git"))
    if path is None or (checkout / ".git").exists():
        return fact
    return Fact("git", State.WARNING, NO_REPOSITORY.format(git=fact.text, folder=checkout), RUN_FROM_CLONE)


def walls_fact(
    program: str | None, why_not: str, how_to_get: Callable[[str], str], which: Which = shutil.which
) -> Fact:
    """bubblewrap, which puts bots behind walls: by its path, or why there are none."""
    if program is None:
        advice = how_to_get("bubblewrap") if which("bwrap") is None else HOW_TO_ALLOW
        return Fact("bubblewrap", State.WARNING, NO_WALLS.format(reason=why_not), advice)
    return Fact("bubblewrap", State.OK, HAS_WALLS.format(version=version_of(program) or UNKNOWN_VERSION, path=program))


def _fact(name: str, path: str | None, otherwise: str, advice: str) -> Fact:
    if path is None:
        return Fact(name, State.WARNING, otherwise, advice)
    return Fact(name, State.OK, f"{version_of(path)}, {path}".removeprefix(", "))
