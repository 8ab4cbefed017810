"""Dots and boxes on Botzone, where it is called Pencil: how its moves are written, and the judge's side.

    request       {"x":2,"y":3,"pass":0}     2 3 0       the edge that the other side drew
    response      {"x":3,"y":4}              3 4         one edge; a turn that completes boxes takes several responses

The board of 5 x 5 boxes is a grid of 11 x 11 in which dots, edges and boxes alternate: an edge is where x + y is odd.
-1 -1 means no edge. It is the first request to black, and the request to a side that has completed a box and moves
again. It is also the response to a request whose `pass` is 1, which reports an edge after which the other side moves
again.

Two facts are known at second hand only: that x counts columns (if it counts rows, the board is mirrored and every
edge's kind exchanged, which is the same game), and that the grid is of 11 x 11.
"""

from __future__ import annotations

from _operator import index

from protocol.botzone.game import BotzoneGame
from protocol.botzone.messages import kind_of
from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.games.dots.messages import DEFAULT_SIZE, LETTERS, is_edge
from protocol.integers import Field, check_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

GRID = 2 * DEFAULT_SIZE[0] + 1  # places in a row or column

NO_EDGE = (-1, -1)
_NUMBERS = {b"%d" % number: number for number in range(-1, GRID)}


def edge_at(x: int, y: int) -> str:
    """Return the name of the edge at column x and row y of the grid. Raises LocalProtocolError if no edge is there."""
    if not (0 <= x < GRID and 0 <= y < GRID and (x + y) % 2):
        raise LocalProtocolError(f"expected an edge's place in a grid of {GRID} x {GRID}, got {x!r}, {y!r}")
    column, row = LETTERS[x // 2], LETTERS[y // 2]
    return "B" + column + row if x % 2 == 0 else "A" + row + column


def place_of(edge: str) -> tuple[int, int]:
    """Return (x, y) of an edge's name. Raises LocalProtocolError if this board has no edge of that name."""
    if not is_edge(edge, *DEFAULT_SIZE):
        rows, columns = DEFAULT_SIZE
        raise LocalProtocolError(f"expected an edge of {rows} x {columns} boxes, got {edge!r}")
    line, place = 2 * LETTERS.index(edge[1]), 2 * LETTERS.index(edge[2]) + 1
    return (line, place) if edge[0] == "B" else (place, line)


def encode_edges(edges: Sequence[str], wire: str, keep_running: bool) -> bytes:
    """Return a bot's answer (bytes) of one edge, or of no edge if it has to pass.

    Raises LocalProtocolError for more than one edge or a wrong name.
    """
    if len(edges) > 1:
        raise LocalProtocolError(f"Botzone asks for one edge at a time, got {edges!r}")
    return form(wire).encode_reply(place_of(edges[0]) if edges else NO_EDGE, keep_running)


class Moves:
    """Writes and reads a move in either form: a request (x, y, passed), passed 0 or 1, or a response (x, y).

    A request's `field` starts with "request". If the place is neither an edge nor NO_EDGE, writing raises
    LocalProtocolError and reading RemoteProtocolError, with names that start with `field`. The rules are not checked.
    """

    def to_json(self, move: Sequence[int], field: str) -> dict[str, int]:
        """Return the move as a JSON object's content."""
        return dict(zip(("x", "y", "pass"), _sendable(move, field)))

    def from_json(self, value: object, field: str) -> tuple[int, ...]:
        """Return the move of a value read from JSON; other keys are ignored, and a missing `pass` is 0."""
        if type(value) is not dict:
            raise RemoteProtocolError(field=field, expected="an object with x and y", received=kind_of(value))
        numbers: list[Any] = [value.get("x"), value.get("y")]
        if _is_request(field):
            numbers.append(int(value["pass"]) if type(value.get("pass")) is bool else value.get("pass", 0))
        for key, number in zip(("x", "y", "pass"), numbers):
            if type(number) is not int:  # exactly int: JSON's true and false would pass as 1 and 0
                raise RemoteProtocolError(field=f"{field}.{key}", expected="an integer", received=kind_of(number))
        return _checked(tuple(numbers), field)

    def to_line(self, move: Sequence[int], field: str) -> bytes:
        """Return the move as a line without its end (bytes)."""
        return b" ".join([b"%d" % number for number in _sendable(move, field)])

    def from_line(self, line: bytes, field: str) -> tuple[int, ...]:
        """Return the move in a line (bytes)."""
        tokens = line.split()
        count = 3 if _is_request(field) else 2
        if len(tokens) != count or not all(token in _NUMBERS for token in tokens):
            expected = f"{count} integers from -1 to {GRID - 1}"
            raise RemoteProtocolError(field=field, expected=expected, received=excerpt(line))
        return _checked(tuple([_NUMBERS[token] for token in tokens]), field)

    def is_whole(self, line: bytes) -> bool:
        """Return whether a line without its end is a complete request; its last digit is `pass`, 0 or 1."""
        tokens = line.split()
        return len(tokens) == 3 and all(token in _NUMBERS for token in tokens)


def _is_request(field: str) -> bool:
    return field.startswith("request")


def _sendable(move: Sequence[int], field: str) -> tuple[int, ...]:
    """Return the move's numbers. Raises LocalProtocolError if they may not be sent."""
    try:
        numbers = tuple(map(index, move))
        if len(numbers) != (3 if _is_request(field) else 2):
            raise ValueError("wrong number of numbers")
        return _checked(numbers, field)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send {field} {move!r}: {error}") from None


def _checked(numbers: tuple[int, ...], field: str) -> tuple[int, ...]:
    """Return the numbers of a move. Raises RemoteProtocolError if they are not a move."""
    ranges = (("x", -1, GRID - 1), ("y", -1, GRID - 1), ("pass", 0, 1))
    check_ranges([Field(f"{field}.{name}", low, high) for name, low, high in ranges], numbers)
    x, y = numbers[:2]
    if (x, y) != NO_EDGE and ((x + y) % 2 == 0 or -1 in (x, y)):
        raise RemoteProtocolError(field=field, expected="an edge's place, x + y odd, or -1 -1", received=f"{x} {y}")
    return numbers


_game = BotzoneGame(Moves())
form, answer_decoder = _game.form, _game.answer_decoder
encode_requests, encode_next_request = _game.encode_requests, _game.encode_next_request
