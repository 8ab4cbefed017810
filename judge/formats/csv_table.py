"""Writes games as CSV for spreadsheets and scripts, with a line for each game or for each move.

The CSV follows RFC 4180, except that lines end with LF only: a carriage return on stdout would be escaped. A text that
begins like a formula gets a "'" before it, as a spreadsheet would compute it and a bot's author chooses the bot's name.
"""

import csv
import io
from collections.abc import Iterable, Sequence

from judge.formats.text import moves_text
from judge.games import GAMES
from judge.reports import imports
from protocol.records.record import GameRecord

GAME_COLUMNS = (
    "number",
    "game",
    "board",
    "A",
    "B",
    "first",
    "winner",
    "termination",
    "at_fault",
    "plies",
    "A_s",
    "B_s",
    "started",
    "moves",
)
REPORT_COLUMNS = ("value", "depth", "iterations")  # also the keys of a bot's report
MOVE_COLUMNS = ("number", "ply", "side", "move", "wall_s", "cpu_s", *REPORT_COLUMNS)


def games(numbered: Iterable[tuple[int, GameRecord]]) -> str:
    """Return CSV with a line for each game. `numbered` has (number of the game in its file, record) for each game.

    The columns A_s and B_s have the sums of the wall times of each side in seconds. They are empty if a time is
    unknown.
    """
    lines: list[Sequence[object]] = [GAME_COLUMNS]
    for number, record in numbered:
        walls_s = list(zip(record.moves, imports.move_times_s(record), strict=True))
        seconds = [_sum_if_known([wall_s for move, wall_s in walls_s if move.side == side]) for side in "AB"]
        lines.append(
            (
                number,
                record.game,
                GAMES[record.game].notation.write_board(record.board),
                *(player.name for player in record.players),
                record.first,
                record.winner,
                record.termination.value,
                record.at_fault,
                len(record.moves),
                *seconds,
                imports.started(record),
                moves_text(record),
            )
        )
    return table(lines)


def moves(numbered: Iterable[tuple[int, GameRecord]]) -> str:
    """Return CSV with a line for each move. `numbered` has (number of the game in its file, record) for each game.

    The REPORT_COLUMNS have the numbers in the bot's report on the move. They are empty if the bot reported none.
    """
    lines: list[Sequence[object]] = [MOVE_COLUMNS]
    for number, record in numbered:
        for ply, (move, wall_s) in enumerate(zip(record.moves, imports.move_times_s(record), strict=True), start=1):
            report = move.report or {}
            figures = [_number_or_none(report.get(key)) for key in REPORT_COLUMNS]
            lines.append((number, ply, move.side, move.move, wall_s, move.cpu_s, *figures))
    return table(lines)


def _sum_if_known(walls_s: Sequence[float | None]) -> float | None:
    """Return the sum of the times in seconds, or None if one of them is unknown."""
    known = [wall_s for wall_s in walls_s if wall_s is not None]
    return round(sum(known), 6) if len(known) == len(walls_s) else None


def _number_or_none(value: object) -> object:
    """Return `value`, a value in a report, if it is a number, else None."""
    return value if type(value) in (int, float) else None


def table(lines: Iterable[Sequence[object]]) -> str:
    """Return the lines as CSV; the first one has the names of the columns."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_without_formula(value) for value in line] for line in lines)
    return text.getvalue()


def _without_formula(value: object) -> object:
    """Return `value`, with a quote in front of a text that a spreadsheet would take for a formula."""
    return "'" + value if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
