"""What the judge does with record files: append a game, find the numbers of games, lock a file, explain an error.

protocol/records/record.py reads and writes the records themselves.

A run of games locks its record file against other judges, even if they open it under another name. The kernel releases
the locks when the judge ends.
"""

import contextlib
import errno
import fcntl
import functools
import itertools
import json
import os
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from judge.language import _, marked
from judge.program import again
from judge.terminal import printable, sentence
from protocol.records import json_lines
from protocol.records.json_lines import read_lines
from protocol.records.record import (
    GameRecord,
    OldRecord,
    RecordError,
    append_record,
    append_records,
    read_records,
)

HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), marked("make room on the disk of that file")),
    errno.EFBIG: marked("raise the limit on the size of files (ulimit -f)"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), marked("you have no permission to open that file: name another file")
    ),
    errno.ENAMETOOLONG: marked("name another file"),
    errno.EWOULDBLOCK: marked("another program has locked the file: end it, or name another file"),
}
LINES_CHECKED = 1000  # the most lines of a damaged file that are checked
# How long to wait for a lock, and the pause between two tries: another program may just be appending a game.
LOCK_PATIENCE_S, LOCK_PAUSE_S = 2.0, 0.01
FLOCK_PATIENCE_S = 0.5  # how long to wait for flock(), which keeps readers from seeing half a line but is not necessary
COMPARED_BYTES = 256  # the bytes at the end of the file that are compared before each write


def append(path: Path, record: GameRecord) -> Callable[[], str] | None:
    """Append a game to the record file `path` and sync the file. Returns None if that succeeds.

    If it fails, the game is saved in another file, and a function is returned. It returns a message, in the language
    that is current when it is called, with the error and that file's path.
    """
    try:
        append_record(path, record)
    except (OSError, RecordError) as error:
        place = save_elsewhere([record], [tempfile.gettempdir()], "game.jsonl")
        return functools.partial(_not_appended, error, place)
    return None


def _not_appended(error: OSError | RecordError, place: Path | None) -> str:
    """Return the message on a game that is saved in the file `place` instead, or nowhere if `place` is None."""
    outcome = _("the game is not recorded")
    if place is not None:
        outcome = _("the game is saved in {path}").format(path=printable(str(place)))
    return f"{in_words(error)}; {outcome}"


def save_elsewhere(records: Sequence[GameRecord], folders: Sequence[str | Path], name: str) -> Path | None:
    """Write the records to a new file with the name `name`, and return the file's path.

    The file is in a new folder, which is made in the first of `folders` in which that succeeds. Returns None if it
    succeeds in none of them.
    """
    for folder in folders:
        with contextlib.suppress(OSError, RecordError):
            place = Path(tempfile.mkdtemp(prefix="dropfour-", dir=folder)) / name
            append_records(place, records)
            return place
    return None


def numbers_in_file(path: Path) -> dict[str, int]:
    """Return {id of a game: the game's number in the record file `path`, from 1}.

    Commands such as `replay` take these numbers. A run cannot know the numbers without reading the file, because other
    programs may have appended games. Returns {} if the file does not exist or cannot be read.
    """
    try:
        records = read_records(path)[0]
    except (OSError, RecordError):
        return {}
    return {record.extra["id"]: number for number, record in enumerate(records, start=1) if "id" in record.extra}


def in_words(error: OSError | RecordError) -> str:
    """Return one line that says what the error is, in which file it is, and what the user may do."""
    if isinstance(error, OSError):
        place = f"{printable(str(error.filename))}: " if error.filename else ""
        advice = HINTS.get(error.errno or 0)
        text, hint = f"{place}{error.strerror or error}", _(advice) if advice else ""
    else:
        text, hint = str(error), _hint_on_line(error)
    text = sentence(text)
    return f"{text}; {hint}" if hint else text


def _hint_on_line(error: RecordError) -> str:
    """Return what the user may do about an error in a record file or in one of its lines, or "" if nothing is known."""
    if error.path is None:
        return ""
    path = printable(shlex.quote(str(error.path)))
    if isinstance(error, OldRecord):
        return _("write the games of that file to a new file with {command}").format(
            command=f"{again()} convert {path} NEW.jsonl"
        )
    if error.line is None:
        return _("name another file")
    if not holds_records(Path(error.path)):
        return _("that file holds no records: name another file")
    command = f"sed -i.damaged {error.line}d {path}"
    return _("remove the damaged line with {command}, which keeps the present file as {copy}").format(
        command=command, copy=f"{path}.damaged"
    )


def holds_records(path: Path) -> bool:
    """Return whether at least half of the file's lines are records or answers of a review. The file need not exist.

    Only the first LINES_CHECKED lines are checked.
    """
    lines = known = 0
    with contextlib.suppress(OSError, RecordError):
        for line in itertools.islice(read_lines(path), LINES_CHECKED):
            lines += 1
            with contextlib.suppress(ValueError, TypeError, RecursionError):
                # One of these is in each line of a record file or of a review file.
                known += not frozenset({"record_version", "review"}).isdisjoint(json.loads(line.content))
    return 2 * known >= lines > 0


class Altered(Exception):
    """Another program has emptied, cut or replaced a file that a judge has locked. The error's text says which."""


class HeldFile:
    """A file of lines that this judge keeps open until close() and can lock. It is created if it does not exist.

    The file stays open for writing, so that no other program can get a lease on it. Raises OSError if the file cannot
    be opened, and RecordError if `path` leads to something other than a file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_new = not path.exists()
        self._size, self._end = 0, b""  # the file's size and last bytes after a write; the next write expects them
        self._descriptor = self._open()

    def _open(self) -> int:
        """Open the file for appending, create it if it does not exist, and return the descriptor."""
        with json_lines.opened(self.path, json_lines.APPEND_FLAGS | os.O_CREAT) as descriptor:
            return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 0)  # a copy, because opened() closes `descriptor`

    def lock(self) -> bool:
        """Lock the file against other judges and return True. Returns False if another judge has locked the file."""
        give_up = time.monotonic() + LOCK_PATIENCE_S
        while not (has_lock := json_lines.lock_whole(self._descriptor)) and time.monotonic() < give_up:
            time.sleep(LOCK_PAUSE_S)
        self._is_new &= has_lock  # without the lock, another judge may have created the file
        self._remember_end()
        return has_lock

    def is_removed(self) -> bool:
        """Return whether there is no file at the path any more."""
        return not self.path.exists()

    def create(self) -> None:
        """Create and lock the file again after it was removed.

        Raises Altered if another program has meanwhile created a file there and written to it or locked it, and OSError
        or RecordError if the file cannot be created.
        """
        _target(self.path).parent.mkdir(parents=True, exist_ok=True)
        new = self._open()
        os.close(self._descriptor)
        self._descriptor = new
        self._remember_end()
        if self._size or not json_lines.lock_whole(self._descriptor):
            raise Altered(_("{path} was replaced by another file").format(path=printable(str(self.path))))

    def append(self, lines: bytes) -> None:
        """Append lines, each with its newline. They are on disk when this returns.

        Raises Altered if another program has altered the file since the last write. Raises OSError or RecordError if
        the lines cannot be written; the file is then unchanged.
        """
        with json_lines.naming(self.path):
            self._require_unaltered()
            with json_lines.flocked(self._descriptor, fcntl.LOCK_EX, FLOCK_PATIENCE_S):
                # Remember what was written instead of reading it from the file, which may have been altered already.
                self._size = json_lines.append_to(self.path, self._descriptor, lines)
                self._end = lines[-COMPARED_BYTES:]

    def _remember_end(self) -> None:
        """Remember the present size and last bytes of the file. The next write expects that they are still the same."""
        self._size = os.fstat(self._descriptor).st_size
        self._end = os.pread(self._descriptor, min(self._size, COMPARED_BYTES), max(0, self._size - COMPARED_BYTES))

    def _require_unaltered(self) -> None:
        """Raise Altered if the path leads to another file, or if the file does not end as after the last write."""
        path, now = printable(str(self.path)), os.fstat(self._descriptor)
        if not os.path.samestat(now, self.path.stat()):
            raise Altered(_("{path} was replaced by another file").format(path=path))
        if self._size and not now.st_size:
            message = _("{path} is empty now: another program deleted its content during the run")
            raise Altered(message.format(path=path))
        end = os.pread(self._descriptor, len(self._end), self._size - len(self._end))
        if now.st_size < self._size or end != self._end:
            message = _("{path} was cut or rewritten: it had {expected} bytes and has {number}")
            raise Altered(message.format(path=path, expected=self._size, number=now.st_size))

    def close(self) -> None:
        """Close the file, and remove it if this judge has created it and nothing was written to it."""
        with contextlib.suppress(OSError):
            now = os.fstat(self._descriptor)
            if self._is_new and not self._size and not now.st_size and os.path.samestat(now, self.path.stat()):
                _target(self.path).unlink()
        os.close(self._descriptor)


@contextlib.contextmanager
def exclusive_lock(path: Path) -> Iterator[HeldFile | None]:
    """Inside the `with` block, lock the file at `path`. Yields the HeldFile, or None if another judge has locked it.

    There are two locks. One is on the file itself, which may have several names. The other is on the file PATH.lock,
    where PATH is `path` with symbolic links resolved. The second lock still works if the file itself is removed, and on
    systems that lack locks of the first kind. Raises OSError if one of the two files cannot be created or opened, and
    RecordError if `path` leads to something other than a file.
    """
    with contextlib.ExitStack() as locks:
        if not _lock_file_beside(Path(f"{_target(path)}.lock"), locks):
            yield None
            return
        file = HeldFile(path)
        locks.callback(file.close)
        yield file if file.lock() else None


def _target(path: Path) -> Path:
    """Return the path with all symbolic links resolved."""
    return Path(os.path.realpath(path))


def _lock_file_beside(lock: Path, locks: contextlib.ExitStack) -> bool:
    """Create and lock the file `lock` until `locks` is closed, which removes it. Returns whether that succeeds."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    locks.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Between opening and locking, the judge that held the lock last may have removed the file.
        is_held = os.path.samestat(os.fstat(descriptor), os.stat(lock))
    except (BlockingIOError, FileNotFoundError):
        return False
    if is_held:
        locks.callback(lock.unlink, missing_ok=True)  # before the descriptor is closed; the folder may be gone
    return is_held
