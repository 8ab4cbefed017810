"""Converts between frames with a length prefix and bytes, which may come in pieces; without I/O.

Two layouts, all integers big-endian (Saiblo's judger, docs/developer/developer.md):

    frame            u32 length | body                  a bot's reply to its judge
    targeted frame   u32 length | i32 target | body     a game logic's message to the judger

`length` counts the body alone.
"""

from __future__ import annotations

import struct

from protocol.decoding import StreamDecoder
from protocol.errors import EmptyFrame, FrameTooLong, LocalProtocolError, RemoteProtocolError, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BODY_BYTES = 2048  # the judger's default limit for one message of a bot

_LENGTH = struct.Struct(">I")
_LENGTH_AND_TARGET = struct.Struct(">Ii")


def encode_frame(body: bytes) -> bytes:
    """Return the frame of `body` (bytes, not empty): its length, then the body.

    Raises LocalProtocolError if `body` is empty or its length does not fit 32 bits.
    """
    return _LENGTH.pack(_checked_length(body)) + body


def encode_targeted_frame(target: int, body: bytes) -> bytes:
    """Return the targeted frame of `body` (bytes, not empty): its length, the target, then the body.

    `target` is -1 for the judger itself, k >= 0 for bot k.
    Raises LocalProtocolError if `body` is empty or either number does not fit its 32 bits.
    """
    try:
        return _LENGTH_AND_TARGET.pack(_checked_length(body), target) + body
    except struct.error:
        raise LocalProtocolError(f"frame target: expected a 32-bit integer, got {target!r}") from None


def _checked_length(body: bytes) -> int:
    if not 0 < len(body) < 1 << 32:
        raise LocalProtocolError(f"frame body: expected 1 to 2**32 - 1 bytes, got {len(body)}")
    return len(body)


class FramedDecoder(StreamDecoder):
    """Base class of decoders of frames. A subclass returns the frames' bodies or decodes them.

    It stores only the bytes that were fed and not yet taken. `max_length` is the longest body accepted, in bytes.
    """

    _header = _LENGTH

    def __init__(self, max_length: int = MAX_BODY_BYTES) -> None:
        super().__init__()
        self.max_length = max_length
        self._pending = bytearray()

    @property
    def partial(self) -> bool:
        """True while some received bytes belong to a frame that has not been taken."""
        return bool(self._pending)

    @property
    def unread(self) -> bytes:
        """The received bytes after the last frame taken."""
        return bytes(self._pending)

    def _accept(self, data: bytes) -> None:
        self._pending += data

    def _take_frame(self) -> Any:
        """Return the next frame's body (bytes; in a subclass also its target), or None until it is complete."""
        if len(self._pending) < _LENGTH.size:
            return None
        length = _LENGTH.unpack_from(self._pending)[0]
        self._check_length(length)
        end = self._header.size + length
        if len(self._pending) < end:
            return None
        frame = self._frame(bytes(self._pending[:end]))
        del self._pending[:end]
        return frame

    def _frame(self, raw: bytes) -> Any:
        return raw[self._header.size :]

    def _check_length(self, length: int) -> None:
        kind: type[RemoteProtocolError]
        if length == 0:
            kind, expected = EmptyFrame, "at least 1 byte"
        elif length > self.max_length:
            kind, expected = FrameTooLong, f"at most {self.max_length} bytes"
        else:
            return
        received = f"{length} bytes (header {self._pending[: _LENGTH.size].hex()})"
        self._pending.clear()
        raise kind(field="frame length", expected=expected, received=received)

    def _check_end(self) -> None:
        if self._pending:
            received = f"end of input after {excerpt(self._pending)}"
            raise RemoteProtocolError(field="frame", expected="the rest of the frame", received=received)


class FrameDecoder(FramedDecoder):
    """A decoder of a byte stream into the bodies of frames."""

    def next_frame(self) -> bytes | None:
        """Return the next frame's body (bytes), or None until it is complete.

        Raises FrameTooLong or EmptyFrame as soon as the four bytes of a wrong length have arrived.
        """
        return self._latched(self._take_frame)

    def end(self) -> None:
        """Handle the end of the stream, which must lie between two frames.

        Raises RemoteProtocolError if it ended inside a frame, or the earlier error again. Precondition: `next_frame`
        has returned None. This is not checked: a complete frame that was not taken is reported as truncated.
        """
        self._latched(self._check_end)


class TargetedFrameDecoder(FrameDecoder):
    """A decoder of a byte stream into targeted frames: `next_frame` returns (target, body) or None."""

    _header = _LENGTH_AND_TARGET

    if TYPE_CHECKING:  # the return type differs

        def next_frame(self) -> tuple[int, bytes] | None: ...  # type: ignore[override]

    def _frame(self, raw: bytes) -> tuple[int, bytes]:
        return self._header.unpack_from(raw)[1], raw[self._header.size :]
