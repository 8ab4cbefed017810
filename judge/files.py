"""Reads, writes, walks and removes files and folders of users and bots, after checking their kind and size.

A name that a user gives may lead to a device that never ends, to a file of the kernel on which a reader waits, or to a
sparse file of any size. A bot may nest folders as deep as it likes. Therefore no function in this module is recursive.
"""

import contextlib
import fcntl
import os
import stat
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from judge.language import _, marked
from judge.terminal import printable
from protocol.records.json_lines import other_kind

DEEPEST = 64  # the most levels of folders that walk() enters
MOST_ENTRIES = 100_000  # the most files and folders in a folder and its subfolders
PART_BYTES = 1 << 20  # the largest piece that parts() reads
# The results of other_kind(), marked here for the catalogs.
KINDS = (marked("a folder"), marked("a pipe"), marked("a socket"), marked("a device"), marked("a file of the kernel"))


class Unsuitable(OSError):
    """The judge does not read a file or folder of this kind or size. The error's text is a sentence with the path."""


def content(path: str | Path, most_bytes: int) -> bytes:
    """Return the content of a file, a pipe or a terminal, or b"" for /dev/null.

    Raises OSError if the content has more than `most_bytes` bytes or cannot be read.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISFIFO(status.st_mode) or file.isatty():
            os.set_blocking(file.fileno(), True)
            data = file.read(most_bytes + 1)
            if len(data) > most_bytes:
                raise _too_large(path, len(data), most_bytes)
            return data
        if stat.S_ISCHR(status.st_mode) and status.st_rdev == os.stat(os.devnull).st_rdev:
            return b""
        return file.read(_checked_size(path, status, most_bytes))


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # without the flag, opening a pipe could wait


def require_file(path: str | Path, most_bytes: int) -> None:
    """Raise OSError unless the path leads to a file with at most `most_bytes` bytes."""
    _checked_size(path, os.stat(path), most_bytes)


def _checked_size(path: str | Path, status: os.stat_result, most_bytes: int) -> int:
    """Return the size of a file. Raises Unsuitable if `path` leads to something else, or if the file is too large."""
    kind = other_kind(status)
    if kind:
        raise Unsuitable(_("{path}: expected a file, got {kind}").format(path=printable(str(path)), kind=_(kind)))
    if status.st_size > most_bytes:
        raise _too_large(path, status.st_size, most_bytes)
    return status.st_size


def _too_large(path: str | Path, number: int, most_bytes: int) -> Unsuitable:
    message = _("{path} has {number:,} bytes, expected at most {most:,}")
    return Unsuitable(message.format(path=printable(str(path)), number=number, most=most_bytes))


def parts(path: str | Path, most_bytes: int) -> Iterator[bytes]:
    """Yield the size of a file as 8 bytes (big-endian), then the file's content in pieces of at most PART_BYTES bytes.

    Raises OSError if the file has more than `most_bytes` bytes, shrinks while it is read, or cannot be read.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        bytes_left = _checked_size(path, os.fstat(file.fileno()), most_bytes)
        yield bytes_left.to_bytes(8, "big")
        while bytes_left:
            part = file.read(min(bytes_left, PART_BYTES))
            if not part:
                raise Unsuitable(
                    _("{path} changes while it is read: try again later").format(path=printable(str(path)))
                )
            bytes_left -= len(part)
            yield part


def write_new(path: str | Path, data: bytes) -> None:
    """Write `data` to a new file. Raises OSError if the file exists already or cannot be written.

    An incomplete file is removed.
    """
    try:
        with open(path, "xb") as file:
            try:
                file.write(data)
                file.flush()
            except OSError:
                os.unlink(path)
                raise
    except FileExistsError as error:
        message = _("{path} exists already, and is not overwritten")
        raise FileExistsError(message.format(path=printable(str(path)))) from error


def walk(
    root: str | Path, enters: Callable[[Path], bool] = lambda path: True, most: int = MOST_ENTRIES
) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
    """Yield (path relative to `root`, entries sorted by name) for `root` and for all of its subfolders.

    A folder comes before its subfolders. A subfolder is entered if enters(path relative to `root`) is true. Links to
    folders are not followed. Folders that may not be read or no longer exist are left out. Raises Unsuitable if folders
    are nested deeper than DEEPEST or there are more than `most` entries, and OSError if `root` cannot be read.
    """
    waiting, number = [Path()], 0
    while waiting:
        inside = waiting.pop()
        entries = []
        try:
            with os.scandir(os.path.join(root, inside)) as scanned:
                for entry in scanned:
                    entries.append(entry)
                    number += 1
                    if number > most:
                        message = _("{path} contains more than {most:,} files and folders")
                        raise Unsuitable(message.format(path=printable(str(root)), most=most))
        except (PermissionError, FileNotFoundError):
            if not inside.parts:
                raise
            continue
        entries.sort(key=lambda entry: entry.name)
        yield inside, entries
        for entry in reversed(entries):
            if entry.is_dir(follow_symlinks=False) and enters(below := inside / entry.name):
                if len(below.parts) > DEEPEST:
                    message = _("{path} contains folders nested deeper than {most} levels")
                    raise Unsuitable(message.format(path=printable(str(root)), most=DEEPEST))
                waiting.append(below)


def hold(folder: str | Path) -> int | None:
    """Lock a folder, so that other processes know that it is in use. The lock ends when the descriptor is closed.

    Returns the descriptor, or None if another process has locked the folder or it cannot be locked. The lock ends with
    this process, too, and works across process namespaces, in which process ids differ.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None


def remove(folder: str | Path) -> None:
    """Remove a folder and everything in it, however deep folders are nested. Entries that cannot be removed stay.

    Precondition: no other program changes the folder at the same time.
    """
    # Nested folders are moved up first, so that no path gets longer than a system call takes.
    above, waiting = os.path.join(folder, uuid.uuid4().hex), [os.fspath(folder)]
    number = 0
    while waiting:
        place = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(place, stat.S_IRWXU)  # a bot may have made the folder unreadable
            with os.scandir(place) as scanned:
                entries = list(scanned)
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        os.chmod(entry.path, stat.S_IRWXU)  # else its owner may not move it
                        number += 1
                        os.rename(entry.path, f"{above}-{number}")
                        waiting.append(f"{above}-{number}")
                    else:
                        os.unlink(entry.path)
            if place != os.fspath(folder):
                os.rmdir(place)
    with contextlib.suppress(OSError):
        os.rmdir(folder)
