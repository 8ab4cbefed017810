"""A player's private copy of a folder.

Records of games and the events of running games are left out wherever they lie. Sockets, pipes, devices, `.git`, and
the paths that the caller names are left out, too. A virtual environment of Python is not copied: it is shown as it is.
"""

import contextlib
import errno
import itertools
import os
import shutil
import stat
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from judge.files import DEEPEST, hold

LARGEST_COPY_BYTES = 64 * 10**6
# The most files and folders of a folder that are looked at; the rest is not shown. judge/files.py allows more for one
# walk, but each game copies the entries found here at its start.
MOST_ENTRIES = 20_000
QUOTA_BYTES = 256 << 20  # the size of a folder in memory that a player can write, and of the files kept from it
MOST_WRITTEN = 2 * MOST_ENTRIES  # the most files and folders of a copy that are looked at after a game
GIT, ENVIRONMENT = ".git", "pyvenv.cfg"
# Prefix of the names of the folders of copies, which the judge holds (judge/files.py) as long as it uses them.
COPIES = "dropfour-held-copy-"
ABANDONED_S = 60.0  # a copy is held within moments of the making of its folder
OF_RECORDS = (b'"players":[', b'"first":"')  # what the first line of a record holds (protocol/records/record.py)
# A file of running games has the name of the record file with this suffix; each of its lines begins like this
# (judge/live.py).
LIVE_SUFFIX, OF_RUNNING_GAMES = ".live", b'{"event":'
SNIFFED_BYTES = 4096
# Suffixes of files that are not read to see if they are records: these files are programs.
NO_RECORDS = (".py", ".pyc", ".so", ".o", ".a", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".js", ".class", ".java")


_keeping = threading.Lock()


@dataclass(frozen=True)
class Contents:
    """The part of a folder that may be copied.

    `files` are the files and links, `folders` the folders, parents first; both are paths relative to the folder. `size`
    is the sum of the files' sizes in bytes. `environments` are the absolute paths of virtual environments in the
    folder, which are neither looked into nor copied; a folder that holds something left out counts as none. `is_whole`
    is False if the folder has more or deeper entries than are looked at.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    size: int
    environments: tuple[str, ...]
    is_whole: bool

    @property
    def can_be_copied(self) -> bool:
        """Whether a copy of the folder would be complete and at most LARGEST_COPY_BYTES large."""
        return self.is_whole and self.size <= LARGEST_COPY_BYTES


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

    `only` are the names of the entries in the folder that may be copied, None for all entries.
    """
    real = os.path.realpath(folder)
    secret = {os.path.realpath(path) for path in left_out}
    files: list[str] = []
    folders: list[str] = []
    environments: list[str] = []
    size, entries, is_whole = 0, 0, True
    waiting = deque([""])
    while waiting:
        place = waiting.popleft()
        for entry in _entries(os.path.join(real, place)):
            path = os.path.join(place, entry.name)
            full = os.path.join(real, path)
            entries += 1
            if entries > MOST_ENTRIES:
                is_whole = False
                break
            kind = _kind(entry)
            is_left_out = full in secret or (not place and only is not None and path not in only)
            if is_left_out or kind is None or _is_left_out(entry, kind):
                continue
            if kind != stat.S_IFDIR:
                files.append(path)
                with contextlib.suppress(FileNotFoundError):  # it has been removed since
                    size += entry.stat(follow_symlinks=False).st_size
            elif os.path.exists(os.path.join(full, ENVIRONMENT)) and not any(is_inside(p, full) for p in secret):
                environments.append(os.path.join(folder, path))  # not walked: it may have more entries than all else
            else:
                folders.append(path)
                if path.count(os.sep) < DEEPEST:
                    waiting.append(path)
                else:
                    is_whole = False
    return Contents(tuple(files), tuple(folders), size, tuple(environments), is_whole)


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)
    return []


def _kind(entry: "os.DirEntry[str]") -> int | None:
    """Return the type of an entry: S_IFDIR, S_IFREG or S_IFLNK; None for all other types."""
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFREG if entry.is_file(follow_symlinks=False) else None


def _is_left_out(entry: "os.DirEntry[str]", kind: int) -> bool:
    return entry.name == GIT or (kind == stat.S_IFREG and is_record(entry.path))


def is_record(path: str, folder: int | None = None) -> bool:
    """Return whether a file holds records of games or the events of running games; False if it cannot be read.

    `folder` is the descriptor of the folder that a relative path begins in, None for the current folder.
    """
    if path.endswith(NO_RECORDS):
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return False
    try:
        beginning = os.read(descriptor, SNIFFED_BYTES).replace(b" ", b"").lstrip()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    if not beginning.startswith(b"{"):
        return False
    return beginning.startswith(OF_RUNNING_GAMES) or all(part in beginning for part in OF_RECORDS)


class Copy:
    """A copy of a folder, made in the folder for temporary files. It lacks the files of `contents` that have vanished.

    The copy is removed once this object is garbage-collected. Raises OSError if the copy cannot be made.
    """

    def __init__(self, folder: str, contents: Contents) -> None:
        _remove_abandoned()
        self._home = tempfile.mkdtemp(prefix=COPIES)
        self._remover = weakref.finalize(self, _remove, self._home, hold(self._home))
        self.folder = os.path.join(self._home, "copy")
        os.mkdir(self.folder)
        self._folders = contents.folders
        with opened(folder) as source, opened(self.folder) as target:
            self._files = copy_files(source, target, contents.folders, contents.files)

    def fill(self, target: int, left_out: frozenset[str] = frozenset()) -> None:
        """Copy the files of this copy into an empty folder; `target` is a descriptor of that folder.

        The paths `left_out`, relative to the folder, are not copied. Raises OSError.
        """
        folders, files = (
            [path for path in paths if left_out.isdisjoint(with_folders_above(path))]
            for paths in (self._folders, self._files)
        )
        with opened(self.folder) as source:
            if copy_files(source, target, folders, files) != files:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.folder)

    def written(self, target: int) -> list[str]:
        """Return the relative paths of the files that are new or changed in a folder that fill() has filled.

        `target` is a descriptor of that folder. Hidden names are left out, and names that begin with two underscores,
        as every Python program makes __pycache__.
        """
        return [path for path, found in files_in(target) if not _is_same(found, os.path.join(self.folder, path))]


class Filling:
    """A folder in one sandbox that is filled with a Copy, without the relative paths `left_out`.

    `descriptor` is a descriptor of the folder, None before fill(). It keeps the folder alive after the end of the
    sandbox, until close().
    """

    def __init__(self, copy: Copy, left_out: Collection[str] = ()) -> None:
        self.copy = copy
        self._left_out = frozenset(left_out)
        self.descriptor: int | None = None

    def fill(self, folder: str) -> None:
        """Copy the files into the sandbox's folder, which must be empty. Raises OSError.

        `folder` is the path by which the judge reaches that folder from outside the sandbox.
        """
        self.close()
        self.descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self.copy.fill(self.descriptor, self._left_out)

    def written(self) -> list[str]:
        """Return the relative paths of the files that the player has made or changed.

        Return [] if the folder was never filled. See Copy.written() for what is left out. The paths `left_out` are not
        the player's either: bubblewrap leaves empty files where it has shown some.
        """
        written = [] if self.descriptor is None else self.copy.written(self.descriptor)
        return [path for path in written if self._left_out.isdisjoint(with_folders_above(path))]

    def close(self) -> None:
        """Close the descriptor, so that the folder can vanish."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def _is_same(found: os.stat_result, path: str) -> bool:
    try:
        original = os.lstat(path)
    except OSError:
        return False
    return (found.st_size, found.st_mtime_ns) == (original.st_size, original.st_mtime_ns)


def files_in(folder: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield (relative path, result of stat) for each regular file below a folder; `folder` is a descriptor of it.

    Names that begin with "." or "__" are left out, and links are not followed. At most MOST_WRITTEN files and folders
    are looked at, as a bot may have made a million.
    """
    waiting, left = [(".", 0)], MOST_WRITTEN
    while waiting:
        place, depth = waiting.pop()
        with contextlib.suppress(OSError):
            here = _open_below(folder, place)
            try:
                with os.scandir(here) as entries:
                    names = sorted(entry.name for entry in itertools.islice(entries, left))
                left -= len(names)
                for name in names:
                    if name.startswith((".", "__")):
                        continue
                    path = os.path.normpath(os.path.join(place, name))
                    with contextlib.suppress(OSError):
                        found = os.stat(name, dir_fd=here, follow_symlinks=False)
                        if stat.S_ISREG(found.st_mode):
                            yield path, found
                        elif stat.S_ISDIR(found.st_mode) and depth < DEEPEST:
                            waiting.append((path, depth + 1))
            finally:
                os.close(here)


def keep(source: int, folder: str, paths: Iterable[str]) -> list[str]:
    """Copy the files `paths` from the folder with the descriptor `source` into `folder`; return the copied paths.

    Each file is replaced as a whole, and links are not followed. An existing entry of `folder` stays as it is if it is
    a record or no regular file. A file that looks like a record is not copied, as a player has written it. A file that
    would raise the sum of the sizes above QUOTA_BYTES, as sparse files may, is left out; so is the file that makes a
    folder a virtual environment, as the judge does not look into these. Of games that end at the same time, one after
    the other is kept.
    """
    kept, left = [], QUOTA_BYTES
    with _keeping:
        for path in paths:
            is_environment = os.path.basename(path) == ENVIRONMENT
            if is_environment or is_record(os.path.join(folder, path)) or is_record(path, source):
                continue
            with contextlib.suppress(OSError), opened(folder) as target:
                size = os.stat(path, dir_fd=source, follow_symlinks=False).st_size
                if size > left:
                    continue
                left -= size
                _keep_one(source, target, path)
                kept.append(path)
    return kept


def _keep_one(source: int, target: int, path: str) -> None:
    *above, name = path.split(os.sep)
    there = os.dup(target)
    try:
        for part in above:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=there)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=there)
            os.close(there)
            there = below
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.stat(name, dir_fd=there, follow_symlinks=False).st_mode):
                raise FileExistsError(path)
        here = _open_below(source, os.path.dirname(path) or ".")
        new = f".{name}.{os.getpid()}.new"
        try:
            _copy_file(here, name, there, new)
            os.replace(new, name, src_dir_fd=there, dst_dir_fd=there)
        finally:
            os.close(here)
            with contextlib.suppress(FileNotFoundError):  # it has replaced the file
                os.unlink(new, dir_fd=there)
    finally:
        os.close(there)


def copy_files(source: int, target: int, folders: Iterable[str], files: Iterable[str]) -> list[str]:
    """Copy `folders`, then `files` (files and links), from one folder to another; return the copied `files`.

    `source` and `target` are descriptors of the two folders; the paths are relative to both. Folders may exist in
    `target`. Files that do not exist any more are left out. Raises OSError.
    """
    copied = []
    for path in folders:
        try:
            os.mkdir(path, 0o755, dir_fd=target)
        except FileExistsError:  # bubblewrap has made it for what is shown below it; a link would lead elsewhere
            if not stat.S_ISDIR(os.stat(path, dir_fd=target, follow_symlinks=False).st_mode):
                raise
    for path in files:
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISLNK(os.stat(path, dir_fd=source, follow_symlinks=False).st_mode):
                os.symlink(os.readlink(path, dir_fd=source), path, dir_fd=target)
            else:
                _copy_file(source, path, target, path)
            copied.append(path)
    return copied


def _copy_file(source: int, path: str, target: int, new: str) -> None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(path, flags, dir_fd=source), "rb") as old:
        found = os.fstat(old.fileno())
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        mode = stat.S_IMODE(found.st_mode) & 0o777 | stat.S_IWUSR
        with open(os.open(new, flags, mode, dir_fd=target), "wb") as copy:
            left = found.st_size
            while left > 0 and (sent := os.sendfile(copy.fileno(), old.fileno(), None, left)):
                left -= sent
            os.utime(copy.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns))


@contextlib.contextmanager
def opened(folder: str) -> Iterator[int]:
    """Yield a descriptor of the folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_below(folder: int, path: str) -> int:
    """Return a descriptor of the folder at `path`, relative to the folder with the descriptor `folder`.

    Follow no links.
    """
    here = os.dup(folder)
    for part in path.split(os.sep):
        try:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


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
            is_old = time.time() - found.st_mtime > ABANDONED_S
            if is_old and found.st_uid == os.getuid() and (descriptor := hold(home)) is not None:
                _remove(str(home), descriptor)


def _remove(home: str, descriptor: int | None) -> None:
    """Remove the folder of a copy, and close its descriptor from hold() if there is one."""
    shutil.rmtree(home, ignore_errors=True)
    if descriptor is not None:
        os.close(descriptor)
