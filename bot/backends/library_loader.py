"""Where a library can be loaded from if its own folder may not hold code. Standard library only, Python 3.8 syntax."""

from __future__ import annotations

import ctypes
import os
import time


def open_elsewhere(code: bytes) -> ctypes.CDLL | None:
    """The library with these bytes, from memory or from a folder for temporary files; None where all is refused."""
    for place in (_memory_file, _temporary_file):
        try:
            return place(code)
        except (OSError, AttributeError):
            pass
    return None


def _memory_file(code: bytes) -> ctypes.CDLL:
    descriptor = os.memfd_create("dropfour")
    try:
        _write_all(descriptor, code)
        # It stays open: the next engine must not get the same name, by which the system would take it for this one.
        return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    except OSError:
        os.close(descriptor)
        raise


def _write_all(descriptor: int, code: bytes) -> None:
    """Half a library, where a disk is full, must not be loaded: OSError."""
    if os.write(descriptor, code) != len(code):
        raise OSError("no room for the library")


def _temporary_file(code: bytes) -> ctypes.CDLL:
    for folder in (os.environ.get("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"):
        if not folder:
            continue
        path = os.path.join(folder, f"dropfour-{os.getpid()}-{time.monotonic_ns()}.so")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        try:
            try:
                _write_all(descriptor, code)
            finally:
                os.close(descriptor)
            return ctypes.CDLL(path)
        except OSError:
            continue
        finally:
            os.unlink(path)
    raise OSError("no folder that may hold code")
