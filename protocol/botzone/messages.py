"""What Botzone's wires say, whatever the bytes look like: the messages, their limits, and what both forms need."""

from __future__ import annotations

from protocol.errors import RemoteProtocolError
from protocol.integers import Field, check_ranges
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

WIRES = ("botzone", "botzone-simple")
KEEP_RUNNING_LINE = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
MAX_MESSAGE_BYTES = 1000000  # data and globaldata may have 100 KB each; a game's moves take less than 10 KB
MAX_REQUESTS = 128  # more than a game on a board of 8x8 has; passes included


class Requests(ValueType):
    """A request to move, with the whole game so far.

    `requests` are the opponent's moves and `responses` the receiver's own, one less, in the order of the turns;
    the last request waits for its answer. A move is as the game has it: reversi's (row, col), None for a pass and for
    the first request to the player who begins, and has nothing to answer to; of dots and boxes see
    games/dots/botzone.py.
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
