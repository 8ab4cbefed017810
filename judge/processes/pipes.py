"""The pipes to a program, which are never waited at."""

import contextlib
import os
from typing import IO

READ_BYTES = 64 * 1024  # one read per stream and wake-up, so that no flood holds up the other streams


def read_pipe(pipe: IO[bytes]) -> bytes | None:
    """The next bytes, b"" at the end, None when there is nothing yet."""
    if pipe.closed:
        return None
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def close_pipe(pipe: IO[bytes]) -> None:
    """Close it, whatever is still in it."""
    with contextlib.suppress(OSError):
        pipe.close()
