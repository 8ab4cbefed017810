"""Reports installed programs and packages as Facts: Python and its packages, the bot's engines, compilers, git.

If a program is missing, the Fact has the command of the system's package manager that installs it.
"""

import importlib.metadata
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.facts import Fact, Processor, State

OS_RELEASE = (Path("/etc/os-release"), Path("/usr/lib/os-release"))  # the first that exists counts: os-release(5)
# {ID, or a word of ID_LIKE, in os-release(5): package manager}.
MANAGERS = {
    "debian": "apt",
    "ubuntu": "apt",
    "fedora": "dnf",
    "rhel": "dnf",
    "centos": "dnf",
    "arch": "pacman",
    "suse": "zypper",
    "opensuse": "zypper",
    "alpine": "apk",
}
INSTALL = {
    "apt": "apt install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "zypper": "zypper install",
    "apk": "apk add",
}
# {program: {package manager: package}}; with other managers the package has the program's name.
NAMES = {
    "g++": {"dnf": "gcc-c++", "zypper": "gcc-c++", "pacman": "gcc"},
    "gcc": {"apk": "build-base"},
    "nm": dict.fromkeys(INSTALL, "binutils"),
    "python3": {"apt": "python3 python3-venv", "pacman": "python"},
}
ON_MACOS = "xcode-select --install"
OLDEST = (3, 10)
PYTHON = recorded("{implementation} {version}, {bits} bit, {place}")
READS_PLAYERS = recorded("{found}; players files are read with it")
COMPILES = recorded("{found}; engines that did not come with the package are compiled with it")
MODULE = "bot.backends.status"
BOT_PATIENCE_S = 60.0
STATUS = recorded("status {number}")
OF_THE_BOT = (
    recorded("native engines are for Linux on x86-64"),
    recorded("numba is not installed (pip install 'dropfour[compile]' has it)"),
    recorded("no C compiler (cc, gcc or clang) to link with"),
    recorded("no nm (binutils) to check the result with"),
    recorded("git restores the file, scripts/train_reversi learns it anew"),
)
Which = Callable[[str], str | None]

C_COMPILERS = ("cc", "gcc", "clang")
TOOL_PATIENCE_S = 20.0  # a compiler on a cold disk takes a second or two
STANDARD = "-std=c++17"  # the standard of C++ on the platform
UNKNOWN_VERSION = recorded("of an unknown version")
# Includes a header of the standard library, because some systems have the headers in a separate package.
TRIAL = "#include <vector>\nint main() { if (std::vector<int> v; v.empty()) return 0; }\n"


def how_to_get(
    program: str,
    os_release: tuple[Path, ...] = OS_RELEASE,
    platform: str = sys.platform,
    is_root: bool | None = None,
) -> str:
    """Return the command that installs a program, with sudo unless the user is root.

    `os_release` are the files that describe the system, see OS_RELEASE. `platform` is a name as in sys.platform. An
    `is_root` of None asks the system.
    """
    if platform == "darwin":
        return ON_MACOS
    manager = _manager(os_release)
    if manager is None:
        return recorded("install {program} with the system's package manager").format(program=program)
    package = NAMES.get(program, {}).get(manager, program)
    prefix = "" if (os.geteuid() == 0 if is_root is None else is_root) else "sudo "
    return f"{prefix}{INSTALL[manager]} {package}"


def _manager(os_release: tuple[Path, ...]) -> str | None:
    """Return the name of the system's package manager, None for an unknown system."""
    facts = _read(os_release)
    families = [facts.get("ID", ""), *facts.get("ID_LIKE", "").split()]
    return next((MANAGERS[family] for family in families if family in MANAGERS), None)


def _read(os_release: tuple[Path, ...]) -> dict[str, str]:
    """Return {name: value} of the first of these files that can be read; {} if none can be read.

    The files are in the format of os-release(5).
    """
    for path in os_release:
        try:
            lines = path.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        pairs = [line.partition("=") for line in lines if "=" in line and not line.startswith("#")]
        return {name.strip(): _unquoted(value) for name, _, value in pairs}
    return {}


def _unquoted(value: str) -> str:
    try:
        return " ".join(shlex.split(value))
    except ValueError:  # an open quote
        return value.strip("\"'")


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter: the name of its implementation, its version, and its word size in `bits` (32 or 64).

    `environment` is the folder of its virtual environment, None if it has none.
    """

    implementation: str
    version: tuple[int, ...]
    bits: int
    environment: str | None


@dataclass(frozen=True)
class Requirement:
    """A Python package: the oldest version that works, and whether the judge needs the package.

    `lack` is the message about a missing or old package. It has a field {found}, and says what the package is used for.
    """

    name: str
    oldest: str
    is_needed: bool
    lack: str


# The same as in pyproject.toml; a test compares them.
REQUIREMENTS = (
    Requirement("msgspec", "0.22", True, recorded("{found}; the judge reads records with it")),
    Requirement("numpy", "2.2", True, recorded("{found}; tournaments rate their players with it")),
    Requirement("psutil", "7.0", True, recorded("{found}; the judge watches its players' processes with it")),
    Requirement("rich", "14.0", True, recorded("{found}; the judge prints its tables with it")),
    Requirement("scipy", "1.15", True, recorded("{found}; sprt and llr solve for the likelihood with it")),
    *([Requirement("tomli", "2.0", True, READS_PLAYERS)] if sys.version_info < (3, 11) else []),
    Requirement("numba", "0.68", False, COMPILES),
    Requirement("llvmlite", "0.50", False, COMPILES),
    Requirement("argcomplete", "3.5", False, recorded("{found}; the shell completes commands with it")),
)


def this_interpreter() -> Interpreter:
    """Return the running Interpreter."""
    is_virtual = sys.prefix != sys.base_prefix
    bits = 64 if sys.maxsize > 2**32 else 32
    return Interpreter(
        platform.python_implementation(), tuple(sys.version_info[:3]), bits, sys.prefix if is_virtual else None
    )


def interpreter_fact(interpreter: Interpreter, how_to_get_python: str) -> Fact:
    """Return the Fact that says whether this Python is suitable.

    `how_to_get_python` is the command that installs a suitable one.
    """
    version = ".".join(map(str, interpreter.version))
    folder = interpreter.environment
    place = recorded("environment {folder}").format(folder=folder) if folder else recorded("no virtual environment")
    text = PYTHON.format(implementation=interpreter.implementation, version=version, bits=interpreter.bits, place=place)
    if interpreter.version[: len(OLDEST)] < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return Fact(
            "Python",
            State.MISSING,
            recorded("{found}; {oldest} or newer is needed").format(found=text, oldest=oldest),
            how_to_get_python,
        )
    if interpreter.bits != 64:
        return Fact(
            "Python",
            State.WARNING,
            recorded("{found}: numba has no packages for it").format(found=text),
            how_to_get_python,
        )
    return Fact("Python", State.OK, text)


def installed_version(name: str) -> str | None:
    """Return the version of a Python package without importing it; None if it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def package_facts(
    how_to_get: Callable[[str], str],
    version_of: Callable[[str], str | None] = installed_version,
    requirements: Sequence[Requirement] = REQUIREMENTS,
) -> list[Fact]:
    """Return a Fact for each of the required packages.

    how_to_get(name) returns the command that installs a package. version_of(name) returns the installed version, None
    if the package is not installed.
    """
    facts = []
    for requirement in requirements:
        version = version_of(requirement.name)
        if version is not None and _numbers(version) >= _numbers(requirement.oldest):
            facts.append(Fact(requirement.name, State.OK, version))
            continue
        found = recorded("not installed")
        if version is not None:
            found = recorded("{found}, {oldest} or newer is needed").format(found=version, oldest=requirement.oldest)
        state = State.MISSING if requirement.is_needed else State.WARNING
        text = requirement.lack.format(found=found)
        facts.append(Fact(requirement.name, state, text, how_to_get(requirement.name)))
    return facts


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version. They suffice to compare versions."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


class NoStatus(Exception):
    """The bot's status command failed; str() is the reason."""


@dataclass(frozen=True)
class Engine:
    """The state of one game's engine, as a line of `python -m bot.backends.status` reports it.

    That module documents the fields.
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
            [python, "-m", MODULE],
            cwd=checkout,
            env={**environment, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=BOT_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoStatus(str(error)) from error
    if done.returncode:
        raise NoStatus((done.stderr.strip().splitlines() or [STATUS.format(number=done.returncode)])[-1])
    try:
        return [Engine(**json.loads(line)) for line in done.stdout.splitlines()]
    except (ValueError, TypeError) as error:
        raise NoStatus(recorded("its answer cannot be read: {error}").format(error=error)) from error


def engine_facts(engines: list[Engine], processor: Processor, compile_command: str) -> list[Fact]:
    """Return the Facts about each game's engine and data.

    The command `compile_command`, followed by the name of a game, prepares the game's best kernels.
    """
    facts = []
    for engine in engines:
        facts.append(_kernels(engine, processor, f"{compile_command} {engine.game}"))
        if engine.data_fault is not None:
            facts.append(_data(engine.game, engine.data_fault))
    return facts


def _kernels(engine: Engine, processor: Processor, command: str) -> Fact:
    name, advice = (
        recorded("{game} engine").format(game=engine.game),
        recorded("{command} builds it").format(command=command),
    )
    no_native = recorded("no native engine can be built: {why}").format(why=engine.impossible)
    if engine.kernels == "native":
        if processor.level in (None, engine.engine):
            return Fact(name, State.OK, recorded("native, for {level}").format(level=engine.engine))
        text = recorded("native, for {level}, and this CPU takes {best}, which is faster ({why})").format(
            level=engine.engine, best=processor.level, why=engine.reason
        )
        return Fact(name, State.WARNING, text, advice if engine.impossible is None else no_native)
    if engine.kernels == "numba":
        return Fact(
            name,
            State.WARNING,
            recorded("no native one, numba's cache is filled: the bot starts half a second later"),
            advice if engine.impossible is None else no_native,
        )
    if not engine.numba:
        return Fact(
            name,
            State.WARNING,
            recorded("none, and nothing to compile one with: the bot plays by a small search"),
            recorded("install numba, see above"),
        )
    if engine.impossible is not None:
        advice = recorded("{command} fills numba's cache; {why}").format(command=command, why=no_native)
    return Fact(
        name,
        State.WARNING,
        recorded("none: the bot compiles while it plays, and plays by a small search until then"),
        advice,
    )


def _data(game: str, fault: str) -> Fact:
    name = recorded("{game} weights").format(game=game)
    if not fault:
        return Fact(name, State.OK, recorded("there and whole"))
    reason, _, advice = fault.partition("; ")
    return Fact(
        name,
        State.MISSING,
        recorded("{why}: the bot would play {game} without what it has learnt").format(why=reason, game=game),
        advice,
    )


def output_of(command: Sequence[str], input: str = "") -> tuple[int | None, str]:
    """Run a program with `input` as its stdin. Return (its exit status, its stdout and stderr).

    Return (None, the error) if the program cannot start, or does not end within TOOL_PATIENCE_S.
    """
    try:
        done = subprocess.run(
            command,
            input=input,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TOOL_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    return done.returncode, done.stdout


def version_of(path: str) -> str:
    """Return the version that the program `path` prints for --version, "" if it prints none."""
    status, text = output_of([path, "--version"])
    first_line = (text.splitlines() or [""])[0]
    found = re.search(r"\d+\.\d+(?:\.\d+)*", first_line)
    return found[0] if status == 0 and found else ""


def linking_facts(
    how_to_get: Callable[[str], str], which: Which = shutil.which, environment: Mapping[str, str] = os.environ
) -> list[Fact]:
    """Return the Facts about a C compiler and nm, with which native engines are linked and checked.

    how_to_get(program) returns the command that installs a program. which(program) returns a program's path or None, as
    shutil.which() does.
    """
    wanted = environment.get("CC")
    names = (wanted, *C_COMPILERS[1:]) if wanted else C_COMPILERS
    compiler = next(filter(None, map(which, names)), None)
    return [
        _fact(
            recorded("C compiler"),
            compiler,
            recorded("none of {names} is installed; native engines of the bot are linked with it").format(
                names=", ".join(names)
            ),
            how_to_get("gcc"),
        ),
        _fact(
            "nm",
            which("nm"),
            recorded("not installed; native engines and src: players are checked with it"),
            how_to_get("nm"),
        ),
    ]


def cpp_fact(how_to_get: Callable[[str], str], which: Which = shutil.which) -> Fact:
    """Return the Fact that says whether g++ compiles src: players with the platform's standard of C++.

    For the arguments see linking_facts().
    """
    path = which("g++")
    if path is None:
        return Fact("g++", State.WARNING, recorded("not installed; src: players are built with it"), how_to_get("g++"))
    version = version_of(path) or UNKNOWN_VERSION
    status, _output = output_of([path, STANDARD, "-fsyntax-only", "-x", "c++", "-"], TRIAL)
    if status != 0:
        return Fact(
            "g++",
            State.WARNING,
            recorded("{version}, fails with {standard} on a program of two lines; src: players are built so").format(
                version=version, standard=STANDARD
            ),
            how_to_get("g++"),
        )
    return Fact(
        "g++",
        State.OK,
        recorded("{version}, {path}, takes {standard}").format(version=version, path=path, standard=STANDARD),
    )


def git_fact(checkout: Path, how_to_get: Callable[[str], str], which: Which = shutil.which, refusal: str = "") -> Fact:
    """Return the Fact about git and the checkout. For `how_to_get` and `which` see linking_facts().

    `refusal` says why git finds no commit in the checkout, "" if it finds one.
    """
    path = which("git")
    fact = _fact("git", path, recorded("not installed; bot@REVISION is checked out with it"), how_to_get("git"))
    if path is None:
        return fact
    if not (checkout / ".git").exists():
        return Fact(
            "git",
            State.WARNING,
            recorded("{git}; {folder} is no repository, so there is no bot@REVISION").format(
                git=fact.text, folder=checkout
            ),
            recorded("run dropfour from a git clone"),
        )
    if refusal:
        told = recorded("{git}; it refuses {folder}, so there is no bot@REVISION: {reason}").format(
            git=fact.text, folder=checkout, reason=refusal
        )
        return Fact(
            "git",
            State.WARNING,
            told,
            recorded("see git's own message; the bot's version is a hash of its files until then"),
        )
    return fact


def sandbox_fact(
    program: str | None,
    why_not: str,
    how_to_get: Callable[[str], str],
    which: Which = shutil.which,
) -> Fact:
    """Return the Fact about bubblewrap. For `how_to_get` and `which` see linking_facts().

    `program` is the path of bubblewrap, None if it does not work. `why_not` is then the reason, a recorded() message.
    """
    if program is None:
        advice = (
            how_to_get("bubblewrap") if which("bwrap") is None else recorded("docs/sandbox.md says what forbids it")
        )
        return Fact(
            "bubblewrap",
            State.WARNING,
            recorded("{reason}; bots can reach each other, their judge and your files").format(reason=why_not),
            advice,
        )
    text = recorded("{version}, {path}: each bot plays in one").format(
        version=version_of(program) or UNKNOWN_VERSION, path=program
    )
    return Fact("bubblewrap", State.OK, text)


def _fact(name: str, path: str | None, otherwise: str, advice: str) -> Fact:
    if path is None:
        return Fact(name, State.WARNING, otherwise, advice)
    return Fact(name, State.OK, f"{version_of(path)}, {path}".removeprefix(", "))
