"""The records folder for the browser: lists the record files in it, summarizes files, and returns single games."""

import contextlib
import math
import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from judge.files import DEEPEST, walk
from judge.language import marked
from judge.live import is_running, live_path
from judge.processes.folders import LIVE_SUFFIX
from judge.review import marks
from judge.review.marks import ReviewAnswers, review_of, review_path
from judge.review.marks import read as read_reviews
from judge.runs import record_file
from judge.web.answers import NOT_ALLOWED, NOT_FOUND, Refused, encoded, refusal
from judge.web.digests import Digests
from judge.web.following import Channel
from judge.web.inputs import RECORD_SUFFIX, no_such_file, record_path
from judge.web.record_data import game_json
from judge.web.texts import in_each
from protocol.records.json_lines import LONGEST_LINE
from protocol.records.record import GameRecord, RecordError

LIST_PERIOD_S = 0.5  # the list of files is made anew at most once in this time
MOST_LISTED = 2000
MOST_FOLDERS = 2000  # at most so many folders are searched
HIDDEN = "."
LATEST_S = 253402300799.0  # the end of the year 9999
MOST_KEPT = 8  # at most so many summaries are cached
GROWING_SHARE = 10  # a growing file is read again after this many times as long as it took to read it
LARGEST_FILE = 256 * 2**20  # bytes; it takes minutes to read a larger file
SMALL_FILE = 10**6  # bytes; it takes half a second to read so many


class RecordsFolder:
    """The record files in the folder `root` and its subfolders. `root` need not exist.

    A link that leads out of `root` is ignored.
    """

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.root = root
        self.digests = Digests()
        self._clock = clock
        self._latest: tuple[float, str] | None = None  # when the list was made, and the list
        self._guard = threading.Lock()

    def as_text(self) -> str:
        """Return the list of as_json() as JSON text, which may be up to LIST_PERIOD_S seconds old.

        The text is reused because every open start page asks for it repeatedly.
        """
        with self._guard:  # so that pages that ask at the same time get the same list
            now, latest = self._clock(), self._latest
            if latest is None or now - latest[0] >= LIST_PERIOD_S:
                self._latest = latest = now, encoded(self.as_json())
        return latest[1]

    def forget_list(self) -> None:
        """Make as_text() list the files anew at its next call.

        Call this method after a file was added or removed.
        """
        self._latest = None

    def find(self, path: str) -> Path:
        """Return the absolute path of a record file, with all links resolved. `path` is relative to the records folder.

        Raises Refused if the file does not exist or is outside the records folder. The record file of a run whose first
        game is still being played does not exist yet; its path is returned all the same.
        """
        root = os.path.realpath(self.root)
        place = os.path.realpath(os.path.join(root, record_path(path)))
        if not place.startswith(root.rstrip(os.sep) + os.sep) or not place.endswith(RECORD_SUFFIX):
            raise no_such_file(path)
        found = Path(place)
        if not (_is_file(found) or (not os.path.lexists(found) and is_running(found))):
            raise no_such_file(path)
        return found

    def as_json(self) -> dict[str, Any]:
        """Return, as JSON, the list of the record files.

        `files` has at most MOST_LISTED files. `left_out` is the number of other files that were found. `is_complete`
        says whether all folders were searched.
        """
        paths, is_complete = self._paths()
        entries = list(map(self._entry, sorted(paths)))
        if len(entries) > MOST_LISTED:  # prefer files to which a run writes, then the newest files
            entries.sort(key=lambda entry: (entry["is_running"], entry["changed"]), reverse=True)
        left_out = max(0, len(entries) - MOST_LISTED)
        return {"files": entries[:MOST_LISTED], "left_out": left_out, "is_complete": is_complete}

    def _paths(self) -> tuple[list[str], bool]:
        """Return (the paths of the record files that were found, whether all folders were searched).

        The paths are relative to the records folder, with "/" between their parts.
        """
        root = os.path.realpath(self.root)
        found: list[str] = []
        try:
            for number, (inside, entries) in enumerate(walk(root, _is_searched)):
                if number == MOST_FOLDERS:
                    return found, False
                folder = os.path.join(root, inside)
                names = [entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)]
                records = {name for name in names if _is_record(name)}
                begun = {name for name in map(_of_live, names) if name not in records and _is_record(name)}
                for name in sorted(records | begun):
                    path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                    if _is_text(path) and self._is_inside(root, os.path.join(folder, name), name in begun):
                        found.append(path)
        except FileNotFoundError:  # there is no records folder yet
            return found, True
        except OSError:  # it cannot be read, or has more entries than are searched
            return found, False
        return found, True

    @staticmethod
    def _is_inside(root: str, place: str, is_begun: bool) -> bool:
        if is_begun:
            return is_running(Path(place))
        return os.path.realpath(place).startswith(root.rstrip(os.sep) + os.sep) and _is_file(Path(place))

    def _entry(self, path: str) -> dict[str, Any]:
        place = Path(os.path.realpath(self.root), path)
        size, changed_s = 0, 0.0
        with contextlib.suppress(OSError):
            changed_s = live_path(place).stat().st_mtime
        with contextlib.suppress(OSError):
            found = place.stat()
            size, changed_s = found.st_size, max(changed_s, found.st_mtime)
        changed = datetime.fromtimestamp(_valid_time(changed_s), timezone.utc).isoformat(timespec="seconds")
        told = {"digest": self.digests.of(Path(os.path.realpath(place)))}
        return {"path": path, "bytes": size, "changed": changed, "is_running": is_running(place), **told}


def _is_searched(folder: Path) -> bool:
    return len(folder.parts) <= DEEPEST and not folder.name.startswith(HIDDEN)


def _valid_time(moment_s: float) -> float:
    """Return `moment_s`, a time in seconds since 1970, or 0 if the time is outside the years 1970 to 9999.

    datetime may not be able to represent other times.
    """
    return moment_s if 0 <= moment_s <= LATEST_S else 0.0


def _is_record(name: str) -> bool:
    return name.endswith(RECORD_SUFFIX) and not name.endswith(marks.SUFFIX) and not name.startswith(HIDDEN)


def _of_live(name: str) -> str:
    """Return the name of the record file to which the live file `name` belongs, or "" if `name` names no live file."""
    return name.removesuffix(LIVE_SUFFIX) if name.endswith(LIVE_SUFFIX) else ""


def _is_file(place: Path) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISREG(place.stat().st_mode)
    return False


def _is_text(path: str) -> bool:
    """Return whether `path` can be encoded as UTF-8. The name of a file may have bytes that are no valid text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class Browser:
    """Returns JSON texts about record files, and caches summaries. Thread-safe.

    In all methods `place` is the absolute path of a record file, and `path` is the file's name in messages.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # {(a file, the file's state): (the time until which the entry is valid, the summary or the refusal)}.
        self._kept: OrderedDict[tuple[Path, Any], tuple[float, str | Refused]] = OrderedDict()
        self._guard = threading.Lock()  # never held for long
        self._reviews: tuple[object, ReviewAnswers] = (None, ReviewAnswers())  # ((review file, its state), its answers)

    def kept_summary(self, place: Path, path: str) -> str | None:
        """Return the result of summary() if it is in the cache, else None.

        Raises Refused if the file is too large, or if the cache knows that the file is damaged.
        """
        key, _is_growing = _state_for_cache(place, path)
        with self._guard:
            due, found = self._kept.get(key, (-math.inf, ""))
            if not found or self._clock() >= due:
                return None
            self._kept.move_to_end(key)
        if isinstance(found, Refused):
            raise found
        return found

    def summary(self, place: Path, path: str) -> str:
        """Make the summary of a file, store it in the cache and return it. This may take long.

        Raises Refused if the file is damaged or too large.
        """
        key, is_growing = _state_for_cache(place, path)
        began = self._clock()
        found = _summary_of(place, path)
        now = self._clock()
        due = now + GROWING_SHARE * (now - began) if is_growing else math.inf
        with self._guard:
            self._kept[key] = due, found
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        if isinstance(found, Refused):
            raise found
        return found

    def game(self, place: Path, path: str, index: int) -> str:
        """Return a game as JSON text. `index` is the game's index in the file, from 0.

        Raises Refused if the file has no such game or is too large, or if the game's record is damaged.
        """
        state_of(place, path)
        line = _line_at(place, index)
        if line is None:
            raise refusal(NOT_FOUND, marked("{path} has no game of index {index}"), path=path, index=index)
        try:
            record = GameRecord.from_json(line)
        except RecordError as error:
            raise _damaged(RecordError(f"{path}, line {index + 1}: {error}", place, index + 1)) from None
        return encoded(game_json(record, review_of(record, self._kept_reviews(place))))

    def _kept_reviews(self, place: Path) -> ReviewAnswers:
        """Return the answers in the review file beside the record file `place`.

        There are no answers if the review file is missing or damaged.
        """
        path = review_path(place)
        state = (path, state_of(path, path.name))
        of, found = self._reviews
        if of != state:
            try:
                found, _is_torn = read_reviews(path)
            except (OSError, RecordError):
                found = ReviewAnswers()
            self._reviews = state, found
        return found


def _state_for_cache(place: Path, path: str) -> tuple[tuple[Path, Any], bool]:
    """Return (the key in the cache for the summary of a file, whether a run writes to the file).

    Raises Refused if the file is too large.
    """
    is_growing, state = is_running(place), state_of(place, path)
    return (place, None if is_growing else state), is_growing


def _summary_of(place: Path, path: str) -> str | Refused:
    """Return the summary of a file, or a Refused if one of its lines is not a record. Reading stops at such a line."""
    with contextlib.closing(Channel(place, path, most_damaged=1)) as channel:
        record = channel.record()
        return encoded({"path": path, **record}) if channel.error is None else _damaged(channel.error)


def is_small(place: Path) -> bool:
    """Return whether the summary of a file takes only a moment, because the file is small or does not exist."""
    try:
        return place.stat().st_size <= SMALL_FILE
    except OSError:
        return True


def state_of(place: Path, path: str) -> tuple[int, int, int]:
    """Return (inode, size in bytes, time of the last change in ns) of a file, or (0, 0, 0) if it does not exist.

    `place` is the file's absolute path, and `path` its name in messages. Raises Refused if the file is too large.
    """
    try:
        found = place.stat()
    except OSError:
        return 0, 0, 0
    if found.st_size > LARGEST_FILE:
        raise refusal(
            NOT_ALLOWED,
            marked("{path} has {size:,} bytes: at most {most:,} are read"),
            path=path,
            size=found.st_size,
            most=LARGEST_FILE,
        )
    return found.st_ino, found.st_size, found.st_mtime_ns


def _line_at(place: Path, index: int) -> bytes | None:
    """Return the line with the index `index`, from 0, of the file at `place`, or None if there is no such line.

    The file is read without the lock that read_lines() takes, because a judge that appends a game would have to wait
    for the lock.
    """
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        for number in range(index + 1):
            line = file.readline(LONGEST_LINE)
            if not line:
                return None
            if number == index:
                return line
    return None


def _damaged(error: RecordError) -> Refused:
    return Refused(NOT_ALLOWED, in_each(lambda: record_file.in_words(error)))
