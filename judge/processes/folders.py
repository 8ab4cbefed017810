"""A player's private copy of a folder.

Records of games and the events of running games are left out wherever they lie. Sockets, pipes, devices, `.git`, and
the paths that the caller names are left out, too. A virtual environment of Python is not copied: it is shown as it is.
"""

import contextlib
import errno
import functools
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
GIT, ENVIRONMENT_FILE = ".git", "pyvenv.cfg"
# Prefix of the names of the folders of copies. The judge holds such a folder (judge/files.py) as long as it uses it.
COPY_PREFIX = "dropfour-held-copy-"
RECORD_KEYS = (b'"players":[', b'"first":"')  # what the first line of a record holds (protocol/records/record.py)
# A file of running games has the name of the record file with this suffix; each of its lines begins like this
# (judge/live.py).
LIVE_SUFFIX, LIVE_LINE_START = ".live", b'{"event":'
# Suffixes of files that are not read to see if they are records: these files are programs.
PROGRAM_SUFFIXES = (
    ".py",
    ".pyc",
    ".so",
    ".o",
    ".a",
    ".c",
    ".cc",
    ".cpp",
    ".cxx",
    ".h",
    ".hpp",
    ".js",
    ".class",
    ".java",
)


_keep_lock = threading.Lock()  # for keep_writes()


@dataclass(frozen=True)
class Contents:
    """The part of a folder that is copied.

    `files` are the files and links, `folders` the folders, parents first; both are paths relative to the folder.
    `environments` are the absolute paths of virtual environments in the folder, which are neither read nor copied. A
    virtual environment inside which something is left out is copied like any other folder.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    environments: tuple[str, ...]


def is_inside(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def with_folders_above(path: str) -> Iterator[str]:
    """Yield a path, its folder, the folder of that and so on, up to "/", or to "" for a relative path."""
    yield path
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def read_contents(folder: str, left_out: Collection[str] = (), only: Collection[str] | None = None) -> Contents:
    """Return the Contents of a folder (an absolute path) without the paths `left_out`, which need not exist.

    `only` are the names of the entries in the folder that are copied, None for all entries. Raises OSError if the
    folder cannot be read, if it has over MOST_ENTRIES entries, or if its files have over LARGEST_COPY_BYTES in all.
    """
    real = os.path.realpath(folder)
    left_out_paths = {os.path.realpath(path) for path in left_out}
    files: list[str] = []
    folders: list[str] = []
    environments: list[str] = []
    size = 0

    def is_left_out(path: Path) -> bool:
        """Return whether a path, relative to the folder, is not to be copied."""
        is_chosen = only is None or path.parts[0] in only
        return not is_chosen or path.name == GIT or os.path.join(real, path) in left_out_paths

    def enters(path: Path) -> bool:
        """Return whether the folder `path` is copied, and store it or the virtual environment that it is."""
        if is_left_out(path):
            return False
        full = os.path.join(real, path)
        is_environment = os.path.exists(os.path.join(full, ENVIRONMENT_FILE))
        if is_environment and not any(is_inside(place, full) for place in left_out_paths):
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
        message = _("the files in {path} have more than {most:.0f} MB in all")
        raise Unsuitable(message.format(path=printable(folder), most=LARGEST_COPY_BYTES / MEGABYTE))
    return Contents(tuple(files), tuple(folders), tuple(environments))


def is_record(path: str) -> bool:
    """Return whether a file holds records of games or the events of running games; False if it cannot be read."""
    if path.endswith(PROGRAM_SUFFIXES) or not os.path.isfile(path):
        return False
    beginning = b""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        beginning = file.read(4096).replace(b" ", b"").lstrip()
    is_of_games = beginning.startswith(b"{") and all(part in beginning for part in RECORD_KEYS)
    return is_of_games or beginning.startswith(LIVE_LINE_START)


class Copy:
    """A copy of a folder, made in the folder for temporary files. It lacks the files of `contents` that have vanished.

    `folder` is the path of the copy, which is removed once this object is garbage-collected. `contents` are what was
    copied. Raises OSError if the copy cannot be made.
    """

    def __init__(self, folder: str, contents: Contents) -> None:
        _remove_abandoned()
        temporary = tempfile.mkdtemp(prefix=COPY_PREFIX)
        weakref.finalize(self, _remove_copy, temporary, hold(temporary))
        self.folder = os.path.join(temporary, "copy")
        os.mkdir(self.folder)
        self.contents = replace(contents, files=tuple(_copy_files(folder, self.folder, contents)))


class Filling:
    """A folder in one sandbox that is filled with a Copy, without the relative paths `left_out`.

    `folder` is the path by which the judge reaches that folder, "" before fill() and after close(). The folder exists
    until close(), even after the end of the sandbox.
    """

    def __init__(self, copy: Copy, left_out: Collection[str] = ()) -> None:
        self.copy = copy
        self.folder = ""
        self._left_out = frozenset(left_out)
        self._descriptors = contextlib.ExitStack()

    def _without_left_out(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if self._left_out.isdisjoint(with_folders_above(path)))

    def fill(self, folder: str) -> None:
        """Copy the files into `folder`, the sandbox's folder as the judge sees it, in which no program runs yet.

        Raises OSError if a file cannot be copied.
        """
        self.close()
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._descriptors.callback(os.close, descriptor)
        self.folder = f"/proc/self/fd/{descriptor}"
        contents = self.copy.contents
        to_copy = replace(
            contents, files=self._without_left_out(contents.files), folders=self._without_left_out(contents.folders)
        )
        if len(_copy_files(self.copy.folder, self.folder, to_copy)) < len(to_copy.files):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.copy.folder)

    def written_files(self) -> list[str]:
        """Return the relative paths of the files that the player has made or changed; see files_in().

        The paths `left_out` are not the player's: bubblewrap leaves empty files where it has shown some.
        """
        files = dict(files_in(self.folder)) if self.folder else {}
        return [
            path
            for path in self._without_left_out(files)
            if not _is_unchanged(files[path], os.path.join(self.copy.folder, path))
        ]

    def close(self) -> None:
        """Release the folder, so that it vanishes with its sandbox."""
        self._descriptors.close()
        self.folder = ""


def _is_unchanged(status: os.stat_result, original_path: str) -> bool:
    """Return whether a file with this status has the size and the time of the original; False if there is none."""
    try:
        original = os.lstat(original_path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (original.st_size, original.st_mtime_ns)


def files_in(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield (relative path, result of stat) for each regular file below a folder in which no program runs any more.

    Hidden names are left out, and those that begin with two underscores, as every Python program makes __pycache__.
    At most MOST_WRITTEN files and folders are read, as a bot may have made a million. Errors of the system end the
    iteration.
    """
    with contextlib.suppress(OSError):
        for place, entries in walk(folder, lambda path: not path.name.startswith((".", "__")), MOST_WRITTEN):
            for entry in entries:
                if entry.is_file(follow_symlinks=False) and not entry.name.startswith((".", "__")):
                    yield str(place / entry.name), entry.stat(follow_symlinks=False)


def keep_writes(source: str, folder: str, paths: Iterable[str]) -> list[str]:
    """Copy the files `paths`, which a player has written, from `source` into `folder`; return the copied paths.

    Each file is replaced in one step. Files that cannot be copied are left out, and also:
    * a file whose target is a record or no regular file, or is reached through a link;
    * a file that looks like a record of games;
    * a file with which the sum of the sizes would be above QUOTA_BYTES, as sparse files may be;
    * the file that makes a folder a virtual environment, as the judge does not read these.
    Calls at the same time wait for each other.
    """
    kept, left_bytes = [], QUOTA_BYTES
    with _keep_lock:
        for path in paths:
            written, target = os.path.join(source, path), os.path.join(os.path.realpath(folder), path)
            is_elsewhere = os.path.realpath(target) != target
            is_in_the_way = os.path.exists(target) and not os.path.isfile(target)
            if (
                is_elsewhere
                or is_in_the_way
                or os.path.basename(path) == ENVIRONMENT_FILE
                or is_record(target)
                or is_record(written)
            ):
                continue
            new = os.path.join(os.path.dirname(target), f".{os.path.basename(path)}.{os.getpid()}.new")
            with contextlib.suppress(OSError):
                size = os.path.getsize(written)
                if size > left_bytes:
                    continue
                left_bytes -= size
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
    """Copy the contents from the folder `source` to `target`, and return the paths of the copied files.

    Folders may exist in `target`. Files that do not exist any more are left out. Raises OSError for other errors.
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
    """Copy a file with its times, or a link. The copy can be written, and is not setuid. Raises OSError."""
    shutil.copyfile(source, target, follow_symlinks=False)
    if not os.path.islink(target):
        status = os.stat(source)
        os.chmod(target, status.st_mode & 0o777 | stat.S_IWUSR)
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


@functools.cache
def _remove_abandoned() -> None:
    """Remove the copies that killed judges have left. Only the first call in a process does this."""
    for home in Path(tempfile.gettempdir()).glob(f"{COPY_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = home.stat()
            is_old = time.time() - status.st_mtime > 60  # a judge holds a copy within moments after it made the folder
            if is_old and status.st_uid == os.getuid() and (descriptor := hold(home)) is not None:
                _remove_copy(str(home), descriptor)


def _remove_copy(home: str, descriptor: int | None) -> None:
    """Remove the folder of a copy, and close its descriptor from hold() if there is one."""
    shutil.rmtree(home, ignore_errors=True)
    if descriptor is not None:
        os.close(descriptor)
