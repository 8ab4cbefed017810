"""Reports installed programs and packages as Facts: Python and its packages, the bot's engines, compilers, git.

If a program is missing, the Fact has the command of the system's package manager that installs it.
"""

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.language import recorded
from judge.machine.facts import Fact, State

# {package manager: the command with which it installs a package}.
INSTALL = {
    "apt": "apt install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "zypper": "zypper install",
    "apk": "apk add",
}
# {program: {package manager: package}}; with other managers the package has the program's name.
PACKAGE_NAMES = {
    "g++": {"dnf": "gcc-c++", "zypper": "gcc-c++", "pacman": "gcc"},
}
# Sentences that the bot's status command prints, marked here for the catalogs.
BOT_REASONS = (
    recorded("native engines are for Linux on x86-64"),
    recorded("numba is not installed (pip install 'dropfour[compile]' has it)"),
    recorded("no C compiler (cc, gcc or clang) to link with"),
    recorded("no nm (binutils) to check the result with"),
    recorded("git restores the file, scripts/train_reversi learns it anew"),
)
Which = Callable[[str], str | None]

STANDARD = "-std=c++17"  # the standard of C++ on the platform
UNKNOWN_VERSION = recorded("unknown version")


def how_to_get(program: str, which: Which = shutil.which, platform: str = sys.platform) -> str:
    """Return the command that installs a program, with sudo unless the user is root, or advice if none is known.

    which(program) returns a program's path or None, as shutil.which() does. `platform` is a name as in sys.platform.
    """
    if platform == "darwin":
        return "xcode-select --install"
    manager = next(filter(which, INSTALL), None)
    if manager is None:
        return recorded("install {program} with the system's package manager").format(program=program)
    prefix = "" if os.geteuid() == 0 else "sudo "
    return f"{prefix}{INSTALL[manager]} {PACKAGE_NAMES.get(program, {}).get(manager, program)}"


@dataclass(frozen=True)
class Requirement:
    """A Python package and the oldest version that works.

    The judge needs the package if `use` is "". Otherwise `use` says what the package is for: it is a recorded() message
    with the field {found}, which says what is installed.
    """

    name: str
    oldest: str
    use: str = ""


COMPILES = recorded("{found}; this package compiles the engines that did not come with dropfour")
# The same as in pyproject.toml; a test compares them.
REQUIREMENTS = (
    Requirement("msgspec", "0.22"),
    Requirement("numpy", "2.2"),
    Requirement("prompt_toolkit", "3.0"),
    Requirement("psutil", "7.0"),
    Requirement("rich", "14.0"),
    Requirement("scipy", "1.15"),
    *([Requirement("tomli", "2.0")] if sys.version_info < (3, 11) else []),
    Requirement("numba", "0.68", COMPILES),
    Requirement("llvmlite", "0.50", COMPILES),
    Requirement("argcomplete", "3.5", recorded("{found}; with this package the shell completes commands")),
)


def interpreter_fact() -> Fact:
    """Return the Fact that names the Python that runs, and its environment."""
    text = recorded("this program runs in {implementation} {version}, outside of a virtual environment")
    if sys.prefix != sys.base_prefix:
        text = recorded("this program runs in {implementation} {version}, in the virtual environment {folder}")
    implementation, version = platform.python_implementation(), platform.python_version()
    return Fact("Python", State.OK, text.format(implementation=implementation, version=version, folder=sys.prefix))


def installed_version(name: str) -> str | None:
    """Return the version of a Python package without importing it, or None if it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def package_facts(
    how_to_get: Callable[[str], str], version_of: Callable[[str], str | None] = installed_version
) -> list[Fact]:
    """Return a Fact for each of the required packages.

    how_to_get(name) returns the command that installs a package. version_of(name) returns the installed version, None
    if the package is not installed.
    """
    facts = []
    for requirement in REQUIREMENTS:
        name, oldest, use = requirement.name, requirement.oldest, requirement.use
        version = version_of(name)
        if version is not None and _numbers(version) >= _numbers(oldest):
            facts.append(Fact(name, State.OK, version))
            continue
        text = recorded("this package is not installed")
        if version is not None:
            text = recorded("version {found} is installed, {oldest} or newer is needed").format(
                found=version, oldest=oldest
            )
        if use:
            text = use.format(found=text)
        facts.append(Fact(name, State.WARNING if use else State.MISSING, text, how_to_get(name)))
    return facts


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version. They suffice to compare versions."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()


class NoStatus(Exception):
    """The bot's status command failed. The error's text is the reason."""


@dataclass(frozen=True)
class Engine:
    """The state of one game's engine, as a line of `python -m bot.backends.status` reports it.

    `kernels` is "native", "numba" (numba has compiled the engine) or "none" (the bot would compile while it plays).
    `engine` is the CPU level of the native engine, None if there is none. `reason` says why no better engine was
    chosen, `impossible` why no native engine can be built, None if one can be. `numba` says whether numba is installed.
    `cache` is the folder of compiled code. `data_fault` is what is wrong with the game's data files, "" if nothing is,
    None if there are no such files.
    """

    game: str
    kernels: str
    engine: str | None
    reason: str
    impossible: str | None
    numba: bool
    cache: str
    data_fault: str | None


def ask_bot(checkout: Path, python: str = sys.executable, environment: Mapping[str, str] = os.environ) -> list[Engine]:
    """Return an Engine for each game of the bot in a checkout. `python` is the interpreter that runs the bot.

    Raises NoStatus if the bot's status command fails.
    """
    paths = [str(checkout), *filter(None, [environment.get("PYTHONPATH")])]
    try:
        done = subprocess.run(
            [python, "-m", "bot.backends.status"],
            cwd=checkout,
            env={**environment, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoStatus(str(error)) from error
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        silent = recorded("`python -m bot.backends.status` ended with status {number}")
        raise NoStatus(lines[-1] if lines else silent.format(number=done.returncode))
    try:
        return [Engine(**json.loads(line)) for line in done.stdout.splitlines()]
    except (ValueError, TypeError) as error:
        raise NoStatus(
            recorded("the output of `python -m bot.backends.status` cannot be read: {error}").format(error=error)
        ) from error


def engine_facts(engines: list[Engine], level: str | None, compile_command: str) -> list[Fact]:
    """Return the Facts about each game's engine and data.

    `level` is the CPU's x86-64 level, None if unknown. The command `compile_command`, followed by the name of a game,
    prepares the game's best kernels.
    """
    facts = []
    for engine in engines:
        facts.append(_kernels_fact(engine, level, f"{compile_command} {engine.game}"))
        if engine.data_fault is not None:
            facts.append(_weights_fact(engine.game, engine.data_fault))
    return facts


def _kernels_fact(engine: Engine, level: str | None, command: str) -> Fact:
    """Return the Fact that says how fast a game's engine is: native code, numba, or neither.

    `level` is the CPU level for which this machine's native code should be built, None if it is not known. `command`
    builds the engine.
    """
    name, advice = (
        recorded("{game} engine").format(game=engine.game),
        recorded("build the engine with {command}").format(command=command),
    )
    no_native = recorded("no native engine can be built: {why}").format(why=engine.impossible)
    if engine.kernels == "native":
        text = recorded("the engine is native code for {level}").format(level=engine.engine)
        if level in (None, engine.engine):
            return Fact(name, State.OK, text)
        text = recorded("{found}, but this CPU can run {best}, which is faster ({why})").format(
            found=text, best=level, why=engine.reason
        )
    elif engine.kernels == "numba":
        text = recorded("no native code, but numba has compiled the engine: the bot starts half a second later")
    elif engine.numba:
        text = recorded(
            "the engine is not compiled yet: the bot compiles it during its game, and plays weaker until then"
        )
        no_native = recorded("compile the engine by numba with {command}; {why}").format(command=command, why=no_native)
    else:
        text = recorded("neither native code nor numba: the bot searches in plain Python and plays weaker")
        return Fact(name, State.WARNING, text, recorded("install numba: its own line above says how"))
    return Fact(name, State.WARNING, text, advice if engine.impossible is None else no_native)


def _weights_fact(game: str, fault: str) -> Fact:
    """Return the Fact about the game's trained weights. `fault` is what is wrong with their file, "" if nothing is."""
    name = recorded("{game} weights").format(game=game)
    if not fault:
        return Fact(name, State.OK, recorded("the file of trained weights is complete"))
    reason, _, advice = fault.partition("; ")
    return Fact(
        name,
        State.MISSING,
        recorded("{why}: the bot would play {game} without its trained weights").format(why=reason, game=game),
        advice,
    )


def output_of(command: Sequence[str], input: str = "") -> str | None:
    """Run a program with `input` as its stdin. Return its stdout and stderr, or None if it fails or takes 20 s."""
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
    try:
        return subprocess.run(command, input=input, text=True, timeout=20, check=True, **options).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def version_of(path: str) -> str:
    """Return the version that the program `path` prints for --version, or "" if it prints none."""
    match = re.search(r"\d+\.\d+(?:\.\d+)*", (output_of([path, "--version"]) or "").partition("\n")[0])
    return match[0] if match else ""


def cpp_fact(how_to_get: Callable[[str], str], which: Which = shutil.which) -> Fact:
    """Return the Fact that says whether g++ compiles src: players with the platform's standard of C++.

    how_to_get(program) returns the command that installs a program. which(program) returns a program's path or None.
    """
    path = which("g++")
    fact = _program_fact(
        "g++", path, recorded("g++ is not installed; players src:FOLDER are built with g++"), how_to_get("g++")
    )
    # The trial includes a header of the standard library, because some systems have them in a separate package.
    trial = "#include <vector>\nint main() { if (std::vector<int> v; v.empty()) return 0; }\n"
    if path is None or output_of([path, STANDARD, "-fsyntax-only", "-x", "c++", "-"], trial) is not None:
        return fact
    text = recorded(
        "this g++ ({version}) cannot compile a program of two lines with {standard}, with which "
        "players src:FOLDER are compiled"
    )
    text = text.format(version=version_of(path) or UNKNOWN_VERSION, standard=STANDARD)
    return Fact("g++", State.WARNING, text, how_to_get("g++"))


def git_fact(checkout: Path, how_to_get: Callable[[str], str], which: Which = shutil.which, refusal: str = "") -> Fact:
    """Return the Fact about git and the checkout. For `how_to_get` and `which` see cpp_fact().

    `refusal` says why git finds no commit in the checkout, "" if it finds one.
    """
    path = which("git")
    fact = _program_fact(
        "git", path, recorded("git is not installed; players bot@REVISION are checked out with git"), how_to_get("git")
    )
    if path is None:
        return fact
    if not (checkout / ".git").exists():
        text = recorded("{folder} is not a git repository, so players bot@REVISION do not work (git: {git})")
        advice = recorded("run dropfour from a git clone")
    elif refusal:
        text = recorded("git refuses to read {folder}, so players bot@REVISION do not work: {reason} (git: {git})")
        advice = recorded("do what git's message says; until then the bot's version is a hash of its files")
    else:
        return fact
    return Fact("git", State.WARNING, text.format(git=fact.text, folder=checkout, reason=refusal), advice)


def sandbox_fact(
    program: str | None, why_not: str, how_to_get: Callable[[str], str], which: Which = shutil.which
) -> Fact:
    """Return the Fact about bubblewrap. For `how_to_get` and `which` see cpp_fact().

    `program` is the path of bubblewrap, None if it does not work. `why_not` is then the reason, a recorded() message.
    """
    if program is None:
        advice = (
            recorded("docs/sandbox.md explains what may forbid sandboxes")
            if which("bwrap")
            else how_to_get("bubblewrap")
        )
        text = recorded("{reason}; without a sandbox bots can reach each other, the judge and your files").format(
            reason=why_not
        )
        return Fact("bubblewrap", State.WARNING, text, advice)
    text = recorded("each bot plays in a sandbox of {path} ({version})")
    return Fact("bubblewrap", State.OK, text.format(version=version_of(program) or UNKNOWN_VERSION, path=program))


def _program_fact(name: str, path: str | None, text_if_missing: str, advice: str) -> Fact:
    """Return the Fact that gives the version of the program `path`, or says that the program is missing."""
    if path is None:
        return Fact(name, State.WARNING, text_if_missing, advice)
    return Fact(name, State.OK, f"{version_of(path)}, {path}".removeprefix(", "))
