"""Interfaces that several classes share, as Protocol classes for type checkers. Nothing imports this file at run time.

The file is not part of the ladder bundle.
"""

from __future__ import annotations

from typing import Any, Protocol


class MessageReader(Protocol):
    """Reads one wire's messages from a byte stream in pieces of any length.

    After an error, read() must not be called again.
    """

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        ...

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""

    def expected(self) -> str:
        """Return the name of the part of a message to which the next byte belongs."""
        ...

    def read(self) -> object:
        """Return the next message, None until it is complete. Raises RemoteProtocolError for a malformed message."""


class Moves(Protocol):
    """Writes and reads a game's moves on Botzone, in both forms. The game defines the type of a move.

    A wrong move raises LocalProtocolError when it is written and RemoteProtocolError when it is read. The errors name
    the wrong part, by a name that starts with `field`.
    """

    def to_json(self, move: Any, field: str) -> dict[str, int]:
        """Return the move as a dict for JSON."""
        ...

    def from_json(self, value: object, field: str) -> Any:
        """Return the move of a value read from JSON."""

    def to_line(self, move: Any, field: str) -> bytes:
        """Return the move as a line without its line end."""
        ...

    def from_line(self, line: bytes, field: str) -> Any:
        """Return the move in a line without its line end."""

    def is_whole(self, line: bytes) -> bool:
        """Return whether `line`, which has no line end yet, is a complete move, so that no further digit can follow."""
        ...
