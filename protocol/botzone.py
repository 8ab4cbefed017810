"""Botzone (botzone.org.cn): what its judges and its bots say to each other, in two forms, whatever the game.

A bot's process begins with the whole game so far and ends with one answer, unless it asks to stay.

    botzone          one JSON object a line: {"requests":[..],"responses":[..]} with n and n - 1 moves,
                     perhaps with "data", "globaldata", "time_limit", "memory_limit"; the answer is
                     {"response":..}, perhaps with "debug", "data", "globaldata"
    botzone-simple   lines: n; request 1, response 1, .., request n; perhaps a line of data, then globaldata
                     to the end; the answer is a line of response, perhaps lines of debug, data, globaldata

A request is the opponent's last move and a response the bot's own, in the shape that the game gives them.

Keep running: a bot whose answer ends with the line KEEP_RUNNING_LINE is put to sleep until its next turn, in
which it hears the newest request alone, without history and data, and has to ask again if it wants to stay.
That request comes bare: in JSON as the object that used to be in the list, in the simple form as its line
without n. The platform's wiki says so (page Bot, on running for long), ailab-pku/botzone-local does so
(online/bot.py at 7c80428), the platform's sample bot for Tank and published bots read it so
(fffasttime/Reversi-bwcore, src/online.cpp). Nothing was found that sends {"requests":[one],..} then; some
bots are ready for it, and so is this package.

The input may end without a line end: ouuan/botzone-local-runner writes none and closes.
"""

from __future__ import annotations

from .errors import LocalProtocolError, RemoteProtocolError
from .integers import Field, check_ranges
from .value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .botzone_answers import AnswerDecoder
    from .botzone_json import JsonForm
    from .botzone_simple import SimpleForm
    from .interfaces import Moves

WIRES = ("botzone", "botzone-simple")
KEEP_RUNNING_LINE = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
MAX_MESSAGE_BYTES = 1000000  # data and globaldata may have 100 KB each; a game's moves take less than 10 KB
MAX_REQUESTS = 128  # more than a game on a board of 8x8 has; passes included


class Requests(ValueType):
    """A request to move, with the whole game so far.

    `requests` are the opponent's moves and `responses` the receiver's own, one less, in the order of the turns;
    the last request waits for its answer. A move is as the game has it: reversi's (row, col), None for a pass and for
    the first request to the player who begins, and has nothing to answer to; of dots and boxes see dots_botzone.py.
    """

    requests: tuple[Any, ...]
    responses: tuple[Any, ...]


class NextRequest(ValueType):
    """A request to a process that stayed: the opponent's move, as Requests have it."""

    request: Any


def requests_from(requests: Sequence[Any], responses: Sequence[Any]) -> Requests:
    """Build Requests; raises RemoteProtocolError unless there is one response less than requests."""
    check_ranges([Field("len(requests)", 1, MAX_REQUESTS)], [len(requests)])
    check_ranges([Field("len(responses)", len(requests) - 1, len(requests) - 1)], [len(responses)])
    return Requests(tuple(requests), tuple(responses))


def keep_running_line(keep_running: bool) -> bytes:
    """Return what follows a bot's answer (bytes): the line that asks to stay, or nothing."""
    return KEEP_RUNNING_LINE + b"\n" if keep_running else b""


def drop_blanks(pending: bytearray) -> None:
    """Drop the blanks that the bytearray `pending` begins with."""
    while pending[:1].isspace():
        del pending[:1]  # costs nothing: a bytearray gives way at its front


def too_long(count: int) -> RemoteProtocolError:
    """Return the error for a message of `count` bytes, more than MAX_MESSAGE_BYTES."""
    return RemoteProtocolError(field="message", expected=f"at most {MAX_MESSAGE_BYTES} bytes", received=str(count))


def kind_of(value: object) -> str:
    """Say in words what a value read from JSON is."""
    return "nothing" if value is None else f"a {type(value).__name__}"


class BotzoneGame:
    """One game on both wires, and the judge's side for driving a bot as Botzone does.

    `moves` says how the game's moves are written, as reversi_botzone.Moves does.
    """

    def __init__(self, moves: Moves) -> None:
        self._moves = moves

    def form(self, wire: str) -> JsonForm | SimpleForm:
        """Return the game's JsonForm or SimpleForm. Raises LocalProtocolError unless `wire` is one of WIRES."""
        if wire == "botzone":
            from .botzone_json import JsonForm

            return JsonForm(self._moves)
        if wire == "botzone-simple":
            from .botzone_simple import SimpleForm

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
        """Return a new AnswerDecoder for what one process of a bot writes."""
        from .botzone_answers import AnswerDecoder

        return AnswerDecoder(self.form(wire))
