"""Bounded lines on stderr. Standard library only, Python 3.8 syntax.

The platform keeps 64 KB of stderr and an unread pipe blocks at about that size: a bot that says more can lose on
time by talking. Nothing here waits, raises, or passes the bounds.
"""

from __future__ import annotations

import os

STDERR = 2
INFO_BYTES = 48 * 1024
MESSAGE_BYTES = 8 * 1024


class Log:
    """Two budgets for one process: `info` lines (one a move) and `say` messages."""

    def __init__(self, descriptor: int = STDERR) -> None:
        self._descriptor = descriptor
        self._info_left, self._messages_left = INFO_BYTES, MESSAGE_BYTES

    def info(self, text: str) -> None:
        """Write one line, or nothing once the info budget is spent."""
        line = text.encode("utf-8", "replace") + b"\n"
        if len(line) <= self._info_left:
            self._info_left -= len(line)
            self._write(line)

    def say(self, text: str) -> None:
        """Write one diagnostic line with the program's name, or nothing once the message budget is spent."""
        text = text.replace("\n", " | ")[:1000]
        line = f"dropfour: {text}\n".encode("utf-8", "replace")
        if len(line) <= self._messages_left:
            self._messages_left -= len(line)
            self._write(line)

    def _write(self, line: bytes) -> None:
        try:
            os.write(self._descriptor, line)
        except OSError:
            pass  # a closed stderr must not cost the game
