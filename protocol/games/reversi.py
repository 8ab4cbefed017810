"""Messages between a reversi bot and its judge as values and as bytes, both directions, without I/O.

Wires, named as on the bot's command line:

    auto             for a bot: the judge's first byte, '#', '{' or a digit, chooses one of these, in this order
    saiblo           Saiblo's: boards of digits, replies in frames
    botzone          Botzone's JSON form
    botzone-simple   Botzone's simple form

Axes: row 0 on top, column 0 left, 0-based. Player 0 has the black discs and moves first.
"""

from __future__ import annotations

from _operator import index

from protocol.botzone import BotzoneGame, kind_of
from protocol.decoding import AnyWireDecoder
from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.framing import MAX_BODY_BYTES, FramedDecoder, encode_frame
from protocol.integers import Field, check_ranges
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    from protocol.botzone.forms import JsonForm, SimpleForm
    from protocol.interfaces import MessageReader

    Board = TypeVar("Board", "Turn", "RuleQuery")

WIRES = ("auto", "saiblo", "botzone", "botzone-simple")
WIRE_SIZES = (4, 10)  # least and greatest size for which a reply of two digits suffices; Saiblo uses 8


# Saiblo's messages.


class Turn(ValueType):
    """Saiblo's request to move.

    `side` is the receiver, 0 or 1. `cells` is flat, `size` rows of `size` columns from the top: 0 for a disc of
    player 0, 1 for one of player 1, 2 for an empty cell.
    """

    side: int
    size: int
    cells: tuple[int, ...]


class RuleQuery(ValueType):
    """A bot's question to Saiblo's judge: where may `side` move on this board? Fields as in a Turn."""

    side: int
    size: int
    cells: tuple[int, ...]


class Reply(ValueType):
    """A bot's answer: the cell it plays. The referee checks legality."""

    row: int
    col: int


def _checked_board(message: Turn | RuleQuery) -> tuple[int, tuple[int, ...]]:
    """Return (side, cells) of a Turn or RuleQuery as ints.

    Raises LocalProtocolError if it may not be sent: sizes and ranges are checked, the rules are not.
    """
    try:
        side, size, cells = message
        side, size, cells = index(side), index(size), tuple(map(index, cells))
        check_ranges((Field("side", 0, 1), Field("size", *WIRE_SIZES)), (side, size))
        check_ranges([Field("len(cells)", size * size, size * size)], [len(cells)])
        check_ranges([Field(f"cells[{cell}]", 0, 2) for cell in range(size * size)], cells)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send a {type(message).__name__}: {error}") from None
    return side, cells


# Saiblo's wire.
#
#     judge -> bot    '#', the bot's player digit, one digit per cell, '#'; nothing before or after
#     bot -> judge    a frame of two digits, row and column,
#                     or a frame of a board in that form, to ask where that side may move
#     judge -> bot    the answer to such a question: one byte per cell, '1' where that side may move
#
# On 8x8 a board is 67 bytes. A mark closes it, so this project uses other sizes too.
# Evidence: the platform's ai_SDK.py and logic.py of 2021, and students' bots that read 67 bytes.

_MARK = b"#"
_SIZES = {size * size: size for size in range(WIRE_SIZES[0], WIRE_SIZES[1] + 1)}  # {number of cells: size}
_MOST_CELLS = max(_SIZES)
_BYTES_BESIDE_CELLS = 3
_ZERO = ord("0")


class _SaibloWire:
    """The bot's side of Saiblo's wire."""

    def message_reader(self) -> _SaibloReader:
        """Return a new reader of the judge's messages."""
        return _SaibloReader()

    def encode_reply(self, reply: Reply | None, keep_running: bool) -> bytes:
        """Return the bytes of a reply (row, col); `keep_running` is ignored, since Saiblo's bots always keep running.

        Raises LocalProtocolError unless row and column have one digit each; this wire has no pass.
        """
        if reply is None or not all(0 <= number <= 9 for number in reply):
            raise LocalProtocolError(f"reply: expected a row and a column of one digit, got {reply!r}")
        return encode_frame(b"%d%d" % tuple(reply))


def _encode_board(message: Turn | RuleQuery) -> bytes:
    """Return the bytes of a Turn or RuleQuery, without a frame. Raises LocalProtocolError if it may not be sent."""
    side, cells = _checked_board(message)
    return b"%s%d%s%s" % (_MARK, side, _digits(cells), _MARK)


def _digits(numbers: Iterable[int]) -> bytes:
    return bytes([_ZERO + number for number in numbers])


def _decode_reply(body: bytes, size: int) -> Reply | RuleQuery:
    """Return the Reply or RuleQuery in the body of a bot's frame; its length tells which it is.

    size: the number of the board's rows. Raises RemoteProtocolError for anything else.
    """
    query_length = size * size + _BYTES_BESIDE_CELLS
    if len(body) == query_length:
        return _board(RuleQuery, body, "query ")
    if len(body) == 2 and body.isdigit():
        return Reply(body[0] - _ZERO, body[1] - _ZERO)
    raise RemoteProtocolError(
        field="reply",
        expected=f"two digits, or {query_length} bytes to ask for the rules",
        received=excerpt(body),
    )


def _board(kind: type[Board], text: bytes, prefix: str = "") -> Board:
    """Return the Turn or RuleQuery in `text`. Raises RemoteProtocolError with the field's name after `prefix`."""
    _check_beginning(text[: max(len(text) - 1, 2)], prefix)
    if text[-1:] != _MARK:
        raise _wrong_byte(prefix + "end", _MARK, text[-1:])
    cells = text[2:-1]
    if len(cells) not in _SIZES:
        raise RemoteProtocolError(
            field=prefix + "cells",
            expected=f"as many as a board of {WIRE_SIZES[0]} to {WIRE_SIZES[1]} rows and columns has",
            received=str(len(cells)),
        )
    return kind(text[1] - _ZERO, _SIZES[len(cells)], tuple([cell - _ZERO for cell in cells]))


def _check_beginning(text: bytes, prefix: str = "") -> None:
    """Raise RemoteProtocolError for the first wrong byte of a board, which lacks its closing mark and perhaps cells."""
    for place, allowed, field in ((0, _MARK, "start"), (1, b"01", "side")):
        if text[place : place + 1] not in allowed:
            raise _wrong_byte(prefix + field, allowed, text[place : place + 1])
    wrong = text[2:].lstrip(b"012")
    if wrong:
        raise _wrong_byte(f"{prefix}cells[{len(text) - 2 - len(wrong)}]", b"012", wrong[:1])


def _wrong_byte(field: str, allowed: bytes, received: bytes) -> RemoteProtocolError:
    expected = " or ".join(allowed.decode())
    return RemoteProtocolError(field=field, expected=expected, received=excerpt(received))


class _SaibloReader:
    """Reads Turns, with or without blanks between them. After an error, read() must not be called again."""

    def __init__(self) -> None:
        self._pending = b""

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return bool(self._pending.strip())

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def expected(self) -> str:
        """Return the name of the field that the next byte belongs to."""
        place = len(self._pending)
        return ("start", "side")[place] if place < 2 else f"cells[{place - 2}]"

    def read(self) -> Turn | None:
        """Return the next Turn, or None until it is complete. Raises RemoteProtocolError naming the field."""
        self._pending = self._pending.lstrip()
        longest = _MOST_CELLS + _BYTES_BESIDE_CELLS
        end = self._pending.find(_MARK, 1, longest)
        if end >= 0:
            text, self._pending = self._pending[: end + 1], self._pending[end + 1 :]
            return _board(Turn, text)
        _check_beginning(self._pending[: longest - 1])
        if len(self._pending) >= longest:
            raise _wrong_byte("end", _MARK, self._pending[longest - 1 : longest])
        return None


# Botzone's wires; protocol/botzone/__init__.py describes the messages, and this is how a move is written in them:
#
#     JSON          {"x":2,"y":3}
#     simple form   2 3
#
# The numbers are row and column, 0 to 7. -1 -1 is a pass; it is also the first request to black, who moves first.
# Botzone's x is read as the row and y as the column, as on Saiblo. The reverse would mirror the board together with its
# start position, and give the same game.
# Evidence: ailab-pku/botzone-local at 7c80428, the platform's judge Reversi.cpp and games.py in online/.

SIZE = 8

_PASS = (-1, -1)
_NUMBERS = {b"%d" % number: number for number in range(-1, SIZE)}


class BotzoneMoves:
    """Writes and reads a move, (row, col) or None for a pass, in either form.

    If the move is neither on the board nor a pass, writing raises LocalProtocolError and reading
    RemoteProtocolError, with names that start with `field`. The rules are not checked.
    """

    def to_json(self, move: tuple[int, int] | None, field: str) -> dict[str, int]:
        """Return the move as a dict for JSON."""
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
        """Return whether a line without its end is a complete move, as its numbers cannot have more digits."""
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


botzone = BotzoneGame(BotzoneMoves())


# What bots and judges call.


def _wire(name: str) -> _SaibloWire | JsonForm | SimpleForm:
    if name == "saiblo":
        return _SaibloWire()
    if name in WIRES[2:]:
        return botzone.form(name)
    raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES[1:])}, got {name!r}")


def encode_reply(reply: tuple[int, int] | None, wire: str, keep_running: bool = False) -> bytes:
    """Return a bot's reply (bytes); None is a pass, which Saiblo's wire does not have.

    wire: any but "auto". keep_running: whether the process asks Botzone to let it run until the next turn.
    Raises LocalProtocolError if the wire cannot express the reply.
    """
    if reply is not None:
        try:
            row, col = map(index, reply)
        except (TypeError, ValueError):
            raise LocalProtocolError(f"reply: expected two integers, got {reply!r}") from None
        reply = Reply(row, col)
    return _wire(wire).encode_reply(reply, keep_running)


def encode_turn(turn: Turn) -> bytes:
    """Return Saiblo's request to move (bytes).

    Raises LocalProtocolError if a number is out of the wire's range. The rules are not checked.
    """
    return _encode_board(turn)


def encode_rule_query(query: RuleQuery) -> bytes:
    """Return a bot's RuleQuery on Saiblo's wire as one frame (bytes). Raises as `encode_turn`."""
    return encode_frame(_encode_board(query))


def encode_rule_answer(legal: Iterable[object]) -> bytes:
    """Return Saiblo's answer to a RuleQuery (bytes); `legal` is flat, row by row, true where the side may move."""
    return _digits([bool(cell) for cell in legal])


class MessageDecoder(AnyWireDecoder):
    """The bot's decoder: bytes from the judge -> Turns; on Botzone's wires Requests, then NextRequests.

    A Turn is complete at its closing mark, Requests and a NextRequest at their closing brace or last number, before
    their line ends. Later Requests, which hold two requests or more, repeat the same game so far.
    """

    FIRST_BYTES = "#, { or a digit"

    @staticmethod
    def wire_name(first_byte: bytes) -> str | None:
        """Return the wire whose messages begin with this byte (bytes), None if there is none."""
        if first_byte.isdigit():
            return "botzone-simple"
        return {b"#": "saiblo", b"{": "botzone"}.get(first_byte)

    @staticmethod
    def reader(wire: str) -> MessageReader:
        """Return a new reader of that wire. Raises LocalProtocolError for an unknown wire."""
        return _wire(wire).message_reader()


class ReplyDecoder(FramedDecoder):
    """The judge's decoder on Saiblo's wire: bytes from a bot -> Replies and RuleQueries.

    For Botzone's answers use botzone.answer_decoder.
    """

    THINGS = "replies"

    def __init__(self, wire: str = "saiblo", size: int = 8, max_length: int = MAX_BODY_BYTES) -> None:
        """`size` is the board's, `max_length` the longest body accepted, in bytes.

        Raises LocalProtocolError for another wire or a size outside WIRE_SIZES.
        """
        super().__init__(max_length)
        if wire != "saiblo":
            raise LocalProtocolError(f"wire: expected saiblo, got {wire!r}")
        if not WIRE_SIZES[0] <= size <= WIRE_SIZES[1]:
            raise LocalProtocolError(f"size: expected {WIRE_SIZES[0]} to {WIRE_SIZES[1]}, got {size!r}")
        self._size = size

    def next_reply(self) -> Reply | RuleQuery | None:
        """Return the next Reply or RuleQuery, or None until one is complete.

        Raises FrameTooLong or EmptyFrame for a wrong length, RemoteProtocolError for a body that is neither.
        """
        return self._latched(self._read)

    def _read(self) -> Reply | RuleQuery | None:
        body = self._take_frame()
        return None if body is None else _decode_reply(body, self._size)
