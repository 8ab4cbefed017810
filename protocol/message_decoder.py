"""The bot's decoder for a game with several wires: the first byte may choose the wire. Standard library only."""

from __future__ import annotations

from protocol.decoding import WireDecoder
from protocol.errors import RemoteProtocolError, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol.interfaces import MessageReader


class AnyWireDecoder(WireDecoder):
    """A decoder from the judge's bytes to messages, by a reader of the wire in use.

    A game's subclass defines:

        BLANKS          the bytes that are skipped before the first byte; None: ASCII's blanks
        FIRST_BYTES     a description of the bytes that a stream may begin with
        wire_name(byte) the wire whose messages begin with this byte (bytes), None if there is none
        reader(wire)    a new MessageReader of protocol.interfaces; raises LocalProtocolError for an unknown wire
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
        # The name of the wire in use; on "auto" None until the first byte that is not blank.
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
