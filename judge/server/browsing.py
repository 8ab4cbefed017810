"""Record files to be read: what a page needs of one at once, and one of its games."""

import contextlib
import math
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from judge.language import marked
from judge.live import is_running
from judge.pages.games import game_json
from judge.pages.languages import in_each
from judge.review.marks import Kept, review_path, reviews_of
from judge.review.marks import read as read_reviews
from judge.runs import record_file
from judge.server.answers import encoded
from judge.server.following.channel import Channel
from judge.server.refusals import NOT_ALLOWED, NOT_FOUND, Refused, refusal
from protocol.records.lines import LONGEST_LINE
from protocol.records.record import GameRecord, RecordError

MOST_KEPT = 8  # summaries
GROWING_SHARE = 10  # times as long as it took is waited before a growing file is read again
LARGEST_FILE = 256 * 2**20  # bytes: what is larger takes minutes
TOO_LARGE = marked("{path} has {size:,} bytes: at most {most:,} are read")
NO_SUCH_GAME = marked("{path} has no game of index {index}")


class Browser:
    """Answers about record files as texts; may be asked by several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[Path, Any], tuple[float, str]] = OrderedDict()  # until when, and the text
        self._one_at_a_time = threading.Lock()  # each may take seconds
        self._reviews: tuple[object, Kept] = (None, Kept())  # of which file in which state

    def summary(self, place: Path, path: str) -> str:
        """What a page needs of a file; of one that grows, it may be as it was a moment ago.

        Raises Refused where it is damaged, or too large.
        """
        with self._one_at_a_time:
            is_growing = is_running(place)
            state = state_of(place, path)
            key = (place, None if is_growing else state)
            due, text = self._kept.get(key, (-math.inf, ""))
            if not text or self._clock() >= due:
                began = self._clock()
                text = _summary_of(place, path)
                now = self._clock()
                due = now + GROWING_SHARE * (now - began) if is_growing else math.inf
            self._kept[key] = due, text
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return text

    def game(self, place: Path, path: str, index: int) -> str:
        """One game of a file, numbered from 0. Raises Refused where there is none, or it is damaged."""
        line = _line_at(place, index)
        if line is None:
            raise refusal(NOT_FOUND, NO_SUCH_GAME, path=path, index=index)
        try:
            record = GameRecord.from_json(line)
        except RecordError as error:
            raise _damaged(RecordError(f"{path}, line {index + 1}: {error}", place, index + 1)) from None
        (review,) = reviews_of([record], self._kept_reviews(place))
        return encoded(game_json(record, review))

    def _kept_reviews(self, place: Path) -> Kept:
        """What stands beside the file; nothing where that is damaged."""
        path = review_path(place)
        state = (path, state_of(path, path.name))
        of, found = self._reviews
        if of != state:
            try:
                found, _is_torn = read_reviews(path)
            except (OSError, RecordError):
                found = Kept()
            self._reviews = state, found
        return found


def _summary_of(place: Path, path: str) -> str:
    with contextlib.closing(Channel(place, path)) as channel:
        text = encoded({"path": path, **channel.record()})
        if channel.error is not None:
            raise _damaged(channel.error)
    return text


def state_of(place: Path, path: str) -> tuple[int, int, int]:
    """What changes with the file; zeros where there is none. Raises Refused where it is too large to be read."""
    try:
        found = place.stat()
    except OSError:
        return 0, 0, 0
    if found.st_size > LARGEST_FILE:
        raise refusal(NOT_ALLOWED, TOO_LARGE, path=path, size=found.st_size, most=LARGEST_FILE)
    return found.st_ino, found.st_size, found.st_mtime_ns


def _line_at(place: Path, index: int) -> bytes | None:
    """A line by its number, from 0, read without the lock of read_lines(): a judge that appends would wait for it."""
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
