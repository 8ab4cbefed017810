"""Whether the system would execute a command: asked beforehand where something else is to start it.

Linux's execve(2) is repeated as far as programs of players go: the search of PATH, permissions, ELF with its loader,
and scripts with their interpreter. What other formats the system has been taught (binfmt_misc) is let pass.
"""

import errno
import os
import stat
import struct
from collections.abc import Mapping

HEADER_BYTES = 4096
ELF, SCRIPT = b"\x7fELF", b"#!"
MOST_INTERPRETERS = 4  # one script by another
PROGRAM_INTERPRETER = 3  # PT_INTERP, elf(5)
OTHER_FORMATS = "/proc/sys/fs/binfmt_misc"
FILES_WITHOUT_FORMATS = 2  # register and status


def why_not_executed(program: str, variables: Mapping[str, str], folder: str) -> int:
    """The errno with which starting the program would fail, as subprocess reports it; 0 where it would not."""
    if not os.path.isdir(folder):
        return errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    if "/" in program:
        return _failure(os.path.join(folder, program))
    first = last = errno.ENOENT
    for place in os.get_exec_path(dict(variables)):
        last = _failure(os.path.join(folder, place, program))
        if not last:
            return 0
        if last not in (errno.ENOENT, errno.ENOTDIR) and first == errno.ENOENT:
            first = last
    return first if first != errno.ENOENT else last


def _failure(path: str, depth: int = 0) -> int:
    """The errno with which execve of this file would fail, 0 where it would not."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
            return errno.EACCES
        header = _beginning(path)
    except OSError as error:
        return error.errno or errno.ENOENT
    if header is None:  # it may be executed without being read
        return 0
    if header.startswith(ELF):
        loader = _loader(header)
        return 0 if loader is None or os.path.exists(loader) else errno.ENOENT
    if header.startswith(SCRIPT):
        words = header[len(SCRIPT) :].partition(b"\n")[0].split()
        if not words:
            return errno.ENOEXEC
        return errno.ELOOP if depth >= MOST_INTERPRETERS else _failure(os.fsdecode(words[0]), depth + 1)
    return 0 if _has_other_formats() else errno.ENOEXEC


def _beginning(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(HEADER_BYTES)
    except PermissionError:
        return None


def _loader(header: bytes) -> str | None:
    """The loader that an ELF file of this machine's kind names, None where it names none or that cannot be read."""
    try:
        is_wide, is_little = header[4] == 2, header[5] == 1
        order = "<" if is_little else ">"
        if is_wide:
            (table,), (size, number) = (
                struct.unpack_from(f"{order}Q", header, 32),
                struct.unpack_from(f"{order}HH", header, 54),
            )
        else:
            (table,), (size, number) = (
                struct.unpack_from(f"{order}I", header, 28),
                struct.unpack_from(f"{order}HH", header, 42),
            )
        for place in range(table, table + size * number, size):
            if struct.unpack_from(f"{order}I", header, place)[0] != PROGRAM_INTERPRETER:
                continue
            if is_wide:
                start, length = struct.unpack_from(f"{order}8xQ16xQ", header, place)
            else:
                start, length = struct.unpack_from(f"{order}4xI8xI", header, place)
            return os.fsdecode(header[start : start + length].rstrip(b"\0")) or None
    except (IndexError, struct.error):
        pass
    return None


def _has_other_formats() -> bool:
    try:
        return len(os.listdir(OTHER_FORMATS)) > FILES_WITHOUT_FORMATS
    except OSError:
        return False
