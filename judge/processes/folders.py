"""A player's private copy of a folder.

Records of games and the events of running games are left out wherever they lie. Sockets, pipes, devices, `.git`, and
the paths that the caller names are left out, too. A virtual environment of Python is not copied: it is shown as it is.
"""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import threading
import time
import weakref
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from judge.files import Unsuitable, hold, walk
from judge.language import _
from judge.terminal import MEGABYTE, printable

LARGEST_COPY_BYTES = 64 * 10**6
# The most files and folders of a folder that is copied. judge/files.py allows more for one walk, but each game copies
# the entries found here at its start.
MOST_ENTRIES = 20_000
QUOTA_BYTES = 256 << 20  # the size of a folder in memory that a player can write, and of the files kept from it
MOST_WRITTEN = 2 * MOST_ENTRIES  # the most files and folders of a copy that are looked at after a game
GIT, ENVIRONMENT = ".git", "pyvenv.cfg"
# Prefix of the names of the folders of copies, which the judge holds (judge/files.py) as long as it uses them.
COPIES = "dropfour-held-copy-"
OF_RECORDS = (b'"players":[', b'"first":"')  # what the first line of a record holds (protocol/records/record.py)
# A file of running games has the name of the record file with this suffix; each of its lines begins like this
# (judge/live.py).
LIVE_SUFFIX, OF_RUNNING_GAMES = ".live", b'{"event":'
# Suffixes of files that are not read to see if they are records: these files are programs.
NO_RECORDS = (".py", ".pyc", ".so", ".o", ".a", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".js", ".class", ".java")


_keeping = threading.Lock()


@dataclass(frozen=True)
class Contents:
    """The part of a folder that is copied.

    `files` are the files and links, `folders` the folders, parents first; both are paths relative to the folder.
    `environments` are the absolute paths of virtual environments in the folder, which are neither looked into nor
    copied. A virtual environment inside which something is left out is copied like any other folder.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    environments: tuple[str, ...]


def is_inside(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def with_folders_above(path: str) -> Iterator[str]:
    """Yield a path and all folders that hold it, from below; the last one is "/", or "" for a relative path."""
    yield path
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def look_at(folder: str, left_out: Collection[str] = (), only: Collection[str] | None = None) -> Contents:
    """Return the Contents of a folder (an absolute path) without the paths `left_out`, which need not exist.

    `only` are the names of the entries in the folder that are copied, None for all entries. Raises OSError if the
    folder cannot be read, or is larger than is copied.
    """
    real = os.path.realpath(folder)
    secret = {os.path.realpath(path) for path in left_out}
    files: list[str] = []
    folders: list[str] = []
    environments: list[str] = []
    size = 0

    def is_left_out(path: Path) -> bool:
        is_chosen = only is None or path.parts[0] in only
        return not is_chosen or path.name == GIT or os.path.join(real, path) in secret

    def enters(path: Path) -> bool:
        if is_left_out(path):
            return False
        full = os.path.join(real, path)
        if os.path.exists(os.path.join(full, ENVIRONMENT)) and not any(is_inside(place, full) for place in secret):
            environments.append(os.path.join(folder, path))  # it may have more entries than all else
            return False
        folders.append(str(path))
        return True

    for place, entries in walk(real, enters, MOST_ENTRIES):
        for entry in entries:
            path = place / entry.name
            is_file = entry.is_file(follow_symlinks=False) and not is_record(entry.path)
            if (is_file or entry.is_symlink()) and not is_left_out(path):
                files.append(str(path))
                with contextlib.suppress(FileNotFoundError):  # it has been removed since
                    size += entry.stat(follow_symlinks=False).st_size
    if size > LARGEST_COPY_BYTES:
        message = _("{path}: files of more than {most:.0f} MB are there")
        raise Unsuitable(message.format(path=printable(folder), most=LARGEST_COPY_BYTES / MEGABYTE))
    return Contents(tuple(files), tuple(folders), tuple(environments))


def is_record(path: str) -> bool:
    """Return whether a file holds records of games or the events of running games; False if it cannot be read."""
    if path.endswith(NO_RECORDS) or not os.path.isfile(path):
        return False
    beginning = b""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        beginning = file.read(4096).replace(b" ", b"").lstrip()
    is_of_games = beginning.startswith(b"{") and all(part in beginning for part in OF_RECORDS)
    return is_of_games or beginning.startswith(OF_RUNNING_GAMES)


class Copy:
    """A copy of a folder, made in the folder for temporary files. It lacks the files of `contents` that have vanished.

    `folder` is where it lies. It is removed once this object is garbage-collected. Raises OSError if it cannot be made.
    """

    def __init__(self, folder: str, contents: Contents) -> None:
        _remove_abandoned()
        temporary = tempfile.mkdtemp(prefix=COPIES)
        weakref.finalize(self, _remove, temporary, hold(temporary))
        self.folder = os.path.join(temporary, "copy")
        os.mkdir(self.folder)
        self.contents = replace(contents, files=tuple(_copy_files(folder, self.folder, contents)))


class Filling:
    """A folder in one sandbox that is filled with a Copy, without the relative paths `left_out`.

    `folder` is the path by which the judge reaches that folder, "" before fill(). The folder outlives the sandbox,
    until close().
    """

    def __init__(self, copy: Copy, left_out: Collection[str] = ()) -> None:
        self.copy = copy
        self.folder = ""
        self._left_out = frozenset(left_out)
        self._descriptors = contextlib.ExitStack()

    def _without(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if self._left_out.isdisjoint(with_folders_above(path)))

    def fill(self, folder: str) -> None:
        """Copy the files into the sandbox's folder, in which no program runs yet. Raises OSError."""
        self.close()
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._descriptors.callback(os.close, descriptor)
        self.folder = f"/proc/self/fd/{descriptor}"
        contents = self.copy.contents
        wanted = replace(contents, files=self._without(contents.files), folders=self._without(contents.folders))
        if len(_copy_files(self.copy.folder, self.folder, wanted)) < len(wanted.files):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.copy.folder)

    def written(self) -> list[str]:
        """Return the relative paths of the files that the player has made or changed; see files_in().

        The paths `left_out` are not the player's: bubblewrap leaves empty files where it has shown some.
        """
        found = dict(files_in(self.folder)) if self.folder else {}
        return [
            path for path in self._without(found) if not _is_same(found[path], os.path.join(self.copy.folder, path))
        ]

    def close(self) -> None:
        """Let the folder vanish."""
        self._descriptors.close()
        self.folder = ""


def _is_same(found: os.stat_result, path: str) -> bool:
    try:
        original = os.lstat(path)
    except OSError:
        return False
    return (found.st_size, found.st_mtime_ns) == (original.st_size, original.st_mtime_ns)


def files_in(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield (relative path, result of stat) for each regular file below a folder in which no program runs any more.

    Hidden names are left out, and those that begin with two underscores, as every Python program makes __pycache__.
    This ends at MOST_WRITTEN files and folders, as a bot may have made a million, or below DEEPEST folders.
    """
    with contextlib.suppress(OSError):
        for place, entries in walk(folder, lambda path: not path.name.startswith((".", "__")), MOST_WRITTEN):
            for entry in entries:
                if entry.is_file(follow_symlinks=False) and not entry.name.startswith((".", "__")):
                    yield str(place / entry.name), entry.stat(follow_symlinks=False)


def keep(source: str, folder: str, paths: Iterable[str]) -> list[str]:
    """Copy the files `paths` from the folder `source` into `folder`; return the copied paths.

    Each file is replaced as a whole. An existing entry of `folder` stays as it is if it is a record or no regular file,
    or if a link leads to it. A file that looks like a record is not copied, as a player has written it. A file that
    would raise the sum of the sizes above QUOTA_BYTES, as sparse files may, is left out; so is the file that makes a
    folder a virtual environment, as the judge does not look into these. Of games that end at the same time, one after
    the other is kept.
    """
    kept, left = [], QUOTA_BYTES
    with _keeping:
        for path in paths:
            written, target = os.path.join(source, path), os.path.join(os.path.realpath(folder), path)
            is_elsewhere = os.path.realpath(target) != target
            is_in_the_way = os.path.exists(target) and not os.path.isfile(target)
            if (
                is_elsewhere
                or is_in_the_way
                or os.path.basename(path) == ENVIRONMENT
                or is_record(target)
                or is_record(written)
            ):
                continue
            new = os.path.join(os.path.dirname(target), f".{os.path.basename(path)}.{os.getpid()}.new")
            with contextlib.suppress(OSError):
                size = os.path.getsize(written)
                if size > left:
                    continue
                left -= size
                os.makedirs(os.path.dirname(target), exist_ok=True)
                try:
                    _copy_file(written, new)
                    os.replace(new, target)
                    kept.append(path)
                finally:
                    with contextlib.suppress(FileNotFoundError):  # it has replaced the file
                        os.unlink(new)
    return kept


def _copy_files(source: str, target: str, contents: Contents) -> list[str]:
    """Copy the contents from one folder to another, and return the copied files.

    Folders may exist in `target`. Files that do not exist any more are left out. Raises OSError.
    """
    copied = []
    for path in contents.folders:
        os.makedirs(os.path.join(target, path), exist_ok=True)
    for path in contents.files:
        with contextlib.suppress(FileNotFoundError):
            _copy_file(os.path.join(source, path), os.path.join(target, path))
            copied.append(path)
    return copied


def _copy_file(source: str, target: str) -> None:
    """Copy a file with its times, or a link. The copy can be written, and has no privileges."""
    shutil.copyfile(source, target, follow_symlinks=False)
    if not os.path.islink(target):
        found = os.stat(source)
        os.chmod(target, found.st_mode & 0o777 | stat.S_IWUSR)
        os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))


_has_removed = False


def _remove_abandoned() -> None:
    """Remove the copies that killed judges have left. Only the first call in a process does this."""
    global _has_removed
    if _has_removed:
        return
    _has_removed = True
    for home in Path(tempfile.gettempdir()).glob(f"{COPIES}*"):
        with contextlib.suppress(OSError):
            found = home.stat()
            is_old = time.time() - found.st_mtime > 60  # a copy is held within moments of the making of its folder
            if is_old and found.st_uid == os.getuid() and (descriptor := hold(home)) is not None:
                _remove(str(home), descriptor)


def _remove(home: str, descriptor: int | None) -> None:
    """Remove the folder of a copy, and close its descriptor from hold() if there is one."""
    shutil.rmtree(home, ignore_errors=True)
    if descriptor is not None:
        os.close(descriptor)
