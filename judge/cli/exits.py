"""Exit statuses of commands, and the commands that they suggest to run next."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from judge import program
from judge.language import _
from judge.runs.interruption import INTERRUPTED_STATUS as INTERRUPTED_STATUS
from judge.runs.record_file import numbers_in_file as numbers_in_file
from protocol.records.record import GameRecord, Termination

KEEP_GOING = "--keep-going"
USAGE_STATUS = 2
VOID_STATUS = 3
FAILING_STATUS = 4


def replay_command(path: Path, number: int | None) -> str:
    """Return the shell command that replays game `number` of a record file; None stands for its last game."""
    return f"{program.again()} replay {_game(path, number)}"


def view_command(path: Path) -> str:
    """Return the shell command that shows a record file as a page."""
    return f"{program.again()} view {shlex.quote(str(path))} --open"


def repro_command(path: Path, number: int | None, side: str | None = None, ply: int | None = None) -> str:
    """Return the shell command that writes the bytes that a player was sent in game `number` of a record file.

    `number` None stands for the file's last game. `side` is the player, "A" or "B"; None stands for the one at fault.
    `ply` is the ply up to whose turn the bytes are written; None stands for the player's last turn.
    """
    chosen = (f" --side {side}" if side else "") + (f" --ply {ply}" if ply else "")
    return f"{program.again()} repro {_game(path, number)}{chosen}"


def _game(path: Path, number: int | None) -> str:
    return shlex.quote(str(path)) + (f" --number {number}" if number else "")


def resume_hint(path: Path, more: str = "") -> str:
    """Return the hint on how to continue an unfinished run. `more` has further options for the command."""
    options = f"--record {shlex.quote(str(path))} --resume"
    return _("to go on: the same command with {options}").format(options=options + more)


def keep_going_hint(path: Path) -> str:
    """Return the hint on how to play on with a player that fails repeatedly."""
    return resume_hint(path, f" {KEEP_GOING}")


def exit_status(records: Iterable[GameRecord]) -> int:
    """Return VOID_STATUS if one of the games is VOID, else 0."""
    return VOID_STATUS if any(record.termination is Termination.VOID for record in records) else 0
