"""Botzone's messages independent of their form, their limits, and helpers of both forms."""

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

    `requests` are the opponent's moves and `responses` the receiver's own, one fewer, in the order of the turns;
    the last request is unanswered. A move has the game's format: in reversi (row, col), or None for a pass and for
    the first request to the player who begins; for dots and boxes see games/dots/botzone.py.
    """

    requests: tuple[Any, ...]
    responses: tuple[Any, ...]


class NextRequest(ValueType):
    """A request to a process that keeps running: the opponent's move, as in Requests."""

    request: Any


def requests_from(requests: Sequence[Any], responses: Sequence[Any]) -> Requests:
    """Return Requests. Raises RemoteProtocolError unless there is one response fewer than requests."""
    check_ranges([Field("len(requests)", 1, MAX_REQUESTS)], [len(requests)])
    check_ranges([Field("len(responses)", len(requests) - 1, len(requests) - 1)], [len(responses)])
    return Requests(tuple(requests), tuple(responses))


def keep_running_line(keep_running: bool) -> bytes:
    """Return the line that asks to keep running (bytes), or b""."""
    return KEEP_RUNNING_LINE + b"\n" if keep_running else b""


def drop_blanks(pending: bytearray) -> None:
    """Delete the blanks at the beginning of the bytearray `pending`."""
    while pending[:1].isspace():
        del pending[:1]  # cheap: a bytearray deletes at its front without a copy


def too_long(count: int) -> RemoteProtocolError:
    """Return the error for a message of `count` bytes, more than MAX_MESSAGE_BYTES."""
    return RemoteProtocolError(field="message", expected=f"at most {MAX_MESSAGE_BYTES} bytes", received=str(count))


def kind_of(value: object) -> str:
    """Return the name of a JSON value's type for an error message; "nothing" for None."""
    return "nothing" if value is None else f"a {type(value).__name__}"
