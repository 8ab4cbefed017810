"""One game on Botzone: a form for each wire, and the judge's side. protocol/botzone/__init__.py describes the forms."""

from __future__ import annotations

from protocol.botzone.messages import WIRES, NextRequest, Requests, requests_from
from protocol.errors import LocalProtocolError, RemoteProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol.botzone.answers import AnswerDecoder
    from protocol.botzone.json_form import JsonForm
    from protocol.botzone.simple_form import SimpleForm
    from protocol.interfaces import Moves


class BotzoneGame:
    """One game on both wires, and the judge's side for running a bot as Botzone does.

    `moves` writes and reads the game's moves, such as `Moves` in games/reversi/botzone.py.
    """

    def __init__(self, moves: Moves) -> None:
        self._moves = moves

    def form(self, wire: str) -> JsonForm | SimpleForm:
        """Return the game's JsonForm or SimpleForm. Raises LocalProtocolError unless `wire` is one of WIRES."""
        if wire == "botzone":
            from protocol.botzone.json_form import JsonForm

            return JsonForm(self._moves)
        if wire == "botzone-simple":
            from protocol.botzone.simple_form import SimpleForm

            return SimpleForm(self._moves)
        raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES)}, got {wire!r}")

    def encode_requests(self, message: Requests, wire: str) -> bytes:
        """Return a judge's Requests (bytes). Raises LocalProtocolError if they may not be sent."""
        try:
            requests_from(*message)
        except (TypeError, RemoteProtocolError) as error:
            raise LocalProtocolError(f"cannot send {message!r}: {error}") from None
        return self.form(wire).encode_requests(message)

    def encode_next_request(self, message: NextRequest, wire: str) -> bytes:
        """Return a judge's NextRequest (bytes). Raises LocalProtocolError if it may not be sent."""
        return self.form(wire).encode_next_request(message)

    def answer_decoder(self, wire: str) -> AnswerDecoder:
        """Return a new AnswerDecoder for the output of one process of a bot."""
        from protocol.botzone.answers import AnswerDecoder

        return AnswerDecoder(self.form(wire))
