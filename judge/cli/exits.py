"""Exit statuses of commands, and the commands that they suggest to run next."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from judge import program
from judge.language import _
from judge.runs.interruption import INTERRUPTED_STATUS as INTERRUPTED_STATUS

if TYPE_CHECKING:
    from protocol.records.record import GameRecord

KEEP_GOING = "--keep-going"
USAGE_STATUS = 2
VOID_STATUS = 3
FAILING_STATUS = 4


def replay_command(path: Path, number: int | None) -> str:
    """Return the shell command that replays game `number` of the record file `path`, or its last game if None."""
    return f"{program.again()} replay {_game_arguments(path, number)}"


def view_command(path: Path) -> str:
    """Return the shell command that shows the record file `path` as a page in the browser."""
    return f"{program.again()} view {shlex.quote(str(path))} --open"


def repro_command(path: Path, number: int | None, side: str | None = None, ply: int | None = None) -> str:
    """Return the shell command that writes the bytes that a player was sent in game `number` of the record file `path`.

    If `number` is None, the command takes the file's last game. `side`, "A" or "B", is the player; if it is None, the
    command takes the player at fault. The bytes end with those for the turn of ply `ply`, or of the player's last turn
    if `ply` is None.
    """
    chosen = (f" --side {side}" if side else "") + (f" --ply {ply}" if ply else "")
    return f"{program.again()} repro {_game_arguments(path, number)}{chosen}"


def _game_arguments(path: Path, number: int | None) -> str:
    """Return the arguments of a shell command that choose game `number` of a record file, or its last game if None."""
    return shlex.quote(str(path)) + (f" --number {number}" if number else "")


def resume_hint(path: Path, *others: str) -> str:
    """Return the hint on how to continue an unfinished run. `path` is the run's record file.

    `others` are the options that are needed besides --record and --resume, such as KEEP_GOING after a player has failed
    repeatedly.
    """
    options = " ".join(["--record", shlex.quote(str(path)), "--resume", *others])
    return _("to continue, run the same command with {options}").format(options=options)


def exit_status(records: "Iterable[GameRecord]") -> int:
    """Return VOID_STATUS if one of the games is VOID, else 0."""
    return VOID_STATUS if any(not record.termination.counts for record in records) else 0
