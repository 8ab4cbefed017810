"""The errors of the protocol package: whose fault it was, and what exactly was wrong."""

from __future__ import annotations

EXCERPT_BYTES = 40  # enough to recognise a message, short enough for one line on stderr


class ProtocolError(Exception):
    """Something was said, or was about to be said, that the protocol does not allow."""


class LocalProtocolError(ProtocolError):
    """This side misused the package: a message it may not send, or a call out of order."""


class RemoteProtocolError(ProtocolError):
    """The other side sent something the protocol does not allow.

    Attributes (all str): `field` names the part of the message, `expected` says what belongs there,
    `received` what came instead.
    """

    def __init__(self, *, field: str, expected: str, received: str) -> None:
        super().__init__(f"{field}: expected {expected}, received {received}")
        self.field = field
        self.expected = expected
        self.received = received


class FrameTooLong(RemoteProtocolError):
    """A frame declares a body longer than the limit."""


class EmptyFrame(RemoteProtocolError):
    """A frame declares a body of length 0."""


def excerpt(data: bytes | bytearray) -> str:
    """Describe `data` (bytes) for an error message, never longer than about 200 characters."""
    if len(data) <= EXCERPT_BYTES:
        return repr(bytes(data))
    return f"{bytes(data[:EXCERPT_BYTES])!r}... ({len(data)} bytes)"
