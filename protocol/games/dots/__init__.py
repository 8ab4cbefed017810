"""Dots and boxes between a bot and its judge: messages <-> bytes, both directions, without I/O.

Wires, named as on the bot's command line:

    auto             for a bot: the first byte chooses one of these, in the order below: a letter, '{' or a digit
    platform         the contest platform's lines, with whole turns; our own judge uses it too
    botzone          Botzone's JSON form, an edge at a time
    botzone-simple   Botzone's simple form

Edges are names such as "AAB" everywhere but in Botzone's messages: messages.py shows them, platform.py and
botzone.py describe their wires, protocol/botzone/__init__.py the order of Botzone's messages. On Botzone's wires a
request is (x, y, passed) and a response (x, y), places in its grid (edge_at, place_of).
"""

from __future__ import annotations

from protocol.botzone.messages import NextRequest, Requests
from protocol.decoding import StreamDecoder
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.games.dots.messages import Board, Complaint, End, NameQuery, New, Quit, Reply, Turn
from protocol.games.dots.platform import BLANKS, encode_message, encode_name
from protocol.message_decoder import AnyWireDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.interfaces import MessageReader

__all__ = [
    "WIRES",
    "Board",
    "Complaint",
    "End",
    "MessageDecoder",
    "NameQuery",
    "New",
    "NextRequest",
    "Quit",
    "Reply",
    "ReplyDecoder",
    "Requests",
    "Turn",
    "edge_at",
    "encode_message",
    "encode_name",
    "encode_reply",
    "place_of",
]

WIRES = ("auto", "platform", "botzone", "botzone-simple")


def edge_at(x: int, y: int) -> str:
    """Return the name of the edge at a place of Botzone's grid. Raises LocalProtocolError if no edge is there."""
    from protocol.games.dots.botzone import edge_at

    return edge_at(x, y)


def place_of(edge: str) -> tuple[int, int]:
    """Return (x, y) of an edge in Botzone's grid. Raises LocalProtocolError if the board has no edge of this name."""
    from protocol.games.dots.botzone import place_of

    return place_of(edge)


def encode_reply(edges: Sequence[str], wire: str, keep_running: bool = False) -> bytes:
    """Return a bot's answer (bytes) for edges' names in the order in which they are drawn.

    wire: any but "auto". On the platform's wire the edges are a whole turn; on Botzone's, one edge or none for a pass.
    keep_running: whether the process asks Botzone to let it run until the next turn.
    Raises LocalProtocolError if the wire cannot express the edges.
    """
    if wire == "platform":
        from protocol.games.dots.platform import encode_reply

        return encode_reply(edges)
    from protocol.games.dots.botzone import encode_edges

    return encode_edges(edges, wire, keep_running)


class MessageDecoder(AnyWireDecoder):
    """The bot's decoder: bytes from the judge -> the platform's messages, or Botzone's Requests and NextRequests.

    A line is complete at its end, CR and NUL included, or with its last letter if that can be known
    (platform.py); Requests and a NextRequest are complete at their closing brace or last number.
    """

    BLANKS = BLANKS
    FIRST_BYTES = "a letter, { or a digit"

    @staticmethod
    def wire_name(first_byte: bytes) -> str | None:
        """Return the wire whose messages begin with this byte (bytes), None if there is none."""
        if first_byte.isalpha():
            return "platform"
        if first_byte.isdigit():
            return "botzone-simple"
        return "botzone" if first_byte == b"{" else None

    @staticmethod
    def reader(wire: str) -> MessageReader:
        """Return a new reader of that wire. Raises LocalProtocolError for an unknown wire."""
        if wire == "platform":
            from protocol.games.dots.platform import PlatformReader

            return PlatformReader()
        if wire in WIRES[2:]:
            from protocol.games.dots.botzone import form

            return form(wire).message_reader()
        raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES[1:])}, got {wire!r}")


class ReplyDecoder(StreamDecoder):
    """The judge's decoder on the platform's wire: bytes from a bot -> Replies; the bot's name is skipped.

    For Botzone's answers use protocol.games.dots.botzone.answer_decoder.
    """

    THINGS = "replies"

    def __init__(self, wire: str = "platform") -> None:
        """Raises LocalProtocolError for another wire."""
        super().__init__()
        if wire != "platform":
            raise LocalProtocolError(f"wire: expected platform, got {wire!r}")
        from protocol.games.dots.platform import ReplyReader

        self._reader = ReplyReader()

    @property
    def partial(self) -> bool:
        """True while the bytes after the last reply or the bot's name are neither blank nor the start of its name."""
        return self._reader.partial

    @property
    def unread(self) -> bytes:
        """The bytes after the last returned reply or the bot's name."""
        return self._reader.unread

    def next_reply(self) -> Reply | None:
        """Return the next Reply, or None until one is complete.

        Raises FrameTooLong for a line that is too long, RemoteProtocolError for one that is not a turn.
        """
        return self._latched(self._read)

    def _accept(self, data: bytes) -> None:
        self._reader.feed(data)

    def _read(self) -> Reply | None:
        return self._reader.read()

    def _check_end(self) -> None:
        if self.partial:
            raise RemoteProtocolError(field="move", expected="the rest of the line", received="end of input")
