"""Reversi between a bot and its judge: messages <-> bytes, both directions, without I/O.

Wires, named as on the bot's command line:

    auto             for a bot: the one of these that the first byte tells, '#', '{' or a digit
    saiblo           Saiblo's: boards of digits, replies in frames
    botzone          Botzone's JSON form
    botzone-simple   Botzone's simple form

Axes: row 0 on top, column 0 left, 0-based. Botzone's x is taken as the row and y as the column, as Saiblo's
are; the other way round is the mirror image, start position included, so that no game can tell.
What Botzone says when is in botzone/__init__.py, its judge's side of reversi in botzone.py.
"""

from __future__ import annotations

from _operator import index

from protocol.botzone.messages import NextRequest, Requests
from protocol.errors import LocalProtocolError
from protocol.framing import MAX_BODY_BYTES, FramedDecoder, encode_frame
from protocol.games.reversi.messages import WIRE_SIZES, Reply, RuleQuery, Turn
from protocol.message_decoder import AnyWireDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.botzone.json_form import JsonForm
    from protocol.botzone.simple_form import SimpleForm
    from protocol.games.reversi.saiblo import SaibloWire
    from protocol.interfaces import MessageReader

__all__ = [
    "WIRES",
    "WIRE_SIZES",
    "MessageDecoder",
    "NextRequest",
    "Reply",
    "ReplyDecoder",
    "Requests",
    "RuleQuery",
    "Turn",
    "encode_reply",
    "encode_rule_answer",
    "encode_rule_query",
    "encode_turn",
]

WIRES = ("auto", "saiblo", "botzone", "botzone-simple")


def _wire(name: str) -> SaibloWire | JsonForm | SimpleForm:
    # Imported where chosen: a bot's start-up is on its clock, and json alone costs milliseconds.
    if name == "saiblo":
        from protocol.games.reversi.saiblo import SaibloWire

        return SaibloWire()
    if name in WIRES[2:]:
        from protocol.games.reversi.botzone import form

        return form(name)
    raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES[1:])}, got {name!r}")


def encode_reply(reply: tuple[int, int] | None, wire: str, keep_running: bool = False) -> bytes:
    """Return a bot's Reply (bytes), or a pass for None, which Saiblo never asks for.

    wire: any but "auto". keep_running: whether the process asks Botzone to let it stay for the next turn.
    Raises LocalProtocolError unless the wire can say it.
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

    Raises LocalProtocolError if a number is out of the wire's range. The position itself is not judged.
    """
    from protocol.games.reversi.saiblo import encode_board

    return encode_board(turn)


def encode_rule_query(query: RuleQuery) -> bytes:
    """Return a bot's RuleQuery on Saiblo's wire as one frame (bytes). Raises as `encode_turn`."""
    from protocol.games.reversi.saiblo import encode_board

    return encode_frame(encode_board(query))


def encode_rule_answer(legal: Iterable[object]) -> bytes:
    """Return Saiblo's answer to a RuleQuery (bytes); `legal` is flat, row by row, true where it may move."""
    from protocol.games.reversi.saiblo import encode_rule_answer

    return encode_rule_answer(legal)


class MessageDecoder(AnyWireDecoder):
    """The bot's ear: bytes from the judge -> Turns; on Botzone's wires Requests, then NextRequests.

    A Turn is complete at its closing mark, Requests and a NextRequest at their closing brace or last
    number, before their line ends. Later Requests, of two or more, tell the same game anew.
    """

    FIRST_BYTES = "#, { or a digit"

    @staticmethod
    def wire_name(first_byte: bytes) -> str | None:
        """The wire that begins with this byte (bytes); None if none does."""
        if first_byte.isdigit():
            return "botzone-simple"
        return {b"#": "saiblo", b"{": "botzone"}.get(first_byte)

    @staticmethod
    def reader(wire: str) -> MessageReader:
        """A new reader of that wire. Raises LocalProtocolError for one that is not known."""
        return _wire(wire).message_reader()


class ReplyDecoder(FramedDecoder):
    """The judge's ear on Saiblo's wire: bytes from a bot -> Replies and RuleQueries.

    For Botzone's answers there is reversi_botzone.answer_decoder.
    """

    THINGS = "replies"

    def __init__(self, wire: str = "saiblo", size: int = 8, max_length: int = MAX_BODY_BYTES) -> None:
        """`size` is the board's, `max_length` the longest body accepted, in bytes.

        Raises LocalProtocolError for another wire, or a size that is not Saiblo's.
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
        from protocol.games.reversi.saiblo import decode_reply

        body = self._take_frame()
        return None if body is None else decode_reply(body, self._size)
