"""A record file for one judge alone, by whatever name it is called; the kernel lets go of it however the judge ends."""

import contextlib
import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path

# A lock of an open file rather than of a process (fcntl(2), "open file description locks"): appending, which opens the
# file and closes it again, does not give it up. Linux has them; elsewhere a second hard link is a way round.
WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


@contextlib.contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Hold the file at the path while inside; yields False where another judge holds it, and then holds nothing.

    Two locks: PATH.lock, beside the file that a symbolic link leads to, as that file need not be there yet; and one on
    the file itself, which may have several names. Raises OSError where neither can be had.
    """
    path = Path(os.path.realpath(path))
    with contextlib.ExitStack() as held:
        yield _has_lock_file(Path(f"{path}.lock"), held) and _has_file_itself(path, held)


def _has_lock_file(lock: Path, held: contextlib.ExitStack) -> bool:
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


def _has_file_itself(path: Path, held: contextlib.ExitStack) -> bool:
    """Whether no other judge holds the file under another name; True too where there is no file yet."""
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
