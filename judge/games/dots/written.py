"""How people write dots and boxes: the board `5x5`, perhaps with an opening, and edges or whole turns, AABBCD."""

import re
from typing import Any

from judge.games.positions import AnyMove
from judge.games.written import NO_MOVE, Written, opening_of, quoted, with_opening

WORD = re.compile(r"(?:[ab][a-h][a-h])+", re.IGNORECASE)
LETTERS = 3  # of an edge's name
MOVE_EXAMPLE = "AAB"
REST_EXAMPLE = "opening AAB,BCD"


def _read_word(word: str) -> list[AnyMove]:
    if not WORD.fullmatch(word):
        raise ValueError(NO_MOVE.format(found=quoted(word), game="dots", example=MOVE_EXAMPLE))
    return [word[start : start + LETTERS].upper() for start in range(0, len(word), LETTERS)]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    return {"rows": rows, "columns": columns, "opening": opening_of(rest, _read_word, REST_EXAMPLE)}


def _write_board(board: dict[str, Any]) -> str:
    return with_opening(f"{board['rows']}x{board['columns']}", board["opening"])


WRITTEN = Written(WORD, MOVE_EXAMPLE, REST_EXAMPLE, None, _read_word, _read_board, _write_board)
