"""The records folder for the browser: lists the record files in it, summarizes files, and returns single games."""

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from judge.files import DEEPEST, walk
from judge.language import marked
from judge.live import READ_FLAGS, is_running, live_path
from judge.processes.folders import LIVE_SUFFIX
from judge.review import marks
from judge.review.marks import ReviewAnswers, review_of, review_path
from judge.review.marks import read as read_reviews
from judge.runs import record_file
from judge.web.answers import NOT_ALLOWED, NOT_FOUND, Refused, encoded, refusal
from judge.web.bot_folders import is_text_path
from judge.web.digests import Digests, file_state
from judge.web.inputs import RECORD_SUFFIX
from judge.web.record_data import game_json
from judge.web.texts import in_each
from protocol.records.json_lines import LONGEST_LINE
from protocol.records.record import GameRecord, RecordError

LIST_PERIOD_S = 0.5  # the list of files is made anew at most once in this time
MOST_LISTED = 2000  # files
MOST_FOLDERS = 2000  # at most so many folders are searched
HIDDEN = "."  # begins the names of files and folders that are not listed
LATEST_S = 253402300799.0  # the end of the year 9999, the latest that datetime has
DIGESTS_S = 0.3  # the longest time for which new lines are read for digests each time that the list is made
LARGEST_FILE = 256 * 2**20  # bytes; it takes minutes to read a larger file


class RecordsFolder:
    """The record files in the folder `root` and its subfolders. `root` need not exist.

    A link that leads out of `root` is ignored.
    """

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.root = root
        self._digests = Digests()
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

        Raises Refused if the file does not exist or is outside the records folder, without saying which. The record
        file of a run whose first game is still being played does not exist yet; its path is returned all the same.
        """
        root = os.path.realpath(self.root)
        with contextlib.suppress(ValueError):  # a path with the character NUL
            file_path = Path(os.path.realpath(os.path.join(root, path)))
            is_inside = file_path.is_relative_to(root) and not os.path.isabs(path)
            has_suffix = path.endswith(RECORD_SUFFIX) and file_path.name.endswith(RECORD_SUFFIX)
            if is_inside and has_suffix and (file_state(file_path) or _is_begun(file_path)):
                return file_path
        raise refusal(NOT_FOUND, marked("there is no record file {path!r} below the records folder"), path=path)

    def as_json(self) -> dict[str, Any]:
        """Return, as JSON, the list of the record files.

        `files` has at most MOST_LISTED files. `left_out` is the number of other files that were found. `is_complete`
        says whether all folders were searched.
        """
        paths, is_complete = self._record_paths()
        until_s = time.monotonic() + DIGESTS_S
        entries = [self._entry(path, until_s) for path in sorted(paths)]
        if len(entries) > MOST_LISTED:  # prefer files to which a run writes, then the newest files
            entries.sort(key=lambda entry: (entry["is_running"], entry["changed"]), reverse=True)
        left_out = max(0, len(entries) - MOST_LISTED)
        return {"files": entries[:MOST_LISTED], "left_out": left_out, "is_complete": is_complete}

    def _record_paths(self) -> tuple[list[str], bool]:
        """Return (the paths of the record files that were found, whether all folders were searched).

        The paths are relative to the records folder, with "/" between their parts.
        """
        root = os.path.realpath(self.root)
        paths: list[str] = []
        try:
            for number, (inside, entries) in enumerate(walk(root, _is_searched)):
                if number == MOST_FOLDERS:
                    return paths, False
                names = [entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)]
                names += [name.removesuffix(LIVE_SUFFIX) for name in names if name.endswith(LIVE_SUFFIX)]
                for name in sorted({name for name in names if _is_record(name)}):
                    path = (inside / name).as_posix()
                    if is_text_path(path) and _may_be_listed(root, Path(root, path)):
                        paths.append(path)
        except FileNotFoundError:  # there is no records folder yet
            return paths, True
        except OSError:  # a folder cannot be read, or has more entries than are searched
            return paths, False
        return paths, True

    def _entry(self, path: str, until_s: float) -> dict[str, Any]:
        """Return the entry of `files` (see as_json()) for a record file.

        `path` is relative to the records folder. New lines are read for the digest until time.monotonic() is `until_s`.
        """
        file_path = Path(os.path.realpath(self.root), path)
        size, changed_s = 0, 0.0
        with contextlib.suppress(OSError):
            changed_s = live_path(file_path).stat().st_mtime
        with contextlib.suppress(OSError):
            status = file_path.stat()
            size, changed_s = status.st_size, max(changed_s, status.st_mtime)
        changed = datetime.fromtimestamp(min(max(0.0, changed_s), LATEST_S), timezone.utc).isoformat(timespec="seconds")
        digest = self._digests.of(Path(os.path.realpath(file_path)), until_s)
        return {"path": path, "bytes": size, "changed": changed, "is_running": is_running(file_path), "digest": digest}


def _is_begun(file_path: Path) -> bool:
    """Return whether a record file does not exist yet, but its run is going on."""
    return not os.path.lexists(file_path) and is_running(file_path)


def _may_be_listed(root: str, file_path: Path) -> bool:
    """Return whether the record file `file_path`, whose name was found below the folder `root`, is listed.

    It is listed if it exists or its first game is being played. A link that leads out of `root` is not listed.
    """
    is_inside = Path(os.path.realpath(file_path)).is_relative_to(root)
    return _is_begun(file_path) or (is_inside and file_state(file_path) is not None)


def _is_searched(folder: Path) -> bool:
    """Return whether record files in `folder`, a path relative to the records folder, are listed."""
    return len(folder.parts) <= DEEPEST and not folder.name.startswith(HIDDEN)


def _is_record(name: str) -> bool:
    return name.endswith(RECORD_SUFFIX) and not name.endswith(marks.SUFFIX) and not name.startswith(HIDDEN)


class GameReader:
    """Returns single games of record files as JSON texts. Thread-safe."""

    def __init__(self) -> None:
        self._reviews: tuple[object, ReviewAnswers] = (None, ReviewAnswers())  # ((review file, its state), its answers)

    def game(self, file_path: Path, path: str, index: int) -> str:
        """Return a game as JSON text. `index` is the game's index in the file, from 0.

        `file_path` is the absolute path of the record file, and `path` is the file's name in messages. Raises Refused
        if the file has no such game or is too large, or if the game's record is damaged.
        """
        refuse_large_file(file_path, path)
        line = _read_line(file_path, index)
        if line is None:
            raise refusal(
                NOT_FOUND,
                marked("{path} has no game {number}: if the file has changed, load this page again"),
                path=path,
                number=index + 1,
            )
        try:
            record = GameRecord.from_json(line)
        except RecordError as error:
            raise error_refusal(RecordError(f"{path}, line {index + 1}: {error}", file_path, index + 1)) from None
        return encoded(game_json(record, review_of(record, self._review_answers(file_path))))

    def _review_answers(self, file_path: Path) -> ReviewAnswers:
        """Return the answers in the review file beside the record file `file_path`.

        There are no answers if the review file is missing or damaged.
        """
        path = review_path(file_path)
        state = (path, file_state(path))
        known_state, answers = self._reviews
        if known_state != state:
            try:
                answers, _is_torn = read_reviews(path)
            except (OSError, RecordError):
                answers = ReviewAnswers()
            self._reviews = state, answers
        return answers


def refuse_large_file(file_path: Path, path: str) -> None:
    """Raise Refused if the file at `file_path`, which messages call `path`, is too large."""
    state = file_state(file_path)
    if state is not None and state.size > LARGEST_FILE:
        raise refusal(
            NOT_ALLOWED,
            marked(
                "{path} has {size:,} bytes, and the server reads files of at most {most:,} bytes: "
                "read the file with `dropfour replay`"
            ),
            path=path,
            size=state.size,
            most=LARGEST_FILE,
        )


def _read_line(file_path: Path, index: int) -> bytes | None:
    """Return the line with the index `index`, from 0, of the file at `file_path`, or None if there is no such line.

    The file is read without the lock that read_lines() takes, because a judge that appends a game would have to wait
    for the lock.
    """
    try:
        descriptor = os.open(file_path, READ_FLAGS)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        lines = iter(lambda: file.readline(LONGEST_LINE), b"")
        return next(itertools.islice(lines, index, None), None)


def error_refusal(error: OSError | RecordError) -> Refused:
    """Return the refusal of a request that failed because a file could not be read or written, or is damaged."""
    return Refused(NOT_ALLOWED, in_each(lambda: record_file.in_words(error)))
