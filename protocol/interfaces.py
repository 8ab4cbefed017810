"""Interfaces that several classes share, as Protocol classes for type checkers. Nothing imports this file at run time.

Not part of the ladder bundle.
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
        """Return the name of the part of a message that the next byte belongs to."""
        ...

    def read(self) -> object:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""


class Moves(Protocol):
    """Writes and reads a game's moves on Botzone, in either form; the game defines the type of a move.

    Writing raises LocalProtocolError and reading RemoteProtocolError, with names that start with `field`.
    """

    def to_json(self, move: Any, field: str) -> dict[str, int]:
        """Return the move as a dict for JSON."""
        ...

    def from_json(self, value: object, field: str) -> Any:
        """Return the move of a value read from JSON."""

    def to_line(self, move: Any, field: str) -> bytes:
        """Return the move as a line without its end."""
        ...

    def from_line(self, line: bytes, field: str) -> Any:
        """Return the move in a line."""

    def is_whole(self, line: bytes) -> bool:
        """Return whether a line without its end is a complete move: no further digit can follow."""
        ...
