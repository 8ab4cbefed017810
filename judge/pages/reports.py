"""What bots reported of their moves, as columns: alike values stand together, which packs them small."""

import json
from collections.abc import Sequence
from typing import Any

from judge.terminal import printable
from protocol.records.record import Move

MOST_COLUMNS = 40  # keys of reports that have a column; more than a bot that is meant to be read has
OTHERS = "..."  # the column for all other keys: an object in each row
LARGEST_INTEGER = 2**53 - 1  # that JavaScript has


def columns(moves: Sequence[Move]) -> dict[str, list[Any]]:
    """{key of the reports: its value at each move, None where there is none}; {} where there is no report."""
    found: dict[str, list[Any]] = {}
    for row, move in enumerate(moves):
        for key, value in (move.report or {}).items():
            if key not in found and len(found) >= MOST_COLUMNS or key == OTHERS:
                others = found.setdefault(OTHERS, [None] * len(moves))
                others[row] = {**(others[row] or {}), printable(key): _exact(value)}
            else:
                found.setdefault(key, [None] * len(moves))[row] = _exact(value)
    return found


def _exact(value: Any) -> Any:
    """The value, as text where JavaScript would have another number."""
    if isinstance(value, (dict, list)):
        return json.loads(json.dumps(value), parse_int=_integer)
    return _integer(str(value)) if type(value) is int else value


def _integer(digits: str) -> int | str:
    number = int(digits)
    return number if abs(number) <= LARGEST_INTEGER else digits
