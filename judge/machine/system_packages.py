"""The command that installs a program here, in the words of the system's own package manager."""

import os
import shlex
import sys
from pathlib import Path

from judge.language import recorded

OS_RELEASE = (Path("/etc/os-release"), Path("/usr/lib/os-release"))  # the first that is there counts: os-release(5)
# The manager of a family of systems, by ID or a word of ID_LIKE.
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
# What a program's package is called; where a manager is not named, as the program.
NAMES = {
    "g++": {"dnf": "gcc-c++", "zypper": "gcc-c++", "pacman": "gcc"},
    "gcc": {"apk": "build-base"},
    "nm": dict.fromkeys(INSTALL, "binutils"),
    "python3": {"apt": "python3 python3-venv", "pacman": "python"},
}
ON_MACOS = "xcode-select --install"
SOMEHOW = recorded("install {program} with the system's package manager")


def how_to_get(
    program: str,
    os_release: tuple[Path, ...] = OS_RELEASE,
    platform: str = sys.platform,
    is_root: bool | None = None,
) -> str:
    """The command that installs a program. platform: as sys has it; is_root: None asks the system."""
    if platform == "darwin":
        return ON_MACOS
    manager = _manager(os_release)
    if manager is None:
        return SOMEHOW.format(program=program)
    package = NAMES.get(program, {}).get(manager, program)
    prefix = "" if (os.geteuid() == 0 if is_root is None else is_root) else "sudo "
    return f"{prefix}{INSTALL[manager]} {package}"


def _manager(os_release: tuple[Path, ...]) -> str | None:
    """Name of the package manager, None for a system that is not known."""
    facts = _read(os_release)
    families = [facts.get("ID", ""), *facts.get("ID_LIKE", "").split()]
    return next((MANAGERS[family] for family in families if family in MANAGERS), None)


def _read(os_release: tuple[Path, ...]) -> dict[str, str]:
    """The names and values of os-release(5); {} where no file can be read."""
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
