"""The Python that runs the judge, and the packages that it finds."""

import importlib.metadata
import platform
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.language import recorded
from judge.machine.fact import Fact, State

OLDEST = (3, 10)
# What is said, as JSON has it.
ENVIRONMENT, NO_ENVIRONMENT = recorded("environment {folder}"), recorded("no virtual environment")
PYTHON = recorded("{implementation} {version}, {bits} bit, {place}")
TOO_OLD = recorded("{found}; {oldest} or newer is needed")
NO_PACKAGES = recorded("{found}: numba has no packages for it")
NOT_INSTALLED, OLD_PACKAGE = recorded("not installed"), recorded("{found}, {oldest} or newer is needed")
READS_PLAYERS = recorded("{found}; players files are read with it")
COMPILES = recorded("{found}; engines that did not come with the package are compiled with it")


@dataclass(frozen=True)
class Interpreter:
    """A Python: its version, its bits, the environment it runs in (None: none of its own)."""

    implementation: str
    version: tuple[int, ...]
    bits: int
    environment: str | None


@dataclass(frozen=True)
class Requirement:
    """A package: the oldest version that serves, and whether the judge cannot do without it.

    `lack` says what it is for behind what was found of it.
    """

    name: str
    oldest: str
    is_needed: bool
    lack: str


# As pyproject.toml has them; a test compares.
REQUIREMENTS = (
    Requirement("psutil", "7.0", True, recorded("{found}; the judge watches its players' processes with it")),
    Requirement("rich", "14.0", True, recorded("{found}; the judge prints its tables with it")),
    Requirement("scipy", "1.15", True, recorded("{found}; sprt and llr solve for the likelihood with it")),
    *([Requirement("tomli", "2.0", True, READS_PLAYERS)] if sys.version_info < (3, 11) else []),
    Requirement("numba", "0.68", False, COMPILES),
    Requirement("llvmlite", "0.50", False, COMPILES),
    Requirement("numpy", "2.2", False, COMPILES),
    Requirement("argcomplete", "3.5", False, recorded("{found}; the shell completes commands with it")),
)


def this_interpreter() -> Interpreter:
    """The Interpreter that runs this."""
    is_virtual = sys.prefix != sys.base_prefix
    bits = 64 if sys.maxsize > 2**32 else 32
    return Interpreter(
        platform.python_implementation(), tuple(sys.version_info[:3]), bits, sys.prefix if is_virtual else None
    )


def interpreter_fact(interpreter: Interpreter, how_to_get_python: str) -> Fact:
    """Whether that Python serves."""
    version = ".".join(map(str, interpreter.version))
    folder = interpreter.environment
    place = ENVIRONMENT.format(folder=folder) if folder else NO_ENVIRONMENT
    text = PYTHON.format(implementation=interpreter.implementation, version=version, bits=interpreter.bits, place=place)
    if interpreter.version[: len(OLDEST)] < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return Fact("Python", State.MISSING, TOO_OLD.format(found=text, oldest=oldest), how_to_get_python)
    if interpreter.bits != 64:
        return Fact("Python", State.WARNING, NO_PACKAGES.format(found=text), how_to_get_python)
    return Fact("Python", State.OK, text)


def installed_version(name: str) -> str | None:
    """The version of a package that this Python finds, None where it finds none; it is not imported."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def package_facts(
    how_to_get: Callable[[str], str],
    version_of: Callable[[str], str | None] = installed_version,
    requirements: Sequence[Requirement] = REQUIREMENTS,
) -> list[Fact]:
    """A Fact for each package; how_to_get(name) says what installs it."""
    facts = []
    for requirement in requirements:
        version = version_of(requirement.name)
        if version is not None and _numbers(version) >= _numbers(requirement.oldest):
            facts.append(Fact(requirement.name, State.OK, version))
            continue
        found = NOT_INSTALLED
        if version is not None:
            found = OLD_PACKAGE.format(found=version, oldest=requirement.oldest)
        state = State.MISSING if requirement.is_needed else State.WARNING
        text = requirement.lack.format(found=found)
        facts.append(Fact(requirement.name, state, text, how_to_get(requirement.name)))
    return facts


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, which order it well enough."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
