"""Messages between a connect four bot and its judge as values and as bytes, both directions, without I/O.

The wire has had three generations, named as on the bot's command line:

    saiblo      V3, lines of integers; in use since December 2022
    saiblo-v2   V2, the same with array sizes, and the bot sends a greeting first; August to December 2022
    saiblo-v1   V1, JSON; until August 2022, still used by old bots and old logs

In all of them a bot sends its reply in a frame (u32 big-endian length, then the body).
Axes: row 0 on top, column 0 left, 0-based. Boards have 9 to 12 rows and columns.
Evidence: the course's main.cpp templates of 2022 (V2, V3), its ai_client.hpp of 2020 to 2022 (V1).
"""

from __future__ import annotations

from _operator import index

from protocol.decoding import WireDecoder
from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.framing import MAX_BODY_BYTES, FramedDecoder, encode_frame
from protocol.integers import Field, IntegerMessage, IntegerReader, check_ranges, encode_integers
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

WIRES = ("saiblo", "saiblo-v2", "saiblo-v1")
WIRE_SIZES = (9, 12)  # least and greatest number of rows, and of columns


# Messages, the same on every wire.


class Opening(ValueType):
    """The first message of a game: the board's size and its forbidden cell (row, col)."""

    rows: int
    cols: int
    forbidden: tuple[int, int]


class Turn(ValueType):
    """A request to move.

    `last` is the opponent's previous cell (row, col), None on an empty board. `tops[col]` is the row from which on down
    all cells of a column are taken or forbidden: 0 for a full column, `rows` for an empty one whose lowest cell is not
    forbidden. `board` is flat, row by row from the top: 0 empty or forbidden, 1 the opponent's, 2 the receiver's.
    """

    last: tuple[int, int] | None
    tops: tuple[int, ...]
    board: tuple[int, ...]


class Reply(ValueType):
    """A bot's answer: the cell it plays. The wire allows any integers; the referee checks legality."""

    row: int
    col: int


class _GameOver:
    """The type of GAME_OVER, the only message without content."""

    def __repr__(self) -> str:
        return "GAME_OVER"


GAME_OVER = _GameOver()

_OPENING_FIELDS = (
    Field("rows", *WIRE_SIZES),
    Field("cols", *WIRE_SIZES),
    Field("noX", 0, WIRE_SIZES[1] - 1),
    Field("noY", 0, WIRE_SIZES[1] - 1),
)


def _last_fields(rows: int, cols: int) -> tuple[Field, ...]:
    """Return the fields of the opponent's previous cell: row and column, -1 for none."""
    return (Field("lastX", -1, rows - 1), Field("lastY", -1, cols - 1))


def _top_fields(rows: int, cols: int) -> tuple[Field, ...]:
    """Return the fields of `tops`, one per column."""
    return tuple(Field(f"top[{col}]", 0, rows) for col in range(cols))


def _board_fields(rows: int, cols: int) -> tuple[Field, ...]:
    """Return the fields of `board`, one per cell, row by row from the top."""
    return tuple(Field(f"board[{cell}]", 0, 2) for cell in range(rows * cols))


def _opening_from(numbers: Iterable[int]) -> Opening:
    """Return the Opening with these rows, cols, noX, noY, each within _OPENING_FIELDS.

    Raises RemoteProtocolError if the forbidden cell is off the board.
    """
    rows, cols, forbidden_row, forbidden_col = numbers
    check_ranges((Field("noX", 0, rows - 1), Field("noY", 0, cols - 1)), (forbidden_row, forbidden_col))
    return Opening(rows, cols, (forbidden_row, forbidden_col))


def _turn_from(last_row: int, last_col: int, tops: Iterable[int], board: Iterable[int]) -> Turn:
    """Return the Turn with these numbers, each within its field.

    Raises RemoteProtocolError if only one of `last_row` and `last_col` is -1.
    """
    if (last_row == -1) != (last_col == -1):
        raise RemoteProtocolError(field="lastX lastY", expected="a cell or -1 -1", received=f"{last_row} {last_col}")
    last = None if last_row == -1 else (last_row, last_col)
    return Turn(last, tuple(tops), tuple(board))


def _check_opening(opening: Opening) -> None:
    """Raise LocalProtocolError unless `opening` may be sent."""
    try:
        rows, cols, (forbidden_row, forbidden_col) = opening
        numbers = tuple(map(index, (rows, cols, forbidden_row, forbidden_col)))
        check_ranges(_OPENING_FIELDS, numbers)
        _opening_from(numbers)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send {opening!r}: {error}") from None


def _check_turn(turn: Turn) -> None:
    """Raise LocalProtocolError unless `turn` may be sent. Sizes and ranges are checked, the rules are not."""
    try:
        tops, board = tuple(map(index, turn.tops)), tuple(map(index, turn.board))
        last_row, last_col = map(index, _last_numbers(turn))
        cols = len(tops)
        rows = len(board) // max(cols, 1)
        check_ranges(_OPENING_FIELDS[:2], (rows, cols))
        check_ranges([Field("len(board)", rows * cols, rows * cols)], [len(board)])
        check_ranges(_top_fields(rows, cols), tops)
        check_ranges(_board_fields(rows, cols), board)
        check_ranges(_last_fields(rows, cols), (last_row, last_col))
        _turn_from(last_row, last_col, tops, board)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send a turn: {error}") from None


def _last_numbers(turn: Turn) -> tuple[int, ...]:
    """Return the opponent's previous cell as the wire has it: (row, col), or (-1, -1) for none."""
    return (-1, -1) if turn.last is None else tuple(turn.last)


# The text wires.
#
#     rows cols noX noY                                               the opening
#     lastX lastY top[0..cols-1] board[0..rows*cols-1]                a turn, on V2 with its size before each array
#     x y                                                             a reply, in its frame
#
# A message of the judge is a line. The greeting of V2 is "ok".

_OPENING_MESSAGE = IntegerMessage(_OPENING_FIELDS, needs_blank=True)


class _TextWire:
    """One generation of the text wire. Only V2 has a `greeting`, and `with_sizes` the size before each array."""

    def __init__(self, with_sizes: bool = False, greeting: bytes = b"") -> None:
        self.with_sizes = with_sizes
        self.greeting = greeting

    def message_reader(self) -> _TextMessageReader:
        """Return a new reader of the judge's messages."""
        return _TextMessageReader(self.with_sizes)

    def encode_opening(self, opening: Opening) -> bytes:
        """Return the judge's first message (bytes)."""
        return encode_integers((opening.rows, opening.cols) + tuple(opening.forbidden))

    def encode_turn(self, turn: Turn) -> bytes:
        """Return the judge's request to move (bytes)."""
        tops, board = tuple(turn.tops), tuple(turn.board)
        if self.with_sizes:
            tops, board = (len(tops),) + tops, (len(board),) + board
        return encode_integers(_last_numbers(turn) + tops + board)

    def encode_game_over(self) -> bytes:
        """Return b"": on these wires the judge ends a game by ending the process."""
        return b""

    def encode_reply(self, row: int, col: int) -> bytes:
        """Return the body of a bot's reply (bytes)."""
        return b"%d %d" % (row, col)

    def decode_reply(self, body: bytes) -> Reply:
        """Return the Reply in a frame's body. Raises RemoteProtocolError unless it is two integers."""
        tokens = body.split()
        try:
            if len(tokens) == 2 and all(_is_decimal(token) for token in tokens):
                return Reply(int(tokens[0]), int(tokens[1]))
        except ValueError:  # more digits than Python converts
            pass
        raise RemoteProtocolError(field="reply", expected="two integers separated by a blank", received=excerpt(body))


def _is_decimal(token: bytes) -> bool:
    return token.isdigit() or (token[:1] == b"-" and token[1:].isdigit())


def _turn_message(rows: int, cols: int, with_sizes: bool) -> IntegerMessage:
    """Return the layout of a turn on a board of rows x cols cells."""
    tops, board = _top_fields(rows, cols), _board_fields(rows, cols)
    if with_sizes:
        tops = (Field("topSize", cols, cols),) + tops
        board = (Field("boardSize", rows * cols, rows * cols),) + board
    return IntegerMessage(_last_fields(rows, cols) + tops + board, needs_blank=False)


class _TextMessageReader:
    """Reads an Opening, then Turns. After an error, read() must not be called again."""

    def __init__(self, with_sizes: bool) -> None:
        self._with_sizes = with_sizes
        self._numbers = IntegerReader()
        self._opening: Opening | None = None
        self._layout = _OPENING_MESSAGE

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return self._numbers.partial

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._numbers.feed(data)

    def expected(self) -> str:
        """Return the name of the field that the next byte belongs to."""
        return self._numbers.expected(self._layout)

    def read(self) -> Opening | Turn | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""
        numbers = self._numbers.read(self._layout)
        if numbers is None:
            return None
        if self._opening is None:
            self._opening = _opening_from(numbers)
            self._layout = _turn_message(self._opening.rows, self._opening.cols, self._with_sizes)
            return self._opening
        cols = self._opening.cols
        sizes = 1 if self._with_sizes else 0
        tops = numbers[2 + sizes : 2 + sizes + cols]
        board = numbers[2 + sizes + cols + sizes :]
        return _turn_from(numbers[0], numbers[1], tops, board)


# The JSON wire. Unknown keys are ignored.
#
#     {"type":0,"row":..,"col":..,"nox":..,"noy":..}                  the opening
#     {"type":1,"top":[..],"board":[..],"lastx":..,"lasty":..}        a turn
#     {"type":2}                                                      game over
#     {"X":row,"Y":col} and LF                                        a reply, in its frame
#
# Four ASCII decimal digits, the length of the object in bytes, come before each message of the judge.

_HEADER_DIGITS = 4
_MOST_JSON_BYTES = 9999  # the largest number of four digits

_OPENING, _TURN, _GAME_OVER = range(3)  # the values of the key "type"


class _JsonWire:
    """The V1 wire."""

    greeting = b""

    def message_reader(self) -> _JsonMessageReader:
        """Return a new reader of the judge's messages."""
        return _JsonMessageReader()

    def encode_opening(self, opening: Opening) -> bytes:
        """Return the judge's first message (bytes)."""
        row, col = opening.forbidden
        return _message({"type": _OPENING, "row": opening.rows, "col": opening.cols, "nox": row, "noy": col})

    def encode_turn(self, turn: Turn) -> bytes:
        """Return the judge's request to move (bytes)."""
        row, col = _last_numbers(turn)
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


class _JsonMessageReader:
    """Reads an Opening, then Turns and GAME_OVER. After an error, read() must not be called again."""

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
        """Return the name of the part of a message that the next byte belongs to."""
        return "length" if len(self._pending.lstrip()) < _HEADER_DIGITS else "body"

    def read(self) -> Opening | Turn | _GameOver | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""
        self._pending = self._pending.lstrip()
        header = self._pending[:_HEADER_DIGITS]
        if header and not header.isdigit():
            raise RemoteProtocolError(
                field="length", expected=f"{_HEADER_DIGITS} decimal digits", received=excerpt(header)
            )
        if len(header) < _HEADER_DIGITS or len(self._pending) < _HEADER_DIGITS + int(header):
            return None
        end = _HEADER_DIGITS + int(header)
        message, self._pending = self._pending[_HEADER_DIGITS:end], self._pending[end:]
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
        check_ranges(_OPENING_FIELDS, numbers)
        self._opening = _opening_from(numbers)
        return self._opening


def _turn(message: dict[str, Any], rows: int, cols: int) -> Turn:
    tops = _integers(message, "top", _top_fields(rows, cols))
    board = _integers(message, "board", _board_fields(rows, cols))
    last = [_integer(message, "lastx"), _integer(message, "lasty")]
    check_ranges(_last_fields(rows, cols), last)
    return _turn_from(last[0], last[1], tops, board)


def _message(content: dict[str, Any]) -> bytes:
    import json  # here and below: a bot's start-up counts on its clock, and json alone takes milliseconds

    body = json.dumps(content, separators=(",", ":")).encode("ascii")
    if len(body) > _MOST_JSON_BYTES:
        raise LocalProtocolError(f"message: expected at most {_MOST_JSON_BYTES} bytes, got {len(body)}")
    return b"%0*d" % (_HEADER_DIGITS, len(body)) + body


def _object(text: bytes, field: str) -> dict[str, Any]:
    import json

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


# What bots and judges call.


def _wire(name: str) -> _TextWire | _JsonWire:
    if name == "saiblo":
        return _TextWire()
    if name == "saiblo-v2":
        return _TextWire(with_sizes=True, greeting=b"ok")
    if name == "saiblo-v1":
        return _JsonWire()
    raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES)}, got {name!r}")


def greeting(wire: str) -> bytes:
    """Return the greeting that a bot sends first (bytes, b"" except for saiblo-v2)."""
    body = _wire(wire).greeting
    return encode_frame(body) if body else b""


def encode_reply(reply: tuple[int, int], wire: str) -> bytes:
    """Return a bot's Reply as one frame (bytes). Raises LocalProtocolError unless it is two integers."""
    try:
        row, col = map(index, reply)
    except (TypeError, ValueError):
        raise LocalProtocolError(f"reply: expected two integers, got {reply!r}") from None
    return encode_frame(_wire(wire).encode_reply(row, col))


def encode_opening(opening: Opening, wire: str) -> bytes:
    """Return the judge's Opening (bytes). Raises LocalProtocolError if it is out of the wire's range."""
    _check_opening(opening)
    return _wire(wire).encode_opening(opening)


def encode_turn(turn: Turn, wire: str) -> bytes:
    """Return the judge's Turn (bytes).

    Raises LocalProtocolError if a size or number is out of the wire's range. The rules are not checked:
    analysis and tests may send impossible positions.
    """
    _check_turn(turn)
    return _wire(wire).encode_turn(turn)


def encode_game_over(wire: str) -> bytes:
    """Return the judge's last message (bytes), b"" if the wire has none."""
    return _wire(wire).encode_game_over()


class MessageDecoder(WireDecoder):
    """The bot's decoder: bytes from the judge -> Opening, then Turn, Turn, ... (and GAME_OVER on saiblo-v1).

    On the text wires an opening is complete at the blank after its fourth number, a turn with its last board number.
    """

    def __init__(self, wire: str = "saiblo") -> None:
        """Raises LocalProtocolError unless `wire` is one of WIRES."""
        super().__init__(_wire(wire).message_reader())

    if TYPE_CHECKING:  # narrows the return type

        def next_message(self) -> Opening | Turn | _GameOver | None: ...


class ReplyDecoder(FramedDecoder):
    """The judge's decoder: bytes from a bot -> Replies.

    The greeting of saiblo-v2 is checked and skipped before the first reply.
    """

    THINGS = "replies"

    def __init__(self, wire: str = "saiblo", max_length: int = MAX_BODY_BYTES) -> None:
        """`max_length` is the longest body accepted, in bytes. Raises LocalProtocolError for a wrong wire."""
        super().__init__(max_length)
        self._wire = _wire(wire)
        self._greeting = self._wire.greeting

    def next_reply(self) -> Reply | None:
        """Return the next Reply, or None until one is complete.

        Raises FrameTooLong or EmptyFrame for a wrong length, RemoteProtocolError for a body that is not
        two integers. Negative integers are allowed: the referee checks legality.
        """
        return self._latched(self._read)

    def _read(self) -> Reply | None:
        body = self._take_frame()
        if body is not None and self._greeting:
            self._take_greeting(body)
            body = self._take_frame()
        return None if body is None else self._wire.decode_reply(body)

    def _take_greeting(self, body: bytes) -> None:
        if body != self._greeting:
            raise RemoteProtocolError(field="greeting", expected=excerpt(self._greeting), received=excerpt(body))
        self._greeting = b""
