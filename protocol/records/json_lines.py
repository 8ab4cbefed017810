"""Append-only files of JSON lines.

A line is appended whole or not at all, and lines are read one at a time. Writers exclude each other by flock(2). A run
of games keeps its file to itself by a lock of another kind (lock_whole()), which all writers respect. Any program that
may read the file can hold a lock or a lease on it (fcntl(2)), so no function here waits longer than APPEND_PATIENCE_S.

What the lines hold is read by values.py. This module is not part of the ladder bundle.
"""

import contextlib
import errno
import fcntl
import functools
import json
import os
import re
import stat
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character, which UTF-8 cannot encode
LONGEST_LINE = 64 * 2**20  # bytes; the largest record that a judge can write has about 10 MB
BLOCK_BYTES = 1 << 16
APPEND_PATIENCE_S, READ_PATIENCE_S, LOOK_S = 10.0, 1.0, 0.01  # for locks and leases of other programs
APPEND_FLAGS = os.O_RDWR | os.O_APPEND
# Open file description locks (fcntl(2)): a process's lock would be lost when it closes any descriptor of the file. Only
# Linux has them.
SET_LOCK = getattr(fcntl, "F_OFD_SETLK", None)
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
Value = TypeVar("Value")
LARGEST_S = 10**9  # the longest time, in seconds: thirty years


def without_surrogates(value: Any) -> Any:
    """Return the value with U+FFFD in place of lone surrogates in its strings.

    Precondition: the value is not nested too deep.
    """
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(name): without_surrogates(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_surrogates(entry) for entry in value]
    return value


class RecordError(Exception):
    """A record or line is malformed. The message names the field, and the line of a file.

    Unprintable characters in the message are escaped, because names in the message come from the file. `path` is the
    file, None if the record is not from a file. `line` is the number of the wrong line, from 1, None if the whole file
    is wrong.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None) -> None:
        super().__init__(message if message.isprintable() else "".join(map(_printable, message)))
        self.path, self.line = path, line


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


class Line(NamedTuple):
    """A line of a file: its number, from 1, and its content.

    `is_torn` says that it is an incomplete last line, whose writer was killed.
    """

    number: int
    content: bytes
    is_torn: bool


def append(path: Path, lines: bytes) -> None:
    """Append lines, each with its newline, and wait until they are on disk.

    The file and its folder are created if they do not exist. Several processes may append at the same time. A torn last
    line is moved to PATH.torn. Raises OSError, which names the path, if the lines cannot be written whole, or if
    another program holds a lock or a lease on the file; the file is then as it was before. Raises RecordError if `path`
    leads to something else than a file, if a run of games has locked the file for itself, or if its last line is longer
    than LONGEST_LINE.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _open_to_append(path, os.O_CREAT) as descriptor:
        append_to(path, descriptor, lines)


def require_appendable(path: Path) -> None:
    """Raise the error that append() would raise now for this existing file. Write nothing."""
    with _open_to_append(path):
        pass


@contextlib.contextmanager
def _open_to_append(path: Path, flags: int = 0) -> Iterator[int]:
    with opened(path, APPEND_FLAGS | flags) as descriptor:
        if not lock_whole(descriptor, is_shared=True):
            raise RecordError(f"{path} is in use by another judge", path)
        with flocked(descriptor, fcntl.LOCK_EX, APPEND_PATIENCE_S) as has_lock:
            if not has_lock:
                raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))
            yield descriptor


def append_to(path: Path, descriptor: int, lines: bytes) -> int:
    """Append lines to an open file, and return its new size in bytes. The errors are those of append().

    `path` is the path of the file. Precondition: `descriptor` was opened with APPEND_FLAGS, and the file is locked.
    """
    size = os.fstat(descriptor).st_size
    tail = _unclosed_tail(path, descriptor, size)
    if _is_json(tail):
        lines = b"\n" + lines  # a whole record without its newline, as some editors write it
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
    return size + len(lines)


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines that the file has when the first of them is read.

    Raises OSError, which names the path. Raises RecordError if `path` leads to something else than a file, or if a line
    is longer than LONGEST_LINE.
    """
    with opened(path, os.O_RDONLY) as descriptor, open(descriptor, "rb", closefd=False) as file:
        # While the file is locked, no writer is within a line. Without the lock the last line may be half written; it
        # then counts as torn.
        with flocked(descriptor, fcntl.LOCK_SH, READ_PATIENCE_S):
            left = os.fstat(descriptor).st_size
        number = 0
        while content := file.readline(min(left, LONGEST_LINE + 1)):
            number += 1
            left -= len(content)
            if len(content) > LONGEST_LINE:
                raise _too_long(path, number)
            is_torn = not content.endswith(b"\n") and not _is_json(content)
            yield Line(number, content, is_torn)


def read_values(path: Path, read: Callable[[bytes], Value]) -> tuple[list[Value], list[bytes]]:
    """Return (what read() makes of each line of the file at `path`, torn lines).

    The second item holds the last line if it is torn, else it is empty. The file is not changed. Raises OSError if the
    file cannot be read, and RecordError, which has the path and the number of the line, for a line that read() refuses.
    """
    values: list[Value] = []
    for line in read_lines(path):
        if line.is_torn:
            return values, [line.content]
        values.append(value_in_line(path, line.number, line.content, read))
    return values, []


def value_in_line(path: str | os.PathLike[str], number: int, content: bytes, read: Callable[[bytes], Value]) -> Value:
    """Return what read() makes of `content`, which is line `number` (from 1) of the file at `path`.

    Raises RecordError, which names the path and the number, if read() raises one.
    """
    try:
        return read(content)
    except RecordError as error:
        raise type(error)(f"{path}, line {number}: {error}", path, number) from None


def _too_long(path: Path, number: int | None) -> RecordError:
    place = f"{path}, line {number}" if number else f"{path}, its last line"
    return RecordError(f"{place}: expected one JSON object, got more than {LONGEST_LINE} bytes", path, number)


@contextlib.contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """Yield a descriptor of the file, opened with these flags.

    If the block raises an OSError, the path is added to the error. Raises OSError if the file cannot be opened, such as
    BlockingIOError if another program holds a lease on the file. Raises RecordError if `path` leads to something else
    than a file.
    """
    with naming(path):
        descriptor = _open(path, flags)
        try:
            _require_file(path, descriptor)
            yield descriptor
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the path to an OSError that is raised in the block and does not name a file."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _open(path: Path, flags: int) -> int:
    """Open a file, and return its descriptor.

    Wait at most APPEND_PATIENCE_S for another program to give up a lease on the file. If the path is a pipe, do not
    wait for a program at its other end.
    """
    give_up = time.monotonic() + APPEND_PATIENCE_S
    while True:
        try:
            return os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise
        time.sleep(LOOK_S)


def lock_whole(descriptor: int, is_shared: bool = False) -> bool:
    """Lock an open file against other judges until it is closed. Return False if another judge has locked it.

    A run of games locks its file exclusively; programs that append single records share a lock (`is_shared`). On a
    system without such locks return True.
    """
    if SET_LOCK is None:
        return True
    try:
        fcntl.fcntl(descriptor, SET_LOCK, whole_file(fcntl.F_RDLCK if is_shared else fcntl.F_WRLCK))
    except (BlockingIOError, PermissionError):
        return False
    return True


def whole_file(kind: int) -> bytes:
    """Return the argument of fcntl(), a struct flock, for a lock of this kind on the whole file."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)


@contextlib.contextmanager
def flocked(descriptor: int, lock: int, patience_s: float) -> Iterator[bool]:
    """Hold a flock(2) on an open file during the block; yield whether it was obtained within `patience_s` seconds.

    `lock` is LOCK_SH or LOCK_EX of fcntl. If False is yielded, the block runs without the lock.
    """
    give_up = time.monotonic() + patience_s
    while not (has_lock := _has_flock(descriptor, lock)) and time.monotonic() < give_up:
        time.sleep(LOOK_S)
    try:
        yield has_lock
    finally:
        if has_lock:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _has_flock(descriptor: int, lock: int) -> bool:
    try:
        fcntl.flock(descriptor, lock | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _require_file(path: Path, descriptor: int) -> None:
    kind = other_kind(os.fstat(descriptor))
    if kind:
        raise RecordError(f"{path}: expected a file, got {kind}", path)


def other_kind(found: os.stat_result) -> str:
    """Return what kind of thing a path leads to, such as "a folder"; "" for a file on a disk.

    `found` is the stat result of the path. The kernel's own files below /proc and /sys look like files, but reading one
    may wait for ever.
    """
    name = next((name for is_kind, name in KINDS if is_kind(found.st_mode)), "")
    return name or ("a file of the kernel" if found.st_dev in _kernels_devices() else "")


@functools.cache
def _kernels_devices() -> frozenset[int]:
    root = os.stat("/").st_dev
    devices = {os.stat(place).st_dev for place in ("/proc", "/sys") if os.path.isdir(place)}
    return frozenset(devices - {root})


def _write(descriptor: int, data: bytes) -> None:
    """Write all bytes of `data`. On a full disk a part may be written before the next attempt raises OSError."""
    while data:
        data = data[os.write(descriptor, data) :]


def _unclosed_tail(path: Path, descriptor: int, size: int) -> bytes:
    """Return the bytes after the last newline of a file of `size` bytes.

    Raises RecordError if these bytes are more than LONGEST_LINE.
    """
    window = BLOCK_BYTES
    while b"\n" not in (tail := os.pread(descriptor, window, max(0, size - window))) and window < size:
        if window >= LONGEST_LINE:
            raise _too_long(path, None)
        window *= 2
    return tail.rpartition(b"\n")[2]


def _set_aside(path: Path, tail: bytes) -> None:
    with opened(Path(f"{path}.torn"), os.O_WRONLY | os.O_APPEND | os.O_CREAT) as descriptor:
        _write(descriptor, tail + b"\n")
        os.fsync(descriptor)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
