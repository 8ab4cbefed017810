"""stdout and stderr while a command runs: whatever is written, a terminal has nothing to obey and nothing fails.

This is where all that print(), argparse and rich write comes by. Control characters but line ends are escaped (tabs are
spread out), so are characters that are not seen; JSON goes through terminal.json_line() before. What cannot be written
is lost and no exception: a game is not to end, and its record not to be missed, because a pager was closed or a
disk is full. `failure` keeps the reason, for the end. Standard library only.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from judge.safe_text import printable_lines

STANDARD_DESCRIPTORS = 3
READER_HAS_GONE = (errno.EPIPE, errno.EIO)  # EIO: the terminal was closed


class Sheltered:
    """A text stream to which writing does not fail. `failure` is the first OSError, None while there is none."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, or lose, the text; returns its length."""
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
        """Pass on what is kept back."""
        if self.failure is None:
            try:
                self._stream.flush()
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Keep the reason. What is still kept back goes nowhere, or Python would fail once more at its end."""
        self.failure = error
        with contextlib.suppress(OSError, ValueError):  # a stream of text alone has no descriptor
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


class Escaping:
    """The same for text without codes of our own; what rich writes goes to `unescaped`."""

    def __init__(self, stream: TextIO) -> None:
        self.unescaped = Sheltered(stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unescaped, name)

    def write(self, text: str) -> int:
        """Write the text with its control characters escaped; returns its length."""
        self.unescaped.write(printable_lines(text.expandtabs()))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)


@contextlib.contextmanager
def own_streams() -> Iterator[tuple[Escaping, Escaping]]:
    """Have stdout and stderr be such streams; yields both. Afterwards they are what they were."""
    _open_standard_descriptors()
    before = sys.stdout, sys.stderr
    found = Escaping(before[0] or _nowhere()), Escaping(before[1] or _nowhere())
    sys.stdout, sys.stderr = (cast(TextIO, stream) for stream in found)
    try:
        yield found
    finally:
        for stream in found:
            stream.flush()
        sys.stdout, sys.stderr = before


def has_no_reader(failure: OSError) -> bool:
    """Whether a stream's failure is that nobody reads it any more."""
    return failure.errno in READER_HAS_GONE


def _open_standard_descriptors() -> None:
    """Have none of the first three be taken by a file that is opened later, where the caller has closed some."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor < STANDARD_DESCRIPTORS:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # as long as the process
