"""What bots reported of their moves, as columns: alike values stand together, which packs them small."""

import json
from collections.abc import Sequence
from typing import Any

from judge.terminal import printable
from protocol.records.record import Move

MOST_COLUMNS = 40  # keys of reports that have a column; more than a bot that is meant to be read has
OTHERS = "..."  # the column for all other keys: an object in each row
TOO_DEEP = "[...]"  # for what is nested deeper than can be written
LARGEST_INTEGER = 2**53 - 1  # that JavaScript has


def columns(moves: Sequence[Move]) -> dict[str, list[Any]]:
    """{key of the reports: its value at each move, None where there is none}; {} where there is no report.

    Values are numbers, bools and printable text, or lists of these; an object is the text of its JSON.
    """
    found: dict[str, list[Any]] = {}
    for row, move in enumerate(moves):
        for name, value in (move.report or {}).items():
            key = printable(name)
            if (key not in found and len(found) >= MOST_COLUMNS) or key == OTHERS:
                others = found.setdefault(OTHERS, [None] * len(moves))
                others[row] = {**(others[row] or {}), key: _shown(value)}
            else:
                found.setdefault(key, [None] * len(moves))[row] = _shown(value)
    return found


def _shown(value: Any) -> Any:
    if isinstance(value, list) and not any(isinstance(entry, (list, dict)) for entry in value):
        return [_shown(entry) for entry in value]
    if isinstance(value, (list, dict)):
        return printable(_text(value))
    if type(value) is int:
        return value if abs(value) <= LARGEST_INTEGER else str(value)
    return printable(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return TOO_DEEP
