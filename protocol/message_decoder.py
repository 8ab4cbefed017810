"""The bot's ear for a game of several wires: the first byte may choose among them. Standard library only."""

from __future__ import annotations

from protocol.decoding import WireDecoder
from protocol.errors import RemoteProtocolError, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol.interfaces import MessageReader


class AnyWireDecoder(WireDecoder):
    """Bytes from the judge -> messages, by a reader of the wire in use.

    A game says of its wires:

        BLANKS          the bytes that may come before the first one that counts; None: ASCII's
        FIRST_BYTES     in words, what a stream may begin with
        wire_name(byte) the wire that begins with this byte (bytes), None if none does
        reader(wire)    a new reader, with feed, read, partial and expected as dots_platform.PlatformReader has them;
                        raises LocalProtocolError for no wire
    """

    BLANKS: bytes | None = None
    if TYPE_CHECKING:
        FIRST_BYTES: str

        @staticmethod
        def wire_name(first_byte: bytes) -> str | None: ...

        @staticmethod
        def reader(wire: str) -> MessageReader: ...

    def __init__(self, wire: str = "auto") -> None:
        """Raises LocalProtocolError unless `wire` is "auto" or one that `reader` knows."""
        super().__init__()
        # The name of the wire in use; on "auto" None until a byte that is not blank has come.
        self.wire: str | None = None
        if wire != "auto":
            self._use(wire)

    def _accept(self, data: bytes) -> None:
        if self._reader is None:
            data = data.lstrip(self.BLANKS)
            self._choose(data[:1])
        super()._accept(data)

    def _choose(self, first_byte: bytes) -> None:
        if not first_byte:
            return
        wire = self.wire_name(first_byte)
        if wire is None:
            raise RemoteProtocolError(field="first byte", expected=self.FIRST_BYTES, received=excerpt(first_byte))
        self._use(wire)

    def _use(self, wire: str) -> None:
        self._reader = self.reader(wire)
        self.wire = wire
