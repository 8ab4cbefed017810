"""From what the command line calls a player to the command that starts it."""

import functools
import importlib.metadata
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
OWN_BOT = "bot"


class BadCommand(Exception):
    """A command line that cannot be taken apart: empty, or with an open quote."""


@dataclass(frozen=True)
class Launch:
    """A command ready to start: its words, the variables to add, its folder (None: the judge's own)."""

    argv: tuple
    environment: dict
    folder: str | None


@dataclass(frozen=True)
class Contestant:
    """A player: `command` as given on the command line, `wire` one of protocol.connect_four.WIRES."""

    name: str
    command: str
    version: str | None = None
    wire: str = "saiblo"

    def launch(self, limit_s, seed):
        """How to start it for a game with this limit (seconds per move) and seed.

        Raises BadCommand if the command line is empty or wrongly quoted.
        """
        if self.command == OWN_BOT:
            return _own_bot(limit_s, seed)
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise BadCommand(f"{self.command!r}: {error}") from error
        if not words:
            raise BadCommand("the command is empty, expected a program and its arguments")
        argv = [word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in words]
        return Launch(tuple(argv), {}, None)


def contestant(command):
    """The player that a command line's word or quoted command stands for."""
    if command == OWN_BOT:
        return Contestant(OWN_BOT, command, own_version())
    return Contestant(_short_name(command), command)


def _own_bot(limit_s, seed):
    argv = [sys.executable, "-m", "bot", "--info", "--limit", f"{limit_s:g}", "--seed", str(seed)]
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    # The folder matters beside PYTHONPATH: -m looks for "bot" in the current folder first.
    return Launch(tuple(argv), {"PYTHONPATH": os.pathsep.join(paths)}, str(CHECKOUT))


def _short_name(command):
    """The program's file name, or the script's where the program is an interpreter."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    names = [os.path.basename(word) for word in words if not word.startswith("-")]
    if len(names) > 1 and names[0].startswith(("python", "pypy", "node", "java", "sh", "bash", "env")):
        return names[1]
    return names[0] if names else command


@functools.cache
def own_version():
    """This checkout's revision as git describes it, else the installed package's version."""
    if (CHECKOUT / ".git").exists():
        command = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--tags"]
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pass  # no git here, or no commit yet
    try:
        return importlib.metadata.version("dropfour")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
