"""Reversi on Botzone: how its moves are written, and the judge's side for running a bot as Botzone does.

    JSON          {"x":2,"y":3}
    simple form   2 3

Row and column, 0 to 7; -1 -1 is a pass, and the first request to black, who moves first.
Evidence: ailab-pku/botzone-local at 7c80428, the platform's judge Reversi.cpp and games.py in online/.
"""

from __future__ import annotations

from _operator import index

from protocol.botzone.game import BotzoneGame
from protocol.botzone.messages import kind_of
from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.integers import Field, check_ranges

SIZE = 8

_PASS = (-1, -1)
_NUMBERS = {b"%d" % number: number for number in range(-1, SIZE)}


class Moves:
    """Writes and reads a move, (row, col) or None for a pass, in either form.

    If the move is neither on the board nor a pass, writing raises LocalProtocolError and reading
    RemoteProtocolError, with names that start with `field`. The rules are not checked.
    """

    def to_json(self, move: tuple[int, int] | None, field: str) -> dict[str, int]:
        """Return the move as a JSON object's content."""
        row, col = _numbers(move, field)
        return {"x": row, "y": col}

    def from_json(self, value: object, field: str) -> tuple[int, int] | None:
        """Return the move of a value read from JSON; keys besides x and y are ignored."""
        if type(value) is not dict:
            raise RemoteProtocolError(field=field, expected="an object with x and y", received=kind_of(value))
        for key in ("x", "y"):
            if type(value.get(key)) is not int:  # exactly int: JSON's true and false would pass as 1 and 0
                raise RemoteProtocolError(
                    field=f"{field}.{key}", expected="an integer", received=kind_of(value.get(key))
                )
        return _move((value["x"], value["y"]), field)

    def to_line(self, move: tuple[int, int] | None, field: str) -> bytes:
        """Return the move as a line without its end (bytes)."""
        return b"%d %d" % _numbers(move, field)

    def from_line(self, line: bytes, field: str) -> tuple[int, int] | None:
        """Return the move in a line (bytes)."""
        tokens = line.split()
        if len(tokens) != 2 or not all(token in _NUMBERS for token in tokens):
            expected = f"two integers from -1 to {SIZE - 1}"
            raise RemoteProtocolError(field=field, expected=expected, received=excerpt(line))
        return _move((_NUMBERS[tokens[0]], _NUMBERS[tokens[1]]), field)

    def is_whole(self, line: bytes) -> bool:
        """Return whether a line without its end is a complete move: its numbers cannot have more digits."""
        tokens = line.split()
        return len(tokens) == 2 and all(token in _NUMBERS for token in tokens)


def _numbers(move: tuple[int, int] | None, field: str) -> tuple[int, int]:
    if move is None:
        return _PASS
    try:
        row, col = map(index, move)
        check_ranges((Field("row", 0, SIZE - 1), Field("col", 0, SIZE - 1)), (row, col))
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send {field} {move!r}: {error}") from None
    return row, col


def _move(numbers: tuple[int, int], field: str) -> tuple[int, int] | None:
    row, col = numbers
    check_ranges((Field(field + ".x", -1, SIZE - 1), Field(field + ".y", -1, SIZE - 1)), (row, col))
    if (row == -1) != (col == -1):
        raise RemoteProtocolError(field=field, expected="a cell or -1 -1", received=f"{row} {col}")
    return None if row == -1 else (row, col)


_game = BotzoneGame(Moves())
form, answer_decoder = _game.form, _game.answer_decoder
encode_requests, encode_next_request = _game.encode_requests, _game.encode_next_request
