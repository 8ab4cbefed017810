"""From what the command line calls a player to the command that starts it.

A player is one of
    NAME                                 of the players file (see players_file)
    bot[@REVISION][:PRESET] [OPTIONS]    this repository's bot (see own_bot)
    lib:PATH.so                          a strategy library of the course
    any command                          run as given, {limit} and {seed} replaced
"""

import dataclasses
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from judge.games import DEFAULT_GAME
from judge.players import own_bot, players_file
from judge.players.checkout import CHECKOUT, own_version
from judge.players.launch import BadCommand, Launch, PlayerError

__all__ = ["OWN_BOT", "BadCommand", "Contestant", "PlayerError", "contestant", "contestants", "own_version"]

OWN_BOT = own_bot.OWN_BOT
LIBRARY = "lib:"
LIBRARY_SUFFIX = ".so"
LOAD_LIMIT_S = 20.0


@dataclasses.dataclass(frozen=True)
class Contestant:
    """A player: `command` tells it from others, `wire` is one that its game's codec takes.

    `prepared` is what starts it; without it, `command` is a command line.
    """

    name: str
    command: str
    version: str | None = None
    wire: str = "saiblo"
    prepared: Launch | None = None

    def launch(self, limit_s: float, seed: int) -> Launch:
        """How to start it for a game with this limit (seconds per move) and seed.

        Raises BadCommand if the command line is empty or wrongly quoted.
        """
        return (self.prepared or _command_line(self.command)).filled(limit_s, seed)


def contestants(
    texts: Iterable[str], players_path: str | Path | None = None, game: str = DEFAULT_GAME
) -> list[Contestant]:
    """The players of this game that the command line's words stand for.

    players_path is the players file; None takes players.toml of the current folder where there is one. Raises
    PlayerError naming what is wrong with the first that is none.
    """
    named = players_file.read(players_path)
    return [contestant(text, named, game) for text in texts]


def contestant(text: str, named: Mapping[str, str] | None = None, game: str = DEFAULT_GAME) -> Contestant:
    """The player that a command line's word or quoted command stands for; `named` is players_file.read()'s.

    Everything slow is done here, before the first game: checking out, compiling, trying to load.
    """
    if named and text in named:
        return dataclasses.replace(contestant(named[text], game=game), name=text)
    if own_bot.is_own_bot(text):
        launch, version = own_bot.prepare(text, game)
        return Contestant(text, text, version, prepared=launch)
    if text.startswith(LIBRARY):
        if game != DEFAULT_GAME:
            raise PlayerError(f"player {text!r}: strategy libraries play {DEFAULT_GAME}, and the game is {game}")
        path = Path(text.removeprefix(LIBRARY))
        return Contestant(path.name, text, prepared=_library(path))
    return Contestant(_short_name(text), text)


def libraries_in(folder: str | Path) -> list[str]:
    """The strategy libraries of a folder as players' texts, in natural order: 2.so before 10.so."""
    paths = [path for path in Path(folder).iterdir() if path.suffix == LIBRARY_SUFFIX]
    return [f"{LIBRARY}{path}" for path in sorted(paths, key=_natural_order)]


def _natural_order(path: Path) -> tuple[bool, int, str]:
    return (not path.stem.isdecimal(), int(path.stem) if path.stem.isdecimal() else 0, path.name)


def _library(path: Path) -> Launch:
    """The Launch of a strategy library. Raises PlayerError if it is not there or cannot be loaded."""
    if not path.is_file():
        raise PlayerError(f"strategy library {str(path)!r}: there is no such file")
    argv = (sys.executable, "-m", "protocol.strategy_library", str(path.resolve()))
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    launch = Launch(argv, {"PYTHONPATH": os.pathsep.join(paths)}, str(CHECKOUT))
    variables = {**os.environ, **launch.environment}
    try:  # without input it loads the library and ends
        done = subprocess.run(
            argv,
            cwd=launch.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LOAD_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PlayerError(f"strategy library {str(path)!r}: loading it takes over {LOAD_LIMIT_S:g} s") from None
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"loading it ends with status {done.returncode}"]
        raise PlayerError(reason[0])
    return launch


def _command_line(command: str) -> Launch:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadCommand(f"{command!r}: {error}") from error
    if not words:
        raise BadCommand("the command is empty, expected a program and its arguments")
    return Launch(tuple(words), {}, None)


def _short_name(command: str) -> str:
    """The program's file name, or the script's where the program is an interpreter."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    names = [os.path.basename(word) for word in words if not word.startswith("-")]
    if len(names) > 1 and names[0].startswith(("python", "pypy", "node", "java", "sh", "bash", "env")):
        return names[1]
    return names[0] if names else command
