"""Reversi between a bot and its judge: messages <-> bytes, both directions, without I/O.

Wires, named as on the bot's command line:

    auto             for a bot: the first byte chooses one of these, in the order below: '#', '{' or a digit
    saiblo           Saiblo's: boards of digits, replies in frames
    botzone          Botzone's JSON form
    botzone-simple   Botzone's simple form

Axes: row 0 on top, column 0 left, 0-based. Botzone's x is read as the row and y as the column, as on Saiblo;
the reverse would mirror the board, start position included, and give the same game.
protocol/botzone/__init__.py describes the order of Botzone's messages, botzone.py its moves in reversi.
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
    # Imported when needed: a bot's start-up counts on its clock, and json alone takes milliseconds.
    if name == "saiblo":
        from protocol.games.reversi.saiblo import SaibloWire

        return SaibloWire()
    if name in WIRES[2:]:
        from protocol.games.reversi.botzone import form

        return form(name)
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
    """The bot's decoder: bytes from the judge -> Turns; on Botzone's wires Requests, then NextRequests.

    A Turn is complete at its closing mark, Requests and a NextRequest at their closing brace or last
    number, before their line ends. Later Requests, of two or more, repeat the same game so far.
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

    For Botzone's answers use protocol.games.reversi.botzone.answer_decoder.
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
        from protocol.games.reversi.saiblo import decode_reply

        body = self._take_frame()
        return None if body is None else decode_reply(body, self._size)
