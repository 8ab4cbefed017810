"""What several classes have in common, for type checkers alone: nothing imports this file at run time.

Not part of the ladder bundle.
"""

from __future__ import annotations

from typing import Any, Protocol


class MessageReader(Protocol):
    """Reads one wire's messages from a byte stream cut anywhere. After an error, it is read from no further."""

    @property
    def partial(self) -> bool:
        """True while a byte that is not blank has arrived and belongs to no returned message."""
        ...

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""

    def expected(self) -> str:
        """Name the part of the message that the next byte belongs to."""
        ...

    def read(self) -> object:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""


class Moves(Protocol):
    """How a game's moves are written on Botzone, in either form; a move is of a shape that the game gives it.

    Writing raises LocalProtocolError and reading RemoteProtocolError, with names that start with `field`.
    """

    def to_json(self, move: Any, field: str) -> dict[str, int]:
        """Return the move as what JSON calls an object."""
        ...

    def from_json(self, value: object, field: str) -> Any:
        """Return the move that a value read from JSON is."""

    def to_line(self, move: Any, field: str) -> bytes:
        """Return the move as a line without its end."""
        ...

    def from_line(self, line: bytes, field: str) -> Any:
        """Return the move that a line is."""

    def is_whole(self, line: bytes) -> bool:
        """Return whether a line whose end has not come is a move already, and no digit can be missing."""
        ...
