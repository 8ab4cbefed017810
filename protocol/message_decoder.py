"""The bot's ear for a game of several wires: the first byte may choose among them. Standard library only."""

from __future__ import annotations

from .errors import LocalProtocolError, RemoteProtocolError, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .interfaces import MessageReader


class AnyWireDecoder:
    """Bytes from the judge -> messages, by a reader of the wire in use.

    `feed` never raises for what the judge sent. `next_message` does, and again at every later call:
    after an error the stream cannot be trusted. A game says of its wires:

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
        # The name of the wire in use; on "auto" None until a byte that is not blank has come.
        self.wire: str | None = None
        self._reader: MessageReader | None = None
        if wire != "auto":
            self._use(wire)
        self._error: RemoteProtocolError | None = None
        self._ended = False

    @property
    def partial(self) -> bool:
        """True while a byte that is not blank has arrived and belongs to no returned message."""
        return self._reader is not None and self._reader.partial

    def feed(self, data: bytes) -> None:
        """Take the next bytes (cut anywhere). After an error they are dropped.

        Raises LocalProtocolError after `end`.
        """
        if self._ended:
            raise LocalProtocolError("feed: the input has already ended")
        if self._reader is None and self._error is None:
            data = data.lstrip(self.BLANKS)
            self._choose(data[:1])
        if self._reader is not None and self._error is None:
            self._reader.feed(data)

    def next_message(self) -> object:
        """Return the next message, or None until one is complete.

        Raises RemoteProtocolError naming the field, what was expected and what came.
        """
        if self._error is not None:
            raise self._error.with_traceback(None)
        if self._reader is None:
            return None
        try:
            return self._reader.read()
        except RemoteProtocolError as error:
            self._error = error
            raise

    def end(self) -> None:
        """Say that the input has ended; fine between messages.

        Raises RemoteProtocolError if it ended inside a message, or the earlier error again.
        Precondition (LocalProtocolError otherwise): `next_message` has returned every complete message.
        """
        self._ended = True
        if self.next_message() is not None:
            raise LocalProtocolError("end: complete messages were not taken before")
        if self._reader is not None and self._reader.partial:
            self._error = RemoteProtocolError(
                field=self._reader.expected(), expected="the rest of the message", received="end of input"
            )
            raise self._error

    def _choose(self, first_byte: bytes) -> None:
        if not first_byte:
            return
        wire = self.wire_name(first_byte)
        if wire is None:
            self._error = RemoteProtocolError(
                field="first byte", expected=self.FIRST_BYTES, received=excerpt(first_byte)
            )
        else:
            self._use(wire)

    def _use(self, wire: str) -> None:
        self._reader = self.reader(wire)
        self.wire = wire
