"""Exit statuses of commands, and the commands that they suggest to run next."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from judge import program
from judge.language import _
from judge.players import source_player
from judge.runs.interruption import INTERRUPTED_STATUS as INTERRUPTED_STATUS
from judge.runs.record_file import numbers_in_file as numbers_in_file
from judge.terminal import printable
from protocol.records.record import GameRecord, Termination

FOUND_BY_SANITIZERS = (Termination.CRASH, Termination.ILLEGAL_MOVE)
IN_DOUBLE_QUOTES = frozenset('"$`\\!')  # what a shell replaces there
KEEP_GOING = "--keep-going"
USAGE_STATUS = 2
VOID_STATUS = 3
FAILING_STATUS = 4


def replay_command(path: Path, number: int | None) -> str:
    """Return the shell command that replays game `number` of a record file (None: its last)."""
    return f"{program.again()} replay {_game(path, number)}"


def view_command(path: Path) -> str:
    """Return the shell command that shows a record file as a page."""
    return f"{program.again()} view {shlex.quote(str(path))} --open"


def repro_command(path: Path, number: int | None, side: str | None = None, ply: int | None = None) -> str:
    """Return the shell command that writes what a player was sent in game `number` of a record file (None: its last).

    side: the player (None: the one at fault); ply: up to the question for this ply (None: for its last move).
    """
    chosen = (f" --side {side}" if side else "") + (f" --ply {ply}" if ply else "")
    return f"{program.again()} repro {_game(path, number)}{chosen}"


def ways_on(path: Path, record: GameRecord, number: int | None) -> list[str]:
    """Return lines with the commands for a game of a record file that a fault has ended: replay, repro, a new build.

    number: the game's number in the file, None for its last game.
    """
    lines = [_("replay: {command}").format(command=replay_command(path, number))]
    if record.moves:
        lines.append(_("for a debugger: {command}").format(command=repro_command(path, number)))
    at_fault = "AB".index(record.at_fault or "A")
    sanitized = source_player.with_option(record.players[at_fault].command, source_player.SANITIZE)
    if sanitized is not None and record.termination in FOUND_BY_SANITIZERS:
        advice = _("build with {option} to see the line: {player}")
        lines.append(advice.format(option=source_player.SANITIZE, player=printable(_typed(sanitized))))
    return lines


def _typed(text: str) -> str:
    """Return a player's text as a word of a shell, in double quotes if they keep it as it is."""
    return shlex.quote(text) if IN_DOUBLE_QUOTES.intersection(text) else f'"{text}"'


def _game(path: Path, number: int | None) -> str:
    return shlex.quote(str(path)) + (f" --game {number}" if number else "")


def resume_advice(path: Path, more: str = "") -> str:
    """Return the hint on how to continue an unfinished run; `more` says what else must change."""
    options = f"--record {shlex.quote(str(path))} --resume"
    return _("to go on: the same command with {options}").format(options=options + more)


def keep_going_advice(path: Path) -> str:
    """Return the hint on how to play on with a player that fails repeatedly."""
    return resume_advice(path, f" {KEEP_GOING}")


def exit_status(records: Iterable[GameRecord]) -> int:
    """Return VOID_STATUS if one of the games is VOID, else 0."""
    return VOID_STATUS if any(record.termination is Termination.VOID for record in records) else 0
