"""Lines of a file that only grows: appended whole or not at all, read one by one, whatever else has happened to it.

Not part of the ladder bundle.
"""

import contextlib
import fcntl
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .fields import RecordError

LONGEST_LINE = 64 * 2**20  # bytes; the largest record that a judge can write has some 10 MB
BLOCK_BYTES = 1 << 16
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Line(NamedTuple):
    """A line of a file by its number, from 1. It is torn where its writer was killed in it: it is no JSON, and last."""

    number: int
    content: bytes
    is_torn: bool


def append(path: Path, lines: bytes) -> None:
    """Append lines, each with its newline, on disk when this returns.

    Creates the file and its folder. Several processes may append at the same time. A line that an earlier writer was
    killed in is copied to PATH.torn and cut off. Raises OSError naming the path, with the file as it was, if the lines
    cannot be written whole, and RecordError where the path is not that of a file, or what it ends in cannot be a line.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, fcntl.LOCK_EX) as descriptor:
        size = os.fstat(descriptor).st_size
        tail = _unclosed_tail(path, descriptor, size)
        if _is_json(tail):
            lines = b"\n" + lines  # a whole record that only lacks its newline, as editors leave one
        elif tail:
            _set_aside(path, tail)
            size -= len(tail)
            os.ftruncate(descriptor, size)
        try:
            _write(descriptor, lines)
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a file.

    Raises OSError naming the path, RecordError where that is no file's, or one's with a line beyond all size.
    """
    with _locked(path, os.O_RDONLY, fcntl.LOCK_SH) as descriptor, open(descriptor, "rb", closefd=False) as file:
        number = 0
        while content := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(content) > LONGEST_LINE:
                raise _too_long(path, number)
            is_torn = not content.endswith(b"\n") and not _is_json(content)
            yield Line(number, content, is_torn)


def _too_long(path: Path, number: int | None) -> RecordError:
    place = f"{path}, line {number}" if number else f"{path}, its last line"
    return RecordError(f"{place}: expected one JSON object, got more than {LONGEST_LINE} bytes", path, number)


@contextlib.contextmanager
def _locked(path: Path, flags: int, lock: int) -> Iterator[int]:
    """The descriptor of the file, opened and locked. An OSError of what is done with it names the path."""
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)  # a pipe would have this wait
        try:
            _require_file(path, descriptor)
            fcntl.flock(descriptor, lock)
            yield descriptor
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _require_file(path: Path, descriptor: int) -> None:
    mode = os.fstat(descriptor).st_mode
    for is_kind, name in KINDS:
        if is_kind(mode):
            raise RecordError(f"{path}: expected a file, got {name}", path)


def _write(descriptor: int, data: bytes) -> None:
    """Write all of the data; a disk that is full tells so at the second attempt."""
    while data:
        data = data[os.write(descriptor, data) :]


def _unclosed_tail(path: Path, descriptor: int, size: int) -> bytes:
    """What follows the last newline of a file of `size` bytes."""
    blocks: list[bytes] = []  # the last one first
    start, found = size, -1
    while start > 0 and found < 0 and size - start <= LONGEST_LINE:
        end, start = start, max(0, start - BLOCK_BYTES)
        blocks.append(os.pread(descriptor, end - start, start))
        found = blocks[-1].rfind(b"\n")
    if blocks:
        blocks[-1] = blocks[-1][found + 1 :]
    tail = b"".join(reversed(blocks))
    if len(tail) > LONGEST_LINE:
        raise _too_long(path, None)
    return tail


def _set_aside(path: Path, tail: bytes) -> None:
    with open(f"{path}.torn", "ab") as file:
        file.write(tail + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
