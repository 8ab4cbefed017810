"""Botzone's two forms of messages, which the package's docstring describes, and the judge's decoder of a bot's output.

A bot loads this file when its wire is one of these: its start-up counts on its clock. json and re, which take
milliseconds each, are imported by the JSON form alone.
"""

from __future__ import annotations

from protocol.botzone import (
    KEEP_RUNNING_LINE,
    MAX_REQUESTS,
    NextRequest,
    Requests,
    kind_of,
    requests_from,
)
from protocol.decoding import StreamDecoder
from protocol.errors import RemoteProtocolError, excerpt
from protocol.integers import Field, describe_range
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protocol.interfaces import Moves

MAX_MESSAGE_BYTES = 1000000  # data and globaldata may have 100 KB each; a game's moves take less than 10 KB


def _keep_running_line(keep_running: bool) -> bytes:
    """Return the line that asks to keep running (bytes) if keep_running is true, else b""."""
    return KEEP_RUNNING_LINE + b"\n" if keep_running else b""


def _drop_blanks(pending: bytearray) -> None:
    """Delete the blanks at the beginning of the bytearray `pending`."""
    while pending[:1].isspace():
        del pending[:1]  # cheap: a bytearray deletes at its front without a copy


def _too_long(count: int) -> RemoteProtocolError:
    """Return the error for a message of `count` bytes, more than MAX_MESSAGE_BYTES."""
    return RemoteProtocolError(field="message", expected=f"at most {MAX_MESSAGE_BYTES} bytes", received=str(count))


# The JSON form.

# Digits. A longer integer, which is valid only in an ignored key, is read as a float, as Python converts it slowly to
# int.
_LONGEST_INTEGER = 18


class JsonForm:
    """The JSON form of messages, in both directions.

    `moves` writes and reads the game's moves, such as BotzoneMoves in games/reversi.py.
    """

    def __init__(self, moves: Moves) -> None:
        self._moves = moves

    def message_reader(self) -> JsonReader:
        """Return a new reader of the judge's messages."""
        return JsonReader(self._moves)

    def encode_requests(self, message: Requests) -> bytes:
        """Return the judge's first message to a process (bytes). Raises LocalProtocolError for a wrong move."""
        history = message._asdict().items()
        return _line({name: [self._moves.to_json(move, name) for move in moves] for name, moves in history})

    def encode_next_request(self, message: NextRequest) -> bytes:
        """Return the judge's later message to a process that keeps running (bytes).

        Raises as encode_requests() does.
        """
        return _line(self._moves.to_json(message.request, "request"))

    def encode_reply(self, reply: Any, keep_running: bool) -> bytes:
        """Return a bot's answer (bytes). Raises LocalProtocolError for a wrong move."""
        return _line({"response": self._moves.to_json(reply, "reply")}) + _keep_running_line(keep_running)

    def decode_answer(self, text: bytes) -> tuple[Any, Any, Any, Any]:
        """Return (move, debug, data, globaldata) of an answer without KEEP_RUNNING_LINE. Raises RemoteProtocolError."""
        answer = _read_object(text)
        debug, data, globaldata = [answer.get(key) for key in ("debug", "data", "globaldata")]
        return self._moves.from_json(answer.get("response"), "response"), debug, data, globaldata


class JsonReader:
    """Reads Requests, then NextRequests (or Requests again). After an error, read() must not be called again."""

    def __init__(self, moves: Moves) -> None:
        import re

        self._outside_text, self._inside_text = re.compile(rb'["{}\n]'), re.compile(rb'["\\\n]')
        self._moves = moves
        self._pending = bytearray()
        self._has_begun = False
        self._forget_object()

    def _forget_object(self) -> None:
        """Reset the search for the end of an object: its position, the depth of braces, whether it is in a string."""
        self._looked_at, self._depth, self._in_text = 0, 0, False

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return bool(self._pending.strip())

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def expected(self) -> str:
        """Return the name of the part of a message that the next byte belongs to."""
        return "message"

    def read(self) -> Requests | NextRequest | None:
        """Return the next message, or None until its object is complete. Raises RemoteProtocolError."""
        if self._looked_at == 0:
            _drop_blanks(self._pending)
        if not self._pending:
            return None
        if self._pending[:1] != b"{":
            raise _no_object(self._pending)
        end = self._object_end()
        length = end if end >= 0 else len(self._pending)
        if length > MAX_MESSAGE_BYTES:
            raise _too_long(length)
        if end < 0:
            return None
        text = bytes(self._pending[:end])
        del self._pending[:end]
        self._forget_object()
        message = self._message(_read_object(text))
        self._has_begun = True
        return message

    def _object_end(self) -> int:
        """Return the index after the object with which the pending bytes begin, -1 while it is incomplete.

        Raises RemoteProtocolError if its line ends first.
        """
        while True:
            found = (self._inside_text if self._in_text else self._outside_text).search(self._pending, self._looked_at)
            if found is None:
                self._looked_at = max(self._looked_at, len(self._pending))
                return -1
            byte, self._looked_at = found.group(), found.end()
            if byte == b"\n":
                raise _no_object(self._pending[: found.start()])
            if byte == b"\\":
                self._looked_at += 1  # an escaped byte does not end the string
            elif byte == b'"':
                self._in_text = not self._in_text
            else:
                self._depth += 1 if byte == b"{" else -1
                if self._depth == 0:
                    return found.end()

    def _message(self, content: dict[str, Any]) -> Requests | NextRequest:
        if "requests" not in content and self._has_begun:
            return NextRequest(self._moves.from_json(content, "request"))
        requests = self._history(content.get("requests"), "requests")
        message = requests_from(requests, self._history(content.get("responses", []), "responses"))
        if self._has_begun and len(requests) == 1:
            return NextRequest(requests[0])
        return message

    def _history(self, values: object, field: str) -> list[Any]:
        if type(values) is not list:
            raise RemoteProtocolError(field=field, expected="a list", received=kind_of(values))
        return [self._moves.from_json(value, f"{field}[{place}]") for place, value in enumerate(values)]


def _line(content: dict[str, Any]) -> bytes:
    import json

    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def _read_object(text: bytes) -> dict[str, Any]:
    import json

    try:
        value = json.loads(text.decode("utf-8"), parse_int=_integer)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _no_object(text)
    return value


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def _no_object(received: bytes | bytearray) -> RemoteProtocolError:
    return RemoteProtocolError(field="message", expected="a JSON object on one line", received=excerpt(received))


# The simple form.

_LONGEST_LINE = 100  # bytes of a line of integers: ten times what such a line needs

_COUNT = Field("n", 1, MAX_REQUESTS)
_COUNTS = {b"%d" % count: count for count in range(_COUNT.low, _COUNT.high + 1)}
_BEGINNINGS = b"-0123456789"


class SimpleForm:
    """The simple form of messages, in both directions.

    `moves` writes and reads the game's moves, such as BotzoneMoves in games/reversi.py.
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
        """Return the judge's later message to a process that keeps running (bytes).

        Raises as encode_requests() does.
        """
        return self._moves.to_line(message.request, "request") + b"\n"

    def encode_reply(self, reply: Any, keep_running: bool) -> bytes:
        """Return a bot's answer (bytes). Raises LocalProtocolError for a wrong move."""
        return self._moves.to_line(reply, "reply") + b"\n" + _keep_running_line(keep_running)

    def decode_answer(self, text: bytes) -> tuple[Any, Any, Any, Any]:
        """Return (move, debug, data, globaldata) of an answer without KEEP_RUNNING_LINE. Raises RemoteProtocolError."""
        response, *others = text.rstrip(b"\r\n").split(b"\n", 3)
        texts = [line.decode("utf-8", "replace") for line in others]
        debug, data, globaldata = [*texts, None, None, None][:3]
        return self._moves.from_line(response, "response"), debug, data, globaldata


class SimpleReader:
    """Reads Requests, then NextRequests. After an error, read() must not be called again.

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
        """True while there are bytes after the last returned message besides blanks and the bot's data."""
        self._drop_needless()
        return bool(self._pending) or (self._count is not None and not self._has_begun)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def expected(self) -> str:
        """Return the name of the field that the next line belongs to."""
        if self._has_begun:
            return "request"
        if self._count is None:
            return _COUNT.name
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
            raise _too_long(self._data_bytes)
        message = None
        while message is None:
            _drop_blanks(self._pending)
            line = self._take_line()
            if line is None:
                return None
            message = self._message(line)
        self._data_possible = isinstance(message, Requests)
        return message

    def _drop_needless(self) -> None:
        """Delete blanks, the bot's data and the end of a line whose move was taken early from the pending bytes."""
        while self._unclosed and self._pending[:1].isspace():
            if self._pending[:1] == b"\n":
                self._unclosed = None
            del self._pending[:1]
        if self._unclosed:
            return
        while True:
            if self._data_bytes == 0:
                _drop_blanks(self._pending)
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
        """Return the next line without its end, None until it is complete. The last line of a message needs no end.

        Raises RemoteProtocolError if it cannot be a line of integers.
        """
        line_end = self._pending.find(b"\n", 0, _LONGEST_LINE + 1)
        if line_end >= 0:
            line = bytes(self._pending[:line_end])
            del self._pending[: line_end + 1]
            return line
        if len(self._pending) > _LONGEST_LINE or self._pending.translate(None, _BEGINNINGS + b" \t\r\v\f"):
            raise _wrong_line(self.expected(), "a line of integers", self._pending)
        ends_message = self._has_begun or (self._count is not None and len(self._moves) == 2 * self._count - 2)
        line = bytes(self._pending)
        if not ends_message or not self._game.is_whole(line):
            return None
        self._unclosed = self.expected()
        self._pending.clear()
        return line

    def _message(self, line: bytes) -> Requests | NextRequest | None:
        """Add a line to the message; return the message if it is complete, else None. Raises RemoteProtocolError."""
        if self._has_begun:
            return NextRequest(self._game.from_line(line, "request"))
        if self._count is None:
            self._count = _COUNTS.get(line.strip())
            if self._count is None:
                raise _wrong_line(_COUNT.name, describe_range(_COUNT), line)
            return None
        self._moves.append(self._game.from_line(line, self.expected()))
        if len(self._moves) < 2 * self._count - 1:
            return None
        self._has_begun = True
        return requests_from(self._moves[0::2], self._moves[1::2])


def _wrong_line(field: str, expected: str, line: bytes | bytearray) -> RemoteProtocolError:
    return RemoteProtocolError(field=field, expected=expected, received=excerpt(line))


# The judge's decoder of both.


class Answer(ValueType):
    """A bot's output in one turn.

    `move` is in the game's format, as its Moves read it; `keep_running` says whether the bot asked to keep running.
    `debug`, `data` and `globaldata` are None if absent; otherwise they are texts in the simple form, and any values in
    JSON.
    """

    move: Any
    debug: Any
    data: Any
    globaldata: Any
    keep_running: bool


class AnswerDecoder(StreamDecoder):
    """The judge's decoder: bytes from one process of a bot -> Answers."""

    THINGS = "answers"

    def __init__(self, form: JsonForm | SimpleForm) -> None:
        """`form`: a JsonForm or a SimpleForm."""
        super().__init__()
        self._form = form
        self._pending = bytearray()
        self._looked_at = 0

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned answer are not all blank."""
        return bool(self._pending.strip())

    def next_answer(self) -> Answer | None:
        """Return the next Answer that asks to keep running, or None until one is complete with its last line.

        Raises RemoteProtocolError for an answer that is too long or malformed.
        """
        return self._latched(self._read)

    def end(self) -> Answer | None:  # type: ignore[override]
        """Handle the end of the process; return the Answer that ends with it, None if there are no bytes left.

        Raises RemoteProtocolError as next_answer() does.
        Precondition (LocalProtocolError otherwise): next_answer() has returned every complete answer.
        """
        super().end()
        return self._latched(self._take_rest)

    def _accept(self, data: bytes) -> None:
        self._pending += data

    def _read(self) -> Answer | None:
        line_end = self._pending.find(b"\n", self._looked_at)
        while line_end >= 0:
            line_start = self._pending.rfind(b"\n", 0, line_end) + 1
            if self._pending[line_start:line_end].strip() == KEEP_RUNNING_LINE:
                return self._take(line_start, line_end + 1, keep_running=True)
            self._looked_at = line_end + 1
            line_end = self._pending.find(b"\n", self._looked_at)
        if len(self._pending) > MAX_MESSAGE_BYTES:
            raise _too_long(len(self._pending))
        return None

    def _take_rest(self) -> Answer | None:
        if not self.partial:
            return None
        return self._take(len(self._pending), len(self._pending), keep_running=False)

    def _take(self, text_end: int, end: int, keep_running: bool) -> Answer:
        text = bytes(self._pending[:text_end])
        del self._pending[:end]
        self._looked_at = 0
        if len(text) > MAX_MESSAGE_BYTES:
            raise _too_long(len(text))
        return Answer(*self._form.decode_answer(text), keep_running)
