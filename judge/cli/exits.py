"""How commands end: what they tell the reader to run next, and their exit statuses."""

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
    """The command that replays game `number` of a record file (None: its last), for the caller's shell and folder."""
    return f"{program.again()} replay {_game(path, number)}"


def view_command(path: Path) -> str:
    """The command that shows a record file as a page."""
    return f"{program.again()} view {shlex.quote(str(path))} --open"


def repro_command(path: Path, number: int | None, side: str | None = None, ply: int | None = None) -> str:
    """The command that writes what a player was sent in game `number` of a record file (None: its last): the one at
    fault unless a side is given, until it was asked for its last move, or for this ply.
    """
    chosen = (f" --side {side}" if side else "") + (f" --ply {ply}" if ply else "")
    return f"{program.again()} repro {_game(path, number)}{chosen}"


def _game(path: Path, number: int | None) -> str:
    return shlex.quote(str(path)) + (f" --game {number}" if number else "")


def resume_advice(path: Path, more: str = "") -> str:
    """What the reader types to continue an unfinished run; `more` tells what else must change."""
    options = f"--record {shlex.quote(str(path))} --resume"
    return _("to go on: the same command with {options}").format(options=options + more)


def keep_going_advice(path: Path) -> str:
    """What the reader types to play on with a player that fails time and again."""
    return resume_advice(path, f" {KEEP_GOING}")


def exit_status(records: Iterable[GameRecord]) -> int:
    """VOID_STATUS if there is a VOID game among the records, else 0."""
    return VOID_STATUS if any(record.termination is Termination.VOID for record in records) else 0
