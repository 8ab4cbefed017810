"""Base classes of decoders: after an error, every call raises it again. Standard library only, Python 3.8 syntax.

StreamDecoder      of bytes in pieces of any length
WireDecoder        of the judge's messages, for a bot: a reader of one wire does the work
AnyWireDecoder     the same for a game with several wires: the first byte may choose the wire
"""

from __future__ import annotations

from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from protocol.interfaces import MessageReader

    Found = TypeVar("Found")


class StreamDecoder:
    """A decoder of the other side's bytes, in pieces of any length, into messages; a subclass defines the messages.

    `feed` never raises RemoteProtocolError. The methods that return messages do, and they raise the same error at every
    later call, because after an error the stream cannot be trusted. A subclass implements these methods with
    `_latched`, and defines the following, of which the methods may raise RemoteProtocolError:

        THINGS          the name of the decoded things, such as "messages"
        _accept(data)   takes the next bytes
        _read()         returns the next thing, None until it is complete
        _check_end()    raises if the stream may not end here, when `_read` has returned None
    """

    if TYPE_CHECKING:
        THINGS: str

        def _accept(self, data: bytes) -> None: ...

        def _read(self) -> object: ...

    def __init__(self) -> None:
        self._error: RemoteProtocolError | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream, in a piece of any length. After an error they are dropped."""
        if self._error is None:
            try:
                self._accept(data)
            except RemoteProtocolError as error:
                self._error = error  # raised by the next call of _latched

    def end(self) -> None:
        """Handle the end of the stream, which must lie between two messages.

        Raises RemoteProtocolError if the stream ended inside a message, or the earlier error again.
        Precondition (LocalProtocolError otherwise): every complete message has been taken.
        """
        if self._latched(self._read) is not None:
            raise LocalProtocolError(f"end: complete {self.THINGS} were not taken before")
        self._latched(self._check_end)

    def _check_end(self) -> None:
        """Do nothing: the stream may end anywhere. A subclass may override this."""

    def _latched(self, read: Callable[[], Found]) -> Found:
        """Return what read() returns. If it raises RemoteProtocolError, every later call raises that error again."""
        if self._error is not None:
            raise self._error.with_traceback(None)  # the traceback would grow with every call
        try:
            return read()
        except RemoteProtocolError as error:
            self._error = error
            raise


class WireDecoder(StreamDecoder):
    """The bot's decoder: bytes from the judge -> messages, which a MessageReader of one wire reads."""

    THINGS = "messages"

    def __init__(self, reader: MessageReader | None = None) -> None:
        """`reader` is None while the wire is unknown; a subclass then sets `_reader`."""
        super().__init__()
        self._reader = reader
        self._ended = False

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return self._reader is not None and self._reader.partial

    def feed(self, data: bytes) -> None:
        """Take the next bytes, as in StreamDecoder. Raises LocalProtocolError once end() was called."""
        if self._ended:
            raise LocalProtocolError("feed: the input has already ended")
        super().feed(data)

    def next_message(self) -> object:
        """Return the next message, or None until one is complete.

        Raises RemoteProtocolError naming the field, what was expected and what came.
        """
        return self._latched(self._read)

    def end(self) -> None:
        """Handle the end of the stream, as in StreamDecoder. No bytes may be fed afterwards, even if this raises."""
        self._ended = True
        super().end()

    def _accept(self, data: bytes) -> None:
        if self._reader is not None:
            self._reader.feed(data)

    def _read(self) -> object:
        return None if self._reader is None else self._reader.read()

    def _check_end(self) -> None:
        if self._reader is not None and self._reader.partial:
            raise RemoteProtocolError(
                field=self._reader.expected(), expected="the rest of the message", received="end of input"
            )


class AnyWireDecoder(WireDecoder):
    """The bot's decoder for a game with several wires: bytes from the judge -> messages.

    The MessageReader of one wire reads them. A game's subclass defines:

        BLANKS          the bytes that are skipped at the beginning of the stream; None: ASCII's blanks
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
