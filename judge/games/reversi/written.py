"""How people write reversi's boards and moves: `8x8`, perhaps with an opening, and cells such as d3."""

import re
from typing import Any

from judge.games.positions import AnyMove
from judge.games.written import NO_MOVE, Written, opening_of, quoted, with_opening
from judge.language import recorded

WORD = re.compile(r"[a-zA-Z]\d{1,2}")
MOVE_EXAMPLE = "d3"
REST_EXAMPLE = "opening d3,c3"
NOT_SQUARE = recorded("{found} is no board of reversi, expected as many rows as columns")


def _read_word(word: str) -> list[AnyMove]:
    if not WORD.fullmatch(word):
        raise ValueError(NO_MOVE.format(found=quoted(word), game="reversi", example=MOVE_EXAMPLE))
    return [word.lower()]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    if rows != columns:
        raise ValueError(NOT_SQUARE.format(found=f"{rows}x{columns}"))
    return {"size": rows, "opening": opening_of(rest, _read_word, REST_EXAMPLE)}


def _write_board(board: dict[str, Any]) -> str:
    return with_opening(f"{board['size']}x{board['size']}", board["opening"])


WRITTEN = Written(WORD, MOVE_EXAMPLE, REST_EXAMPLE, None, _read_word, _read_board, _write_board)
