"""stdin as messages with their arrival times. Standard library only, Python 3.8 syntax.

A message's clock runs from its first byte. When the bot is busy as that byte comes, the guard's thread sees it
and calls `note_arrival`; otherwise the read that brings it takes the time.
"""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..interfaces import Decoder

STDIN = 0
READ_BYTES = 65536

END = object()  # what `next_message` returns when the input has ended between messages


class Inbox:
    """decoder: feed(bytes), next_message(), end(), partial; see protocol."""

    def __init__(self, decoder: Decoder, descriptor: int = STDIN, clock: Callable[[], float] = time.monotonic) -> None:
        self._decoder, self._descriptor, self._clock = decoder, descriptor, clock
        self._arrived: float | None = None
        self._last_read: float | None = None
        self._ended = False
        self._has_read = False
        # When the first bytes were read, if they had been waiting: nobody knows for how long.
        self.first_read: float | None = None

    def next_message(self) -> tuple[object, float]:
        """(message, arrived): waits for it; END in place of the message at the end of input.

        Raises what the decoder raises for malformed input and for an end inside a message.
        """
        while True:
            message = self._take()
            if message is not None:
                return message
            self._read()

    def next_message_at_hand(self) -> tuple[object, float] | None:
        """Like `next_message`, but None when no whole message can be had without waiting."""
        while True:
            message = self._take()
            if message is not None or not self.has_bytes(0):
                return message
            self._read()

    def has_bytes(self, timeout_s: float) -> bool:
        """Whether bytes or the end of input wait to be read, within so many seconds."""
        return bool(select.select([self._descriptor], [], [], timeout_s)[0])

    def has_ended(self) -> bool:
        """Whether the end of input is all that is left to read, where the system can tell (pipes)."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        found = poll.poll(0)
        return bool(found) and found[0][1] & (select.POLLIN | select.POLLHUP) == select.POLLHUP

    def has_started_message(self) -> bool:
        """Whether part of a message, or more, is already here or waiting."""
        return self._decoder.partial or self.has_bytes(0)

    def note_arrival(self) -> None:
        """Bytes wait that nobody has read yet: their clock starts now, unless it is running already."""
        if self._arrived is None:
            self._arrived = self._clock()

    def arrival(self) -> float | None:
        """When the next message's first byte arrived, None if none has been noticed."""
        return self._arrived

    def _take(self) -> tuple[object, float] | None:
        """(message, arrived) if the decoder has a whole one or the input has ended, else None."""
        message = self._decoder.next_message()
        if message is None and not self._ended:
            return None
        arrived: Any = self._arrived  # None with END alone, whose time nobody asks for
        # What is left in the decoder came with the latest read.
        self._arrived = self._last_read if self._decoder.partial else None
        return END if message is None else message, arrived

    def _read(self) -> None:
        """Wait for bytes, or the end, and feed them to the decoder."""
        were_waiting = not self._has_read and self.has_bytes(0)
        data = os.read(self._descriptor, READ_BYTES)
        self._last_read, self._has_read = self._clock(), True
        if were_waiting:
            self.first_read = self._last_read
        if not data:
            self._decoder.end()
            self._ended = True
            return
        if self._arrived is None:
            self._arrived = self._last_read
        self._decoder.feed(data)
        if not self._decoder.partial:
            self._arrived = None  # blanks only
