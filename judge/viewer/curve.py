"""The line of values: what a side stated its positions to be worth, ply by ply, as a row of characters."""

from rich.text import Text

from judge.play.screen import stated_value
from protocol.records.record import GameRecord

BLOCKS = "▁▂▃▄▅▆▇█"  # from lost to won
ASCII_LEVELS = "_.,-~=*#"  # the same for a terminal that has no blocks
NOTHING = " "
MARK = "^"
STYLES = {"A": "cyan", "B": "magenta"}
STILL_TO_COME = " dim"
HERE = " reverse"  # an attribute, which a terminal without colours has too


def values_of(record: GameRecord, side: str, plies: int) -> list[float | None]:
    """The value in force after each of the first `plies` plies: what the side has stated last, None before its first.

    Each is from the side's own point of view, -1 lost to 1 won; what was stated beyond counts as the nearer of these.
    """
    values: list[float | None] = []
    latest = None
    for move in record.moves[:plies]:
        stated = stated_value(move.report) if move.side == side else None
        latest = latest if stated is None else min(1.0, max(-1.0, stated))
        values.append(latest)
    return values


def place(ply: int, plies: int, width: int) -> int:
    """The column, from 0, in which ply number `ply` (from 1) stands: a column each, or several plies to a column."""
    return ply - 1 if plies <= width else (ply - 1) * width // plies


def curve(values: list[float | None], side: str, ply: int, width: int, with_blocks: bool = True) -> Text:
    """The values as one row of at most `width` characters; the column of ply number `ply` is marked.

    Where several plies share a column it shows the last of them, but the current one in its own.
    """
    shown: dict[int, float | None] = {}
    for number, value in enumerate(values, start=1):
        column = place(number, len(values), width)
        if number <= ply or place(ply, len(values), width) != column:
            shown[column] = value
    drawn = Text(no_wrap=True)
    here = place(ply, len(values), width) if ply else -1
    for column in sorted(shown):
        style = STYLES[side] + (HERE if column == here else STILL_TO_COME if column > here else "")
        drawn.append(_level(shown[column], with_blocks), style)
    return drawn


def marker(plies: int, ply: int, width: int) -> str:
    """What stands below the rows: a mark in the current ply's column, nothing before the first ply."""
    return " " * place(ply, plies, width) + MARK if ply else ""


def _level(value: float | None, with_blocks: bool) -> str:
    levels = BLOCKS if with_blocks else ASCII_LEVELS
    if value is None:
        return NOTHING
    return levels[min(len(levels) - 1, int((value + 1) / 2 * len(levels)))]
