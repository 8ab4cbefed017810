"""Records of version 1, as written before there was a second game, in the terms of version 2.

They are connect four's alone: `rows`, `cols` and `forbidden` stand in the record itself, a move is a
`column`, and the sides move in turn. Not part of the ladder bundle.
"""

from typing import Any

from .fields import RecordError, check_integer, check_keys, check_object, checked_tuple, expect

VERSION = 1
BOARD = ("rows", "cols", "forbidden")
MOVE_KEYS = ("wall_s", "cpu_s", "report")  # as in version 2


def as_version_2(content: dict[str, Any]) -> dict[str, Any]:
    """Return version 1's JSON object `content` as version 2's, but for the number of the version.

    Raises RecordError naming the field that is missing or wrong among those that changed; the others are
    as they were, checked or not.
    """
    expect("board" not in content, "board", "no key of this name", content.get("board"))
    check_keys(content, (*BOARD, "first", "moves"), content)
    kept = {name: value for name, value in content.items() if name not in BOARD}
    return {"game": "connect_four", **kept, "board": _board(content), "moves": _moves(content)}


def _board(content: dict[str, Any]) -> dict[str, Any]:
    for name in ("rows", "cols"):
        check_integer(name, content[name])
        expect(content[name] > 0, name, "a positive integer", content[name])
    forbidden = content["forbidden"]
    if forbidden is not None:
        cell = checked_tuple("forbidden", forbidden, int)
        inside = len(cell) == 2 and 0 <= cell[0] < content["rows"] and 0 <= cell[1] < content["cols"]
        expect(inside, "forbidden", "null or a cell (row, col) of the board", cell)
    return {name: content[name] for name in BOARD}


def _moves(content: dict[str, Any]) -> list[dict[str, Any]]:
    order = {"A": "AB", "B": "BA"}.get(content["first"] if isinstance(content["first"], str) else "", "")
    expect(order != "", "first", "A or B", content["first"])
    expect(isinstance(content["moves"], list), "moves", "a list", content["moves"])
    moves = []
    for position, move in enumerate(content["moves"]):
        try:
            check_object("entry", move)
            check_keys(move, ("column",), MOVE_KEYS)
            check_integer("column", move["column"])
        except RecordError as error:
            raise RecordError(f"moves[{position}].{error}") from None
        rest = {name: value for name, value in move.items() if name != "column"}
        moves.append({"side": order[position % 2], "move": move["column"], **rest})
    return moves
