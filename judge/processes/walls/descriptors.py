"""Numbers of descriptors that are passed on to bots."""

import fcntl
import os

LOWEST = 10  # a shell may use those below


def with_high_number(descriptor: int) -> int:
    """The same, by another number; the one given is closed."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST)
    finally:
        os.close(descriptor)
