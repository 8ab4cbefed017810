"""What all decoders have in common: an error ends the stream, and stays. Standard library only, Python 3.8 syntax."""

from __future__ import annotations

from protocol.errors import LocalProtocolError, RemoteProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from protocol.interfaces import MessageReader

    Found = TypeVar("Found")


class StreamDecoder:
    """Takes the other side's bytes, cut anywhere, and hands out what they say. A subclass says what that is.

    `feed` never raises for what the other side sent. The methods that hand out do, and again at every later call:
    after an error the stream cannot be trusted. A subclass writes them with `_latched`, and has what follows; its
    methods may raise RemoteProtocolError:

        THINGS          in words, what it hands out
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
        """Take the next bytes of the stream (cut anywhere). After an error they are dropped."""
        if self._error is None:
            try:
                self._accept(data)
            except RemoteProtocolError as error:
                self._error = error  # raised where the next thing is asked for

    def end(self) -> None:
        """Say that the stream has ended; fine between two of the things it hands out.

        Raises RemoteProtocolError if it ended inside one, or the earlier error again.
        Precondition (LocalProtocolError otherwise): every complete one has been taken.
        """
        if self._latched(self._read) is not None:
            raise LocalProtocolError(f"end: complete {self.THINGS} were not taken before")
        self._latched(self._check_end)

    def _check_end(self) -> None:
        """The stream may end anywhere, unless a subclass says otherwise."""

    def _latched(self, read: Callable[[], Found]) -> Found:
        """Return what `read` returns. The first RemoteProtocolError is raised now and at every later call."""
        if self._error is not None:
            raise self._error.with_traceback(None)  # the traceback would grow with every call
        try:
            return read()
        except RemoteProtocolError as error:
            self._error = error
            raise


class WireDecoder(StreamDecoder):
    """The bot's ear: bytes from the judge -> messages, by the reader of one wire."""

    THINGS = "messages"

    def __init__(self, reader: MessageReader | None = None) -> None:
        """`reader` is None while the wire is not known; a subclass then sets `_reader`."""
        super().__init__()
        self._reader = reader
        self._ended = False

    @property
    def partial(self) -> bool:
        """True while a byte that is not blank has arrived and belongs to no returned message."""
        return self._reader is not None and self._reader.partial

    def feed(self, data: bytes) -> None:
        """As StreamDecoder's. Raises LocalProtocolError after `end`."""
        if self._ended:
            raise LocalProtocolError("feed: the input has already ended")
        super().feed(data)

    def next_message(self) -> object:
        """Return the next message, or None until one is complete.

        Raises RemoteProtocolError naming the field, what was expected and what came.
        """
        return self._latched(self._read)

    def end(self) -> None:
        """As StreamDecoder's. No bytes may be fed afterwards, whether it raises or not."""
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
