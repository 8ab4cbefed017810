"""How long a bot took to start, as far as that can be seen from outside."""

import contextlib
import fcntl
import struct
import sys
import termios
from typing import IO


class StartUp:
    """`took_s`: seconds from just before the start (`spawned`, of time.monotonic()) until it was seen to be ready; None
    while it is not, or where that cannot be seen.

    A bot is ready when it first reads of what it was sent at its start (the judge looks every 10 ms of the first turn),
    or, with a free start, when it falls asleep: see ended(). `written` counts the bytes in its pipe so far; whoever
    stops the bot meanwhile adds to `stopped_s`. `is_watched` while looks may find something.
    """

    def __init__(self, spawned: float) -> None:
        self.spawned = spawned
        self.took_s: float | None = None
        self.written = 0
        self.stopped_s = 0.0
        self.is_watched = sys.platform.startswith("linux")

    def look(self, stdin: IO[bytes], now: float) -> None:
        """See whether the bot has read. The first look comes when it has been sent its opening, if there is one."""
        if not self.is_watched:
            return
        self.is_watched = self.written > 0 and not stdin.closed  # what comes much later says nothing of the start
        unread = _unread_bytes(stdin) if self.is_watched else None
        if unread is not None and unread < self.written:
            self.is_watched = False
            self.ended(now)

    def ended(self, now: float) -> None:
        """It was still starting until this moment."""
        self.took_s = max(0.0, now - self.spawned - self.stopped_s)


def _unread_bytes(pipe: IO[bytes]) -> int | None:
    with contextlib.suppress(OSError):
        (number,) = struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, struct.pack("i", 0)))
        return int(number)
    return None
