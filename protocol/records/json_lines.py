"""Append-only files of JSON lines, and checks of their content.

A line is appended whole or not at all, and lines are read one at a time. Writers exclude each other by flock(2). A run
of games keeps its file to itself by a lock of another kind (lock_whole()), which all writers respect. Any program that
may read the file can hold a lock or a lease on it (fcntl(2)), so nothing here waits longer than APPEND_PATIENCE_S.

Reading refuses JSON that could fail later in a writer, a calculation or a display: invalid JSON, brackets nested too
deep, and invalid numbers, which are NaN, infinities (1e400 is one) and integers of more than MOST_DIGITS digits. Each
check of a field raises an error that names the field.

Of a record's `extra` only the entries that reports read are checked. Not part of the ladder bundle.
"""

import contextlib
import errno
import fcntl
import functools
import json
import math
import os
import re
import stat
import struct
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard, TypeVar

MOST_DIGITS = 64  # of an integer
BEYOND = 10**MOST_DIGITS
SHOWN_CHARACTERS = 24  # of a name, in messages
SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character, which UTF-8 cannot encode
TOO_DEEP = "expected brackets at most {most} deep"
REPLACEMENT = "\ufffd"
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
Check = Callable[[str, Any], None]
Entry = TypeVar("Entry")
LARGEST_S = 10**9  # of a time: thirty years
LARGEST_COUNT = 2**63 - 1
LONGEST_NAME = 80  # characters of a key, in messages
MOST_NESTED_REASONS = 8


class InvalidNumber(ValueError):
    """A JSON text contains a number that no record may hold; str() begins with the number's place."""


def loads(text: str | bytes, most_nested: int) -> Any:
    """Return the value of a JSON text (str, or UTF-8 with or without a byte order mark).

    Raises ValueError for invalid JSON or brackets nested deeper than most_nested, InvalidNumber for an invalid number.
    """
    try:
        value = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except RecursionError:
        raise ValueError(TOO_DEEP.format(most=most_nested)) from None
    check(value, most_nested)
    return value


def check(value: Any, most_nested: int) -> None:
    """Raise ValueError if a value from JSON is nested deeper than most_nested, InvalidNumber for an invalid number."""
    if not _is_nested_at_most(value, most_nested):
        raise ValueError(TOO_DEEP.format(most=most_nested))
    found = _invalid_number(value)
    if found is not None:
        place, number = found
        expected = f"expected a finite number of at most {MOST_DIGITS} digits"
        raise InvalidNumber(f"{place.lstrip('.') or 'value'}: {expected}, got {number}")


def without_surrogates(value: Any) -> Any:
    """Return the value with lone surrogates in its strings replaced by U+FFFD. Precondition: not nested too deep."""
    if isinstance(value, str):
        return SURROGATE.sub(REPLACEMENT, value)
    if isinstance(value, dict):
        return {without_surrogates(name): without_surrogates(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_surrogates(entry) for entry in value]
    return value


def _invalid_number(value: Any) -> tuple[str, str] | None:
    """Return (place of the first invalid number, such as ".moves[1].wall_s", the number as text); None without one."""
    if isinstance(value, float):
        return None if math.isfinite(value) else ("", str(value))
    if isinstance(value, int):
        return None if -BEYOND < value < BEYOND else ("", f"one of {value.bit_length()} bits")
    entries: Any = ()
    if isinstance(value, dict):
        entries = ((f".{name:.{SHOWN_CHARACTERS}}", entry) for name, entry in value.items())
    elif isinstance(value, list):
        entries = ((f"[{index}]", entry) for index, entry in enumerate(value))
    for place, entry in entries:
        if isinstance(entry, str):
            continue
        found = _invalid_number(entry)
        if found is not None:
            return place + found[0], found[1]
    return None


def _is_nested_at_most(value: Any, most: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        if not level:
            break
        inside = (entry.values() if isinstance(entry, dict) else entry for entry in level)
        level = [entry for entries in inside for entry in entries if isinstance(entry, (dict, list))]
    return not level


class RecordError(Exception):
    """A record or line is malformed; the message names the field (and a file's line).

    Unprintable characters in the message are escaped, because names in it come from the file. `path` is the file, None
    without one; `line` is the number, from 1, of the wrong line, None if the whole file is wrong.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None) -> None:
        super().__init__(message if message.isprintable() else "".join(map(_printable, message)))
        self.path, self.line = path, line


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def expect(condition: bool, name: str, expected: object, received: object) -> None:
    """Raise RecordError with the name, the expected and the received value unless `condition` is true."""
    if not condition:
        raise RecordError(f"{name:.{LONGEST_NAME}}: expected {expected}, got {received!r:.200}")


def check_text(name: str, value: object, optional: bool = False) -> None:
    """Raise RecordError unless `value` is a str (or None if `optional`)."""
    expect(isinstance(value, str) or (optional and value is None), name, "a string", value)


def check_integer(name: str, value: object, optional: bool = False) -> None:
    """Raise RecordError unless `value` is an int and no bool (or None if `optional`)."""
    expect(type(value) is int or (optional and value is None), name, "an integer", value)


def check_count(name: str, value: Any) -> None:
    """Raise RecordError unless `value` is an int (no bool) from 0 to LARGEST_COUNT."""
    expect(type(value) is int and 0 <= value <= LARGEST_COUNT, name, "an integer of at least 0", value)


def check_seconds(name: str, value: Any, optional: bool = False) -> None:
    """Raise RecordError unless `value` is a number of seconds from 0 to LARGEST_S (or None if `optional`)."""
    if not (optional and value is None):
        expect(is_seconds(value), name, f"a finite number of seconds, not negative, at most {LARGEST_S}", value)


def is_seconds(value: Any) -> TypeGuard[float]:
    """Return whether `value` is a number of seconds from 0 to LARGEST_S."""
    return type(value) in (int, float) and 0 <= value <= LARGEST_S


def check_object(name: str, value: object, optional: bool = False) -> None:
    """Raise RecordError unless `value` is a dict (or None if `optional`)."""
    expect(isinstance(value, dict) or (optional and value is None), name, "an object", value)


def checked_tuple(name: str, values: Any, kind: type[Entry]) -> tuple[Entry, ...]:
    """Return the list or tuple `values` as a tuple; raises RecordError unless all are of type `kind`."""
    expect(isinstance(values, (list, tuple)), name, "a list", values)
    for position, value in enumerate(values):
        expect(type(value) is kind, f"{name}[{position}]", f"of type {kind.__name__}", value)
    return tuple(values)


def check_keys(content: dict[str, Any], required: Collection[str], optional: Collection[str]) -> None:
    """Raise RecordError for the first key of the dict `content` that is missing or unknown."""
    for name in required:
        expect(name in content, name, "in the record", "no such key")
    for name in content:
        expect(name in required or name in optional, name, "no key of this name", content[name])


class Line(NamedTuple):
    """A line of a file and its number, from 1. A torn line is an incomplete last line whose writer was killed."""

    number: int
    content: bytes
    is_torn: bool


def append(path: Path, lines: bytes) -> None:
    """Append lines, each with its newline, and wait until they are on disk.

    Creates the file and its folder. Several processes may append at the same time. A torn last line is moved to
    PATH.torn. Raises OSError naming the path, with the file as it was, if the lines cannot be written whole, or if
    another program holds a lock or a lease on the file; raises RecordError if the path is not that of a file, if a run
    of games has the file for itself, or if its last line is longer than LONGEST_LINE.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _open_to_append(path, os.O_CREAT) as descriptor:
        append_to(path, descriptor, lines)


def require_appendable(path: Path) -> None:
    """Raise the error that append() would raise now for this existing file, and write nothing."""
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
    """Append lines as append() does to the file at the path; return its new size in bytes.

    Precondition: the descriptor is the file's, opened with APPEND_FLAGS, and locked.
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
    """Yield the lines of a file, as many as it has when the first one is read.

    Raises OSError naming the path, RecordError if it is not that of a file or a line is longer than LONGEST_LINE.
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


def _too_long(path: Path, number: int | None) -> RecordError:
    place = f"{path}, line {number}" if number else f"{path}, its last line"
    return RecordError(f"{place}: expected one JSON object, got more than {LONGEST_LINE} bytes", path, number)


@contextlib.contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """Yield the descriptor of the file, opened with these flags; an OSError in the block gets the path.

    Raises OSError if the file cannot be opened, such as BlockingIOError if another program holds a lease on it;
    RecordError if the path is not that of a file.
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
    """Add the path to an OSError that is raised in the block and names no file."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _open(path: Path, flags: int) -> int:
    """Open a file and return its descriptor. Wait at most APPEND_PATIENCE_S for the end of a lease of another program.

    For the other end of a pipe it does not wait.
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
    """Lock an open file against other judges until it is closed; return False if one of them has locked it.

    A run of games locks its file exclusively; single appends share a lock. On a system without such locks return True.
    """
    if SET_LOCK is None:
        return True
    try:
        fcntl.fcntl(descriptor, SET_LOCK, whole_file(fcntl.F_RDLCK if is_shared else fcntl.F_WRLCK))
    except (BlockingIOError, PermissionError):
        return False
    return True


def whole_file(kind: int) -> bytes:
    """Return the argument (a struct flock) of fcntl() for a lock of this kind on all of a file."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)


@contextlib.contextmanager
def flocked(descriptor: int, lock: int, patience_s: float) -> Iterator[bool]:
    """Hold a flock(2) on an open file during the block; yield whether it could be had within patience_s.

    lock: LOCK_SH or LOCK_EX of fcntl. If False is yielded, the block runs without the lock.
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
    """Return what a path with this stat result leads to, such as "a folder", if it is no file on a disk; "" for a file.

    The kernel's own files below /proc and /sys look like files, but reading one may wait for ever.
    """
    name = next((name for is_kind, name in KINDS if is_kind(found.st_mode)), "")
    return name or ("a file of the kernel" if found.st_dev in _kernels_devices() else "")


@functools.cache
def _kernels_devices() -> frozenset[int]:
    root = os.stat("/").st_dev
    devices = {os.stat(place).st_dev for place in ("/proc", "/sys") if os.path.isdir(place)}
    return frozenset(devices - {root})


def _write(descriptor: int, data: bytes) -> None:
    """Write all of the data. On a full disk a part may be written before the next attempt raises OSError."""
    while data:
        data = data[os.write(descriptor, data) :]


def _unclosed_tail(path: Path, descriptor: int, size: int) -> bytes:
    """Return the bytes after the last newline of a file of `size` bytes. Raises RecordError if they are too long."""
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
    with opened(Path(f"{path}.torn"), os.O_WRONLY | os.O_APPEND | os.O_CREAT) as descriptor:
        _write(descriptor, tail + b"\n")
        os.fsync(descriptor)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def check_extra(extra: dict[str, Any]) -> None:
    """Raise RecordError for the first known entry of a record's `extra` that has a wrong type or value."""
    _check(extra, OF_GAME, "extra")
    for side in ("A", "B"):
        if side in extra:
            check_object(f"extra.{side}", extra[side])
            _check(extra[side], OF_SIDE, f"extra.{side}")


def _check(content: Mapping[str, Any], checks: Mapping[str, Check], place: str) -> None:
    for name, check in checks.items():
        if name in content:
            try:
                check(name, content[name])
            except RecordError as error:
                raise RecordError(f"{place}.{error}") from None


def _optional(check: Callable[..., None]) -> Check:
    return lambda name, value: check(name, value, optional=True)


def _list_of_seconds(name: str, value: Any) -> None:
    expect(isinstance(value, list), name, "a list", value)
    for position, entry in enumerate(value):
        check_seconds(f"{name}[{position}]", entry)


def _seconds_by_ply(name: str, value: Any) -> None:
    check_object(name, value)
    for ply, entry in value.items():
        check_seconds(f"{name}[{ply[:8]!r}]", entry)


def _reason(name: str, value: Any, depth: int = MOST_NESTED_REASONS) -> None:
    """Raise RecordError unless `value` is a sentence (str) or an object of code and fields, which are reasons again."""
    if isinstance(value, str):
        return
    expect(isinstance(value, dict), name, "a string, or an object of code and fields", value)
    expect(depth > 0, name, f"at most {MOST_NESTED_REASONS} reasons in one another", value)
    expect(set(value) == {"code", "fields"}, name, "the keys code and fields", value)
    check_text(f"{name}.code", value["code"])
    check_object(f"{name}.fields", value["fields"])
    for field, part in value["fields"].items():
        _reason(f"{name}.fields.{field[:LONGEST_NAME]}", part, depth - 1)


OF_GAME: dict[str, Check] = {
    "id": check_text,
    "index": check_count,
    "reason": _reason,
    "illegal_cell": check_count,
    "no_sandbox": _reason,
    "limit_s": _optional(check_seconds),
    "player_limit_s": _optional(check_seconds),
    "schedule": check_object,
}
OF_SIDE: dict[str, Check] = {
    "cpu_s": check_seconds,
    "start_up_s": _optional(check_seconds),
    "peak_rss_bytes": check_count,
    "stderr_bytes": check_count,
    "printed_bytes": check_count,
    "exit_status": _optional(check_integer),
    "waits_s": _list_of_seconds,
    "overtime_s": _seconds_by_ply,
    **dict.fromkeys(("backtrace", "folder", "printed", "stderr", "stdout"), check_text),
}
