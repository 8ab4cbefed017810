"""Botzone (botzone.org.cn): the messages between its judges and its bots, in two forms, for every game.

A bot's process reads the whole game so far, writes one answer and ends, unless it asks to keep running.

    botzone          one JSON object a line: {"requests":[..],"responses":[..]} with n and n - 1 moves,
                     perhaps with "data", "globaldata", "time_limit", "memory_limit"; the answer is
                     {"response":..}, perhaps with "debug", "data", "globaldata"
    botzone-simple   lines: n; request 1, response 1, .., request n; perhaps a line of data, then globaldata
                     to the end; the answer is a line of response, perhaps lines of debug, data, globaldata

A request is the opponent's last move and a response the bot's own, in the game's format.

Keep running: a bot whose answer ends with the line KEEP_RUNNING_LINE is suspended until its next turn. It then
gets the newest request alone, without history and data, and has to ask again to keep running. That request comes as it
is: in JSON as the object that was in the list before, in the simple form as its line without n.
Evidence: the platform's wiki (page Bot, on running for long), ailab-pku/botzone-local (online/bot.py at
7c80428), and the platform's sample bot for Tank and published bots, which read it so
(fffasttime/Reversi-bwcore, src/online.cpp). We found no judge that sends {"requests":[one],..} instead; some
bots accept it, and so does this package.

The input may end without a line end: ouuan/botzone-local-runner writes none and closes.

In both forms a message is complete with its last byte, before its line ends. In JSON unknown keys are ignored. In the
simple form, lines of the bot's own data may follow the first message. Nothing marks them: a line there that begins with
a digit or a minus sign is read as a request; any other line is taken for data, which is dropped.
"""

from __future__ import annotations

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.integers import Field, check_ranges
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from protocol.botzone.forms import AnswerDecoder, JsonForm, SimpleForm
    from protocol.interfaces import Moves

WIRES = ("botzone", "botzone-simple")
KEEP_RUNNING_LINE = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
MAX_REQUESTS = 128  # more than a game on a board of 8x8 has, passes included


class Requests(ValueType):
    """A request to move, with the whole game so far.

    `requests` are the opponent's moves and `responses` the receiver's own, one fewer, in the order of the turns;
    the last request is unanswered. A move has the game's format: in reversi (row, col), or None for a pass and for
    the first request to the player who begins; for dots and boxes see BotzoneMoves in games/dots.py.
    """

    requests: tuple[Any, ...]
    responses: tuple[Any, ...]


class NextRequest(ValueType):
    """A request to a process that keeps running: the opponent's move, as in Requests."""

    request: Any


def requests_from(requests: Sequence[Any], responses: Sequence[Any]) -> Requests:
    """Return the Requests with these moves.

    Raises RemoteProtocolError unless there are 1 to MAX_REQUESTS requests, and one response fewer.
    """
    check_ranges([Field("len(requests)", 1, MAX_REQUESTS)], [len(requests)])
    check_ranges([Field("len(responses)", len(requests) - 1, len(requests) - 1)], [len(responses)])
    return Requests(tuple(requests), tuple(responses))


def kind_of(value: object) -> str:
    """Return the name of a JSON value's type for an error message; "nothing" for None."""
    return "nothing" if value is None else f"a {type(value).__name__}"


class BotzoneGame:
    """One game's messages in both forms; the judge's encoders and decoder serve to run a bot as Botzone does.

    `moves` writes and reads the game's moves, such as BotzoneMoves in games/reversi.py.
    """

    def __init__(self, moves: Moves) -> None:
        self._moves = moves

    def form(self, wire: str) -> JsonForm | SimpleForm:
        """Return the game's JsonForm or SimpleForm. Raises LocalProtocolError unless `wire` is one of WIRES."""
        if wire not in WIRES:
            raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES)}, got {wire!r}")
        from protocol.botzone.forms import JsonForm, SimpleForm  # here: a bot's start-up on other wires is on its clock

        return JsonForm(self._moves) if wire == "botzone" else SimpleForm(self._moves)

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
        from protocol.botzone.forms import AnswerDecoder

        return AnswerDecoder(self.form(wire))
