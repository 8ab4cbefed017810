"""Reversi's wire on Saiblo: boards of digits to the bot, frames from it.

    judge -> bot    '#', the bot's player digit, one digit per cell, '#'; nothing before or after
    bot -> judge    a frame of two digits, row and column,
                    or a frame of a board in that form, to ask where that side may move
    judge -> bot    the answer to such a question: one byte per cell, '1' where that side may move

On 8x8 a board is 67 bytes. A mark closes it, so this project uses other sizes too.
Evidence: the platform's ai_SDK.py and logic.py of 2021, and students' bots that read 67 bytes.
"""

from __future__ import annotations

from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.framing import encode_frame
from protocol.games.reversi.messages import WIRE_SIZES, Reply, RuleQuery, Turn, checked_board

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    Board = TypeVar("Board", Turn, RuleQuery)

MARK = b"#"
SIZES = {size * size: size for size in range(WIRE_SIZES[0], WIRE_SIZES[1] + 1)}  # by the number of cells
MOST_CELLS = max(SIZES)
BYTES_BESIDE_CELLS = 3
ZERO = ord("0")


class SaibloWire:
    """The bot's side of this wire."""

    def message_reader(self) -> SaibloReader:
        """Return a new reader of the judge's messages."""
        return SaibloReader()

    def encode_reply(self, reply: Reply | None, keep_running: bool) -> bytes:
        """Return the bytes of a reply (row, col); `keep_running` is ignored, since Saiblo's bots always keep running.

        Raises LocalProtocolError unless it is a cell with numbers of one digit; this wire has no pass.
        """
        if reply is None or not all(0 <= number <= 9 for number in reply):
            raise LocalProtocolError(f"reply: expected a row and a column of one digit, got {reply!r}")
        return encode_frame(b"%d%d" % tuple(reply))


def encode_board(message: Turn | RuleQuery) -> bytes:
    """Return the bytes of a Turn or RuleQuery, unframed. Raises LocalProtocolError if out of range."""
    side, cells = checked_board(message)
    return b"%s%d%s%s" % (MARK, side, _digits(cells), MARK)


def encode_rule_answer(legal: Iterable[object]) -> bytes:
    """Return the answer to a rule query; `legal` is flat, row by row, true where that side may move."""
    return _digits([bool(cell) for cell in legal])


def _digits(numbers: Iterable[int]) -> bytes:
    return bytes([ZERO + number for number in numbers])


def decode_reply(body: bytes, size: int) -> Reply | RuleQuery:
    """Return the Reply or RuleQuery in a bot's frame on a board of that size, by the body's length.

    Raises RemoteProtocolError for anything else.
    """
    query_length = size * size + BYTES_BESIDE_CELLS
    if len(body) == query_length:
        return _board(RuleQuery, body, "query ")
    if len(body) == 2 and body.isdigit():
        return Reply(body[0] - ZERO, body[1] - ZERO)
    raise RemoteProtocolError(
        field="reply",
        expected=f"two digits, or {query_length} bytes to ask for the rules",
        received=excerpt(body),
    )


def _board(kind: type[Board], text: bytes, prefix: str = "") -> Board:
    """Return the Turn or RuleQuery in `text`. Raises RemoteProtocolError; `prefix` precedes its field's name."""
    _check_beginning(text[: max(len(text) - 1, 2)], prefix)
    if text[-1:] != MARK:
        raise _wrong_byte(prefix + "end", MARK, text[-1:])
    cells = text[2:-1]
    if len(cells) not in SIZES:
        raise RemoteProtocolError(
            field=prefix + "cells",
            expected=f"as many as a board of {WIRE_SIZES[0]} to {WIRE_SIZES[1]} rows and columns has",
            received=str(len(cells)),
        )
    return kind(text[1] - ZERO, SIZES[len(cells)], tuple([cell - ZERO for cell in cells]))


def _check_beginning(text: bytes, prefix: str = "") -> None:
    """Raise RemoteProtocolError for the first wrong byte of a board, or part of one, without its end."""
    for place, allowed, field in ((0, MARK, "start"), (1, b"01", "side")):
        if text[place : place + 1] not in allowed:
            raise _wrong_byte(prefix + field, allowed, text[place : place + 1])
    wrong = text[2:].lstrip(b"012")
    if wrong:
        raise _wrong_byte(f"{prefix}cells[{len(text) - 2 - len(wrong)}]", b"012", wrong[:1])


def _wrong_byte(field: str, allowed: bytes, received: bytes) -> RemoteProtocolError:
    expected = " or ".join(allowed.decode())
    return RemoteProtocolError(field=field, expected=expected, received=excerpt(received))


class SaibloReader:
    """Reads Turns, with or without blanks between them. After an error, read no further."""

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
        """Name the field that the next byte belongs to."""
        place = len(self._pending)
        return ("start", "side")[place] if place < 2 else f"cells[{place - 2}]"

    def read(self) -> Turn | None:
        """Return the next Turn, or None until it is complete. Raises RemoteProtocolError naming the field."""
        self._pending = self._pending.lstrip()
        longest = MOST_CELLS + BYTES_BESIDE_CELLS
        end = self._pending.find(MARK, 1, longest)
        if end >= 0:
            text, self._pending = self._pending[: end + 1], self._pending[end + 1 :]
            return _board(Turn, text)
        _check_beginning(self._pending[: longest - 1])
        if len(self._pending) >= longest:
            raise _wrong_byte("end", MARK, self._pending[longest - 1 : longest])
        return None
