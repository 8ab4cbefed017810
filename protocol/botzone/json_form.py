"""Botzone's JSON form, for every game; protocol/botzone/__init__.py describes the messages.

Unknown keys are ignored. A message is complete with its object, before its line ends.
"""

from __future__ import annotations

import json
import re

from protocol.botzone.messages import (
    MAX_MESSAGE_BYTES,
    NextRequest,
    drop_blanks,
    keep_running_line,
    kind_of,
    requests_from,
    too_long,
)
from protocol.errors import RemoteProtocolError, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protocol.botzone.messages import Requests
    from protocol.interfaces import Moves

# Digits. A longer integer, which is valid only in an ignored key, is read as a float: Python converts it slowly.
LONGEST_INTEGER = 18

_OUTSIDE_TEXT = re.compile(rb'["{}\n]')
_INSIDE_TEXT = re.compile(rb'["\\\n]')


class JsonForm:
    """The JSON form, both directions.

    `moves` writes and reads the game's moves, such as `Moves` in games/reversi/botzone.py.
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
        """Return the judge's later message to a process that keeps running (bytes). Raises as `encode_requests`."""
        return _line(self._moves.to_json(message.request, "request"))

    def encode_reply(self, reply: Any, keep_running: bool) -> bytes:
        """Return a bot's answer (bytes). Raises LocalProtocolError for a wrong move."""
        return _line({"response": self._moves.to_json(reply, "reply")}) + keep_running_line(keep_running)

    def decode_answer(self, text: bytes) -> tuple[Any, Any, Any, Any]:
        """Return (move, debug, data, globaldata) of an answer without KEEP_RUNNING_LINE. Raises RemoteProtocolError."""
        answer = _read_object(text)
        debug, data, globaldata = [answer.get(key) for key in ("debug", "data", "globaldata")]
        return self._moves.from_json(answer.get("response"), "response"), debug, data, globaldata


class JsonReader:
    """Reads Requests, then NextRequests (or Requests again). After an error, read no further."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._pending = bytearray()
        self._has_begun = False
        self._forget_object()

    def _forget_object(self) -> None:
        """Reset the search for an object's end: its position, its depth in braces, whether it is inside a string."""
        self._looked_at, self._depth, self._in_text = 0, 0, False

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return bool(self._pending.strip())

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def expected(self) -> str:
        """Name the part of the message that the next byte belongs to."""
        return "message"

    def read(self) -> Requests | NextRequest | None:
        """Return the next message, or None until its object is complete. Raises RemoteProtocolError."""
        if self._looked_at == 0:
            drop_blanks(self._pending)
        if not self._pending:
            return None
        if self._pending[:1] != b"{":
            raise _no_object(self._pending)
        end = self._object_end()
        length = end if end >= 0 else len(self._pending)
        if length > MAX_MESSAGE_BYTES:
            raise too_long(length)
        if end < 0:
            return None
        text = bytes(self._pending[:end])
        del self._pending[:end]
        self._forget_object()
        message = self._message(_read_object(text))
        self._has_begun = True
        return message

    def _object_end(self) -> int:
        """Return the end (index) of the object that the pending bytes begin with, -1 while it is incomplete.

        Raises RemoteProtocolError if its line ends first.
        """
        while True:
            found = (_INSIDE_TEXT if self._in_text else _OUTSIDE_TEXT).search(self._pending, self._looked_at)
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
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def _read_object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode("utf-8"), parse_int=_integer)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _no_object(text)
    return value


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_INTEGER else float(digits)


def _no_object(received: bytes | bytearray) -> RemoteProtocolError:
    return RemoteProtocolError(field="message", expected="a JSON object on one line", received=excerpt(received))
