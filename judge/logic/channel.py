"""The two pipes to a judger: bytes in, within a time, and bytes out. Nothing else may come on the second."""

import os
import select
from types import TracebackType
from typing import Protocol

READ_BYTES = 64 * 1024
STDIN, STDOUT, STDERR = range(3)


class Channel(Protocol):
    """What a logic needs of its judger. Both methods raise OSError where the judger is gone."""

    def read(self, patience_s: float | None) -> bytes | None:
        """The next bytes, b"" at the end; None if nothing has come within so many seconds (None: for ever)."""

    def write(self, data: bytes) -> None:
        """Pass all of them on."""


class StandardPipes:
    """stdin and stdout of this process, as a context manager: what else is printed meanwhile goes to stderr."""

    def __enter__(self) -> "StandardPipes":
        self._out = os.dup(STDOUT)
        os.dup2(STDERR, STDOUT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.dup2(self._out, STDOUT)
        os.close(self._out)

    def read(self, patience_s: float | None) -> bytes | None:
        """As Channel has it."""
        readable, _, _ = select.select([STDIN], [], [], patience_s)
        return os.read(STDIN, READ_BYTES) if readable else None

    def write(self, data: bytes) -> None:
        """As Channel has it."""
        while data:
            data = data[os.write(self._out, data) :]
