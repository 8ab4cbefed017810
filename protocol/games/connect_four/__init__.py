"""Connect four between a bot and its judge: messages <-> bytes, both directions, without I/O.

The wire has had three generations, named as on the bot's command line:

    saiblo      V3, lines of integers; in use
    saiblo-v2   V2, the same with array sizes, and the bot sends a greeting first
    saiblo-v1   V1, JSON

In all of them a bot sends its reply in a frame (u32 big-endian length, then the body).
Axes: row 0 on top, column 0 left, 0-based. Boards have 9 to 12 rows and columns.
"""

from __future__ import annotations

from _operator import index

from protocol.decoding import WireDecoder
from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.framing import MAX_BODY_BYTES, FramedDecoder, encode_frame
from protocol.games.connect_four.messages import GAME_OVER, Opening, Reply, Turn, check_opening, check_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol.games.connect_four.json_wire import JsonWire
    from protocol.games.connect_four.messages import _GameOver
    from protocol.games.connect_four.text_wire import TextWire

__all__ = [
    "GAME_OVER",
    "WIRES",
    "MessageDecoder",
    "Opening",
    "Reply",
    "ReplyDecoder",
    "Turn",
    "encode_game_over",
    "encode_opening",
    "encode_reply",
    "encode_turn",
    "greeting",
]

WIRES = ("saiblo", "saiblo-v2", "saiblo-v1")


def _wire(name: str) -> JsonWire | TextWire:
    # Imported when needed: a bot's start-up counts on its clock, and json alone takes milliseconds.
    if name == "saiblo-v1":
        from protocol.games.connect_four.json_wire import JsonWire

        return JsonWire()
    from protocol.games.connect_four.text_wire import TextWire

    if name == "saiblo":
        return TextWire()
    if name == "saiblo-v2":
        return TextWire(with_sizes=True, greeting=b"ok")
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
    check_opening(opening)
    return _wire(wire).encode_opening(opening)


def encode_turn(turn: Turn, wire: str) -> bytes:
    """Return the judge's Turn (bytes).

    Raises LocalProtocolError if a size or number is out of the wire's range. The rules are not checked:
    analysis and tests may send impossible positions.
    """
    check_turn(turn)
    return _wire(wire).encode_turn(turn)


def encode_game_over(wire: str) -> bytes:
    """Return the judge's last message (bytes), b"" if the wire has none."""
    return _wire(wire).encode_game_over()


class MessageDecoder(WireDecoder):
    """The bot's decoder: bytes from the judge -> Opening, then Turn, Turn, ... (and GAME_OVER on saiblo-v1).

    An opening is complete at the blank after its fourth number, a turn with its last board number.
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
