"""Record files: appending a game, the numbers of games, locking, and error messages with a hint.

Only one judge at a time may use a file, whatever name it is opened by; the kernel releases the locks when the judge
ends.
"""

import contextlib
import errno
import fcntl
import itertools
import os
import shlex
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from judge.language import _, marked
from judge.terminal import printable, sentence
from protocol.records import json_lines
from protocol.records.json_lines import read_lines
from protocol.records.record import MOST_NESTED, GameRecord, RecordError, append_record, read_records

HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), marked("make room on that disk")),
    errno.EFBIG: marked("files may not grow so large here (ulimit -f)"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), marked("you may not do that there: name another file")),
    errno.ENAMETOOLONG: marked("name another file"),
}
OUR_KEYS = frozenset({"record_version", "review"})  # that every line of a record file, or of a review's, has
LINES_LOOKED_AT = 1000  # in a damaged file
# An open file description lock (fcntl(2)): a process's lock would be lost when appending closes the file. Only Linux
# has it; elsewhere a second hard link evades the lock.
WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


def append(path: Path, record: GameRecord) -> str:
    """Append a game to the file and sync it; return "", or the error and where the game is saved instead."""
    try:
        append_record(path, record)
    except (OSError, RecordError) as error:
        place = _save_elsewhere(record)
        lost = _("the game is not recorded")
        kept = _("the game is in {path}").format(path=printable(str(place))) if place else lost
        return _("{error}; {hint}").format(error=in_words(error), hint=kept)
    return ""


def _save_elsewhere(record: GameRecord) -> Path | None:
    """Write the record to a new file in the temporary folder; return its path, None if that fails."""
    try:
        place = Path(tempfile.mkdtemp(prefix="dropfour-")) / "game.jsonl"
        append_record(place, record)
    except (OSError, RecordError):
        return None
    return place


def numbers_in_file(path: Path) -> dict[str, int]:
    """Return {a game's id: its number for replay, from 1}; other programs may have appended games meanwhile.

    Returns {} if the file does not exist or cannot be read.
    """
    try:
        records = read_records(path)[0]
    except (OSError, RecordError):
        return {}
    return {record.extra["id"]: number for number, record in enumerate(records, start=1) if "id" in record.extra}


def in_words(error: OSError | RecordError) -> str:
    """Return the error with its file and a hint, on one line."""
    if isinstance(error, OSError):
        place = f"{printable(str(error.filename))}: " if error.filename else ""
        found = HINTS.get(error.errno or 0)
        told, hint = f"{place}{error.strerror or error}", _(found) if found else ""
    else:
        told, hint = str(error), _hint_on_line(error)
    told = sentence(told)
    return _("{error}; {hint}").format(error=told, hint=hint) if hint else told


def _hint_on_line(error: RecordError) -> str:
    if error.path is None:
        return ""
    path = printable(shlex.quote(str(error.path)))
    if error.line is None:
        return _("name another file")
    if not _is_mostly_records(Path(error.path)):
        return _("this is no record file: name another one")
    command = f"sed -i.damaged {error.line}d {path}"
    return _("{command} takes that line out and keeps the file as it is in {copy}").format(
        command=command, copy=f"{path}.damaged"
    )


def _is_mostly_records(path: Path) -> bool:
    """Return whether at least half of the file's first lines are records of games or answers of a review."""
    lines = ours = 0
    with contextlib.suppress(OSError, RecordError):
        for line in itertools.islice(read_lines(path), LINES_LOOKED_AT):
            lines += 1
            with contextlib.suppress(ValueError):
                content = json_lines.loads(line.content, MOST_NESTED)
                ours += isinstance(content, dict) and not OUR_KEYS.isdisjoint(content)
    return 2 * ours >= lines > 0


@contextlib.contextmanager
def exclusive_lock(path: Path) -> Iterator[bool]:
    """Lock the file at the path while inside; yield whether this judge has it, False if another judge does.

    There are two locks: PATH.lock, beside the target of a symbolic link, because the file may not exist yet; and one on
    the file itself, which may have several names. Raises OSError if a lock file cannot be made or opened.
    """
    path = Path(os.path.realpath(path))
    with contextlib.ExitStack() as held:
        yield _lock_file_beside(Path(f"{path}.lock"), held) and _lock_file_itself(path, held)


def _lock_file_beside(lock: Path, held: contextlib.ExitStack) -> bool:
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    held.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its last holder may have removed the file between our opening and locking it.
        is_held = os.path.samestat(os.fstat(descriptor), os.stat(lock))
    except (BlockingIOError, FileNotFoundError):
        return False
    if is_held:
        held.callback(lock.unlink, missing_ok=True)  # before the descriptor is closed; the folder may be gone
    return is_held


def _lock_file_itself(path: Path, held: contextlib.ExitStack) -> bool:
    """Lock the file itself; return False if another judge has locked it, True also if there is no file yet."""
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is None or not path.is_file():
        return True
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    held.callback(os.close, descriptor)
    try:
        fcntl.fcntl(descriptor, command, WHOLE_FILE)
    except (BlockingIOError, PermissionError):
        return False
    return True
