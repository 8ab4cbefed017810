"""The errors of the protocol package: they name the side at fault and the exact fault."""

from __future__ import annotations

EXCERPT_BYTES = 40  # enough to recognise a message, short enough for one line on stderr


class ProtocolError(Exception):
    """A message, received or about to be sent, breaks the protocol."""


class LocalProtocolError(ProtocolError):
    """This side misused the package: it tried to send an invalid message, or made a call out of order."""


class RemoteProtocolError(ProtocolError):
    """The other side sent a message that breaks the protocol.

    Attributes (all str): `field` names the part of the message, `expected` describes its valid values,
    `received` the value that came instead.
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
    """Return a description of the bytes `data` for an error message, at most about 200 characters long."""
    if len(data) <= EXCERPT_BYTES:
        return repr(bytes(data))
    return f"{bytes(data[:EXCERPT_BYTES])!r}... ({len(data)} bytes)"
