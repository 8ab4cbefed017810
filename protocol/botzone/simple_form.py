"""Botzone's simple form, for games whose moves are a line of integers; the package's docstring describes it.

After the first message, lines of the bot's own data may follow. They have no mark: a line there that begins
with a digit or a minus sign is read as a request, any other line is data, which is dropped.
"""

from __future__ import annotations

from protocol.botzone.messages import (
    MAX_MESSAGE_BYTES,
    MAX_REQUESTS,
    NextRequest,
    Requests,
    drop_blanks,
    keep_running_line,
    requests_from,
    too_long,
)
from protocol.errors import RemoteProtocolError, excerpt
from protocol.integers import Field, describe_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protocol.interfaces import Moves

LONGEST_LINE = 100  # bytes of a line of integers: ten times what one needs

COUNT = Field("n", 1, MAX_REQUESTS)
_COUNTS = {b"%d" % count: count for count in range(COUNT.low, COUNT.high + 1)}
_BEGINNINGS = b"-0123456789"


class SimpleForm:
    """The simple form, both directions.

    `moves` writes and reads the game's moves, such as `Moves` in games/reversi/botzone.py.
    """

    def __init__(self, moves: Moves) -> None:
        self._moves = moves

    def message_reader(self) -> SimpleReader:
        """Return a new reader of the judge's messages."""
        return SimpleReader(self._moves)

    def encode_requests(self, message: Requests) -> bytes:
        """Return the judge's first message to a process (bytes). Raises LocalProtocolError for a wrong move."""
        lines = [b"%d" % len(message.requests)]
        for turn, request in enumerate(message.requests):
            lines.append(self._moves.to_line(request, "requests"))
            lines += [self._moves.to_line(move, "responses") for move in message.responses[turn : turn + 1]]
        return b"".join([line + b"\n" for line in lines])

    def encode_next_request(self, message: NextRequest) -> bytes:
        """Return the judge's later message to a process that keeps running (bytes). Raises as `encode_requests`."""
        return self._moves.to_line(message.request, "request") + b"\n"

    def encode_reply(self, reply: Any, keep_running: bool) -> bytes:
        """Return a bot's answer (bytes). Raises LocalProtocolError for a wrong move."""
        return self._moves.to_line(reply, "reply") + b"\n" + keep_running_line(keep_running)

    def decode_answer(self, text: bytes) -> tuple[Any, Any, Any, Any]:
        """Return (move, debug, data, globaldata) of an answer without KEEP_RUNNING_LINE. Raises RemoteProtocolError."""
        response, *others = text.rstrip(b"\r\n").split(b"\n", 3)
        texts = [line.decode("utf-8", "replace") for line in others]
        debug, data, globaldata = [*texts, None, None, None][:3]
        return self._moves.from_line(response, "response"), debug, data, globaldata


class SimpleReader:
    """Reads Requests, then NextRequests. After an error, read no further.

    A message is complete with the last digit of its last move, before its line ends.
    """

    def __init__(self, moves: Moves) -> None:
        self._game = moves
        self._pending = bytearray()
        self._count: int | None = None  # of the requests in the first message, once it is known
        self._moves: list[Any] = []  # the first message's moves so far
        self._has_begun = False  # whether the first message has been returned
        self._unclosed: str | None = None  # the last message's last field while its line has not ended
        self._data_possible = False
        self._data_bytes = 0  # of the line of data that has not ended yet

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are more than blanks and the bot's data."""
        self._drop_needless()
        return bool(self._pending) or (self._count is not None and not self._has_begun)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def expected(self) -> str:
        """Name the field that the next line belongs to."""
        if self._has_begun:
            return "request"
        if self._count is None:
            return COUNT.name
        kind, place = ("requests", "responses")[len(self._moves) % 2], len(self._moves) // 2
        return f"{kind}[{place}]"

    def read(self) -> Requests | NextRequest | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""
        self._drop_needless()
        if self._unclosed and self._pending:
            raise RemoteProtocolError(
                field=self._unclosed, expected="the end of its line", received=excerpt(self._pending)
            )
        if self._data_bytes > MAX_MESSAGE_BYTES:
            raise too_long(self._data_bytes)
        message = None
        while message is None:
            drop_blanks(self._pending)
            line = self._take_line()
            if line is None:
                return None
            message = self._message(line)
        self._data_possible = isinstance(message, Requests)
        return message

    def _drop_needless(self) -> None:
        """Delete the end of a line whose move was taken early, blanks, and the bot's data from the pending bytes."""
        while self._unclosed and self._pending[:1].isspace():
            if self._pending[:1] == b"\n":
                self._unclosed = None
            del self._pending[:1]
        if self._unclosed:
            return
        while True:
            if self._data_bytes == 0:
                drop_blanks(self._pending)
                if not self._data_possible or self._pending[:1] in _BEGINNINGS:
                    return
            line_end = self._pending.find(b"\n")
            dropped = line_end + 1 or len(self._pending)
            self._data_bytes += dropped
            del self._pending[:dropped]
            if line_end < 0 or self._data_bytes > MAX_MESSAGE_BYTES:
                return
            self._data_bytes = 0

    def _take_line(self) -> bytes | None:
        """Return the next line without its end, None until it is complete; a message's last line needs no end."""
        line_end = self._pending.find(b"\n", 0, LONGEST_LINE + 1)
        if line_end >= 0:
            line = bytes(self._pending[:line_end])
            del self._pending[: line_end + 1]
            return line
        if len(self._pending) > LONGEST_LINE or self._pending.translate(None, _BEGINNINGS + b" \t\r\v\f"):
            raise _wrong_line(self.expected(), "a line of integers", self._pending)
        ends_message = self._has_begun or (self._count is not None and len(self._moves) == 2 * self._count - 2)
        line = bytes(self._pending)
        if not ends_message or not self._game.is_whole(line):
            return None
        self._unclosed = self.expected()
        self._pending.clear()
        return line

    def _message(self, line: bytes) -> Requests | NextRequest | None:
        """Add a line; return the message that it completes, else None. Raises RemoteProtocolError."""
        if self._has_begun:
            return NextRequest(self._game.from_line(line, "request"))
        if self._count is None:
            self._count = _COUNTS.get(line.strip())
            if self._count is None:
                raise _wrong_line(COUNT.name, describe_range(COUNT), line)
            return None
        self._moves.append(self._game.from_line(line, self.expected()))
        if len(self._moves) < 2 * self._count - 1:
            return None
        self._has_begun = True
        return requests_from(self._moves[0::2], self._moves[1::2])


def _wrong_line(field: str, expected: str, line: bytes | bytearray) -> RemoteProtocolError:
    return RemoteProtocolError(field=field, expected=expected, received=excerpt(line))
