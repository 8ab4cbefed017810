"""A file that another process appends lines to, read as it grows; it may be replaced, cut off or removed meanwhile."""

import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

KEPT_BYTES = 256  # of what was read last: where they stand no more, the file is another


class GrowingFile:
    """A file's lines, each handed out once.

    It stays open while it is the same, so that no other file can have its number. `rest` is what follows its last
    newline. A line longer than longest_line bytes is handed out cut off.
    """

    def __init__(self, path: str | os.PathLike[str], longest_line: int, flags: int = 0) -> None:
        self._path, self._longest_line = os.fspath(path), longest_line
        self._flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags  # a pipe would have this wait
        self._file: BinaryIO | None = None
        self._offset, self._before = 0, b""  # how far it was read, and what stands just before that
        self._state: tuple[int, int] | None = None  # its size and time when all of it had been read
        self.rest = b""

    def look(self) -> bool:
        """Look which file is there now; True where what was read before is not, or no more, in it."""
        try:
            found = os.stat(self._path)
        except OSError:
            found = None
        is_other = self._file is not None and (found is None or not self._goes_on(found))
        has_begun_anew = is_other and self._offset > 0
        if is_other:
            self.close()
        if self._file is None and found is not None and stat.S_ISREG(found.st_mode):
            self._open()
        return has_begun_anew

    def _goes_on(self, found: os.stat_result) -> bool:
        """Whether the file found is the one that is open, with all that was read of it."""
        descriptor = self.fileno()
        if not os.path.samestat(found, os.fstat(descriptor)) or found.st_size < self._offset:
            return False
        return os.pread(descriptor, len(self._before), self._offset - len(self._before)) == self._before

    def _open(self) -> None:
        try:
            descriptor = os.open(self._path, self._flags)
        except OSError:  # it may not be read, or is gone again
            return
        self._file = open(descriptor, "rb")  # noqa: SIM115  # until it is replaced
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            self.close()

    @property
    def is_open(self) -> bool:
        """Whether there is a file."""
        return self._file is not None

    def fileno(self) -> int:
        """The descriptor of the file. Precondition: is_open."""
        assert self._file is not None
        return self._file.fileno()

    def lines(self) -> Iterator[bytes]:
        """The lines that are whole and new, without their newlines; `rest` is up to date after the last of them."""
        if self._file is None:
            return
        now = os.fstat(self.fileno())
        if self._state == (now.st_size, now.st_mtime_ns):
            return
        self._file.seek(self._offset)
        while line := self._file.readline(self._longest_line + 1):
            if len(line) <= self._longest_line and not line.endswith(b"\n"):
                break
            self._advance(line)
            part = line
            while part and not part.endswith(b"\n"):
                part = self._file.readline(self._longest_line + 1)
                self._advance(part)
            yield line.removesuffix(b"\n")
        self.rest = line
        self._state = (now.st_size, now.st_mtime_ns)

    def take_rest(self) -> None:
        """What follows the last newline was a whole line, which lacked its own alone."""
        self._advance(self.rest)
        self.rest = b""

    def _advance(self, data: bytes) -> None:
        self._offset += len(data)
        self._before = (self._before + data)[-KEPT_BYTES:]

    def close(self) -> None:
        """Let go of it; what is read next is read from the beginning."""
        if self._file is not None:
            self._file.close()
        self._file, self._offset, self._before, self._state, self.rest = None, 0, b"", None, b""
