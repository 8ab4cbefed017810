"""How people write connect four's boards and moves: `9x12 forbidden 0,8`, and columns from 0."""

import re
from typing import Any

from judge.games.positions import AnyMove
from judge.games.written import NO_MOVE, WHAT_ELSE, Written, quoted

WORD = re.compile(r"\d{1,3}")
REST = re.compile(r"forbidden\s+(?:(?P<none>none)|(?P<row>\d{1,3})\s*,\s*(?P<column>\d{1,3}))", re.IGNORECASE)
MOVE_EXAMPLE = "4"
REST_EXAMPLE = "forbidden 0,8"


def _read_word(word: str) -> list[AnyMove]:
    if not WORD.fullmatch(word):
        raise ValueError(NO_MOVE.format(found=quoted(word), game="connect_four", example=MOVE_EXAMPLE))
    return [int(word)]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    found = REST.fullmatch(rest)
    if rest and found is None:
        raise ValueError(WHAT_ELSE.format(found=quoted(rest), example=REST_EXAMPLE))
    cell = None if found is None or found["none"] else [int(found["row"]), int(found["column"])]
    return {"rows": rows, "cols": columns, "forbidden": cell}


def _write_board(board: dict[str, Any]) -> str:
    cell = board["forbidden"]
    return f"{board['rows']}x{board['cols']} forbidden " + ("none" if cell is None else f"{cell[0]},{cell[1]}")


WRITTEN = Written(WORD, MOVE_EXAMPLE, REST_EXAMPLE, REST, _read_word, _read_board, _write_board)
