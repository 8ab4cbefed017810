"""Connect four's JSON wire, generation V1 (until August 2022), which old bots and old logs still use.

    judge -> bot    four ASCII decimal digits (the body's length in bytes), then one JSON object:
                    {"type":0,"row":..,"col":..,"nox":..,"noy":..}             opening
                    {"type":1,"top":[..],"board":[..],"lastx":..,"lasty":..}   turn
                    {"type":2}                                                 game over
    bot -> judge    a frame holding {"X":row,"Y":col} and LF

Evidence: the course's ai_client.hpp of 2020 to 2022. Unknown keys are ignored.
"""

from __future__ import annotations

import json

from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.games.connect_four.messages import (
    GAME_OVER,
    OPENING_FIELDS,
    Reply,
    board_fields,
    last_fields,
    last_numbers,
    opening_from,
    top_fields,
    turn_from,
)
from protocol.integers import Field, check_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from protocol.games.connect_four.messages import Opening, Turn, _GameOver

HEADER_DIGITS = 4
MAX_BODY_BYTES = 9999  # the largest number of four digits

_OPENING, _TURN, _GAME_OVER = range(3)  # the values of the key "type"


class JsonWire:
    """The V1 wire."""

    greeting = b""

    def message_reader(self) -> JsonMessageReader:
        """Return a new reader of the judge's messages."""
        return JsonMessageReader()

    def encode_opening(self, opening: Opening) -> bytes:
        """Return the judge's first message (bytes)."""
        row, col = opening.forbidden
        return _message({"type": _OPENING, "row": opening.rows, "col": opening.cols, "nox": row, "noy": col})

    def encode_turn(self, turn: Turn) -> bytes:
        """Return the judge's request to move (bytes)."""
        row, col = last_numbers(turn)
        arrays = {"top": list(turn.tops), "board": list(turn.board)}
        return _message({"type": _TURN, **arrays, "lastx": row, "lasty": col})

    def encode_game_over(self) -> bytes:
        """Return the judge's last message (bytes)."""
        return _message({"type": _GAME_OVER})

    def encode_reply(self, row: int, col: int) -> bytes:
        """Return the body of a bot's reply (bytes)."""
        return b'{"X":%d,"Y":%d}\n' % (row, col)

    def decode_reply(self, body: bytes) -> Reply:
        """Return the Reply in a frame's body. Raises RemoteProtocolError unless X and Y are integers."""
        answer = _object(body, "reply")
        return Reply(_integer(answer, "X"), _integer(answer, "Y"))


class JsonMessageReader:
    """Reads an Opening, then Turns and GAME_OVER. After an error, read no further."""

    def __init__(self) -> None:
        self._pending = b""
        self._opening: Opening | None = None

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return bool(self._pending.lstrip())

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def expected(self) -> str:
        """Name the part of the message that the next byte belongs to."""
        return "length" if len(self._pending.lstrip()) < HEADER_DIGITS else "body"

    def read(self) -> Opening | Turn | _GameOver | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""
        self._pending = self._pending.lstrip()
        header = self._pending[:HEADER_DIGITS]
        if header and not header.isdigit():
            raise RemoteProtocolError(
                field="length", expected=f"{HEADER_DIGITS} decimal digits", received=excerpt(header)
            )
        if len(header) < HEADER_DIGITS or len(self._pending) < HEADER_DIGITS + int(header):
            return None
        end = HEADER_DIGITS + int(header)
        message, self._pending = self._pending[HEADER_DIGITS:end], self._pending[end:]
        return self._decode(_object(message, "body"))

    def _decode(self, message: dict[str, Any]) -> Opening | Turn | _GameOver:
        first, last = (_OPENING, _OPENING) if self._opening is None else (_TURN, _GAME_OVER)
        kind = _integer(message, "type")
        check_ranges([Field("type", first, last)], [kind])
        if kind == _GAME_OVER:
            return GAME_OVER
        if self._opening is not None:  # then it is a turn
            return _turn(message, self._opening.rows, self._opening.cols)
        numbers = [_integer(message, key) for key in ("row", "col", "nox", "noy")]
        check_ranges(OPENING_FIELDS, numbers)
        self._opening = opening_from(numbers)
        return self._opening


def _turn(message: dict[str, Any], rows: int, cols: int) -> Turn:
    tops = _integers(message, "top", top_fields(rows, cols))
    board = _integers(message, "board", board_fields(rows, cols))
    last = [_integer(message, "lastx"), _integer(message, "lasty")]
    check_ranges(last_fields(rows, cols), last)
    return turn_from(last[0], last[1], tops, board)


def _message(content: dict[str, Any]) -> bytes:
    body = json.dumps(content, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_BODY_BYTES:
        raise LocalProtocolError(f"message: expected at most {MAX_BODY_BYTES} bytes, got {len(body)}")
    return b"%0*d" % (HEADER_DIGITS, len(body)) + body


def _object(text: bytes, field: str) -> dict[str, Any]:
    try:
        value = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise RemoteProtocolError(field=field, expected="a JSON object", received=excerpt(text))
    return value


def _integer(message: dict[str, Any], key: str) -> int:
    if key not in message:
        raise RemoteProtocolError(field=key, expected="an integer", received="no such key")
    _check_integer(key, message[key])
    return message[key]


def _integers(message: dict[str, Any], key: str, fields: Sequence[Field]) -> list[int]:
    values = message.get(key)
    if type(values) is not list or len(values) != len(fields):
        received = f"{len(values)} values" if type(values) is list else "no list"
        raise RemoteProtocolError(field=key, expected=f"a list of {len(fields)} integers", received=received)
    for field, value in zip(fields, values):
        _check_integer(field.name, value)
    check_ranges(fields, values)
    return values


def _check_integer(name: str, value: object) -> None:
    if type(value) is not int:  # exactly int: JSON's true and false would pass as 1 and 0
        raise RemoteProtocolError(field=name, expected="an integer", received=f"a {type(value).__name__}")
