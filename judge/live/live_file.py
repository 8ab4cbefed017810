"""Which file the running games of a record file are told in, and whether somebody tells of games there now.

RECORD.live stands beside the file that RECORD leads to, so that all its names have one. Its writer holds a lock on it,
which the kernel gives up with the process: a file without its lock was left by a judge that was killed. Asking for a
lock takes none, and whoever reads the file as if it were a record waits for none.
"""

import fcntl
import os
import struct
from pathlib import Path

from judge.runs.sole_use import WHOLE_FILE

SUFFIX = ".live"
READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe would have this wait
# Locks of an open file (fcntl(2)), as sole_use.py has them; elsewhere than on Linux flock() has to do.
HOLD, ASK = getattr(fcntl, "F_OFD_SETLK", None), getattr(fcntl, "F_OFD_GETLK", None)


def live_path(record: str | os.PathLike[str]) -> Path:
    """The file of events that belongs to a record file, there or not."""
    return Path(os.path.realpath(record) + SUFFIX)


def is_running(record: str | os.PathLike[str]) -> bool:
    """Whether games are played now that go into this record file."""
    try:
        descriptor = os.open(live_path(record), READ_FLAGS)
    except OSError:
        return False
    try:
        return is_held(descriptor)
    finally:
        os.close(descriptor)


def hold(descriptor: int) -> None:
    """Lock the open file, which can be written, until it is closed. Raises OSError where somebody else has it."""
    if HOLD is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        fcntl.fcntl(descriptor, HOLD, WHOLE_FILE)


def is_held(descriptor: int) -> bool:
    """Whether the open file's writer is alive."""
    try:
        if ASK is not None:
            (found,) = struct.unpack_from("h", fcntl.fcntl(descriptor, ASK, WHOLE_FILE))
            return bool(found != fcntl.F_UNLCK)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
