"""Streams that replace stdout and stderr while a command runs: they escape control characters and never fail.

All output of print(), argparse and rich passes through these streams. They escape invisible characters and all control
characters other than line ends, and expand tabs. JSON has already been escaped by terminal.json_line(), and output of
rich by PlainConsole. Text that cannot be written is dropped without an exception, because a closed pager or a full disk
must not end a game or prevent its record. `failure` stores the first error, which is reported at the end. This module
uses only the standard library.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from judge.safe_text import printable_lines


class SafeStream:
    """A text stream that raises no OSError on writing. `failure` is the first OSError, or None if there was none."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the text, or drop the text if there was a failure. Returns the length of the text."""
        if self.failure is None:
            try:
                self._stream.write(text)
            except OSError as error:
                self._fail(error)
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Flush the stream. An OSError is stored in `failure`."""
        if self.failure is None:
            try:
                self._stream.flush()
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Store the error in `failure`, and redirect the stream's descriptor to the null device.

        Otherwise Python would flush the stream again at its exit, and fail.
        """
        self.failure = error
        with contextlib.suppress(OSError, ValueError):  # a StringIO has no descriptor
            null_device = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null_device, self._stream.fileno())
            os.close(null_device)


class EscapingStream:
    """A text stream that escapes control characters and writes the result to the SafeStream `unescaped`.

    rich writes to `unescaped` directly, because it needs control codes.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unescaped = SafeStream(stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unescaped, name)

    def write(self, text: str) -> int:
        """Write the text with its control characters escaped. Returns the length of the given text."""
        self.unescaped.write(printable_lines(text.expandtabs()))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)


@contextlib.contextmanager
def own_streams() -> Iterator[tuple[EscapingStream, EscapingStream]]:
    """Inside the `with` block, replace sys.stdout and sys.stderr by EscapingStreams. Yields (stdout, stderr).

    From now on sys.stdin escapes bytes that it cannot decode.
    """
    _open_standard_descriptors()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")  # a line that is not UTF-8 is a wrong answer, and no failure
    before = sys.stdout, sys.stderr
    streams = EscapingStream(before[0] or _null_stream()), EscapingStream(before[1] or _null_stream())
    sys.stdout, sys.stderr = (cast(TextIO, stream) for stream in streams)
    try:
        yield streams
    finally:
        for stream in streams:
            stream.flush()
        sys.stdout, sys.stderr = before


def has_no_reader(failure: OSError) -> bool:
    """Return whether a stream failed because nothing reads it any more, such as a closed pager."""
    # EIO means that the terminal was closed.
    return failure.errno in (errno.EPIPE, errno.EIO)


def _open_standard_descriptors() -> None:
    """Open the null device on each of the descriptors 0 to 2 that is closed, so that no later file gets one of them."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor < 3:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _null_stream() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # open until the process ends
