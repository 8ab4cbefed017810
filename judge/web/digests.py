"""Digests of record files. They show in the list of files who played which game, how often, when and with what result.

A thread of low priority reads the lines of the files, each line once. Digests.of() never waits for that thread. A file
that is broken or too large has no digest. Only those parts of a line are checked that the list shows, so a file with a
digest may still be invalid.
"""

import contextlib
import copy
import json
import os
import stat
import threading
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from judge.terminal import shortened
from judge.web.priority import lower
from protocol.records.record import Termination

LARGEST_FILE = 64 * 2**20  # bytes; reading so many takes a second or two, and a larger file is not read
LONGEST_LINE = 16 * 2**20  # bytes
LONGEST_NAME = 60  # characters
MOST_NAMES = 1000  # the most players of a file that are counted; others are left out
MOST_SHOWN = 4  # the most players that are named in the list
MOST_KEPT = 4000  # files whose digests are remembered
WORK_S = 0.02  # after so much work the thread rests as long as it has worked, as requests need the interpreter too
FIRST_GAME = "connect_four"  # the game of records that name no game, because the first version had only this one
State = tuple[int, int, int]  # (inode of a file, its size in bytes, the time of its last change in ns)


class NoRecord(ValueError):
    """A line is not a record."""


@dataclass
class Digest:
    """Sums over the records of a file that were read so far.

    `games` counts the records. `of_a` has the numbers of wins, draws and losses of side A. `kinds` has the names of the
    games that were played. `latest` is the time at which the last game of the file ended, or "" if it is unknown.
    """

    games: int = 0
    seen: Counter[str] = field(default_factory=Counter)  # {player: games}, in the order in which players occur
    points: dict[str, list[int]] = field(default_factory=dict)  # {player: [won, drawn, lost]}
    of_a: list[int] = field(default_factory=lambda: [0, 0, 0])
    kinds: set[str] = field(default_factory=set)
    latest: str = ""

    def add(self, line: bytes) -> None:
        """Add the record in `line`, a line of a record file. Raises NoRecord if the line is not a record."""
        try:
            content = json.loads(line)
            names = [shortened(player["name"], LONGEST_NAME) for player in content["players"]]
            winner, termination = content["winner"], content["termination"]
            kind, finished = content.get("game", FIRST_GAME), content["finished"]
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
            raise NoRecord from error
        if len(names) != 2 or winner not in ("A", "B", None) or not isinstance(kind, str):
            raise NoRecord
        self.games += 1
        self.kinds.add(shortened(kind, LONGEST_NAME))
        self.latest = _moment(finished) or self.latest
        is_void = any(termination == ending for ending in Termination if not ending.counts)
        place = None if is_void else 1 if winner is None else 0 if winner == "A" else 2
        for name in dict.fromkeys(names):
            if name in self.seen or len(self.seen) < MOST_NAMES:
                self.seen[name] += 1
                if place is not None:
                    points = self.points.setdefault(name, [0, 0, 0])
                    points[place if name == names[0] else 2 - place] += 1
        if place is not None:
            self.of_a[place] += 1

    def as_json(self) -> dict[str, Any]:
        """Return the digest as JSON for the list of files.

        `players` names at most MOST_SHOWN players, and `number` is the number of all players. If a player took part in
        every game, it is named first and `score` is its [won, drawn, lost], without VOID games; otherwise `score` is
        None. `game` is the name of the game, or None if the file has several. `date` is the time at which the last game
        ended, or "" if no record has a time.
        """
        names = list(self.seen)
        score = None
        if len(names) == 1:  # a player against itself
            names, score = names * 2, self.of_a
        else:
            everywhere = [name for name in names if self.seen[name] == self.games]
            if everywhere:
                names.remove(everywhere[0])
                names.insert(0, everywhere[0])
                score = self.points.get(everywhere[0], [0, 0, 0])
        return {
            "games": self.games,
            "players": names[:MOST_SHOWN],
            "number": len(names),
            "score": score,
            "game": next(iter(self.kinds)) if len(self.kinds) == 1 else None,
            "date": self.latest,
        }


def _moment(text: object) -> str:
    """Return `text` if it is a time with a time zone, else "". All times in records have a time zone."""
    with contextlib.suppress(ValueError):
        if isinstance(text, str) and datetime.fromisoformat(text).tzinfo is not None:
            return text
    return ""


@dataclass(frozen=True)
class _Known:
    """What is known of a file.

    `state` is the file's state when it was read, `digest` is None if the file has no digest, and `end` is the number of
    bytes that were read.
    """

    state: State | None = None
    digest: Digest | None = None
    end: int = 0


class Digests:
    """The digests of files. Only the MOST_KEPT files for which of() was called last are remembered. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Condition()
        self._known: OrderedDict[Path, _Known] = OrderedDict()
        self._waiting: dict[Path, None] = {}  # the files to be read, in the order in which of() was called for them
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def of(self, place: Path) -> dict[str, Any] | None:
        """Return the latest digest of the file at `place` as JSON, or None if the file has no digest yet.

        If the file has changed, the thread is asked to read it again. The digest that is returned is then a little old.
        """
        with self._guard:
            known = self._known.setdefault(place, _Known())
            self._known.move_to_end(place)
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
            if known.state != _state_of(place) and not self._is_closed:
                self._waiting[place] = None
                self._guard.notify()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="digests", daemon=True)
                    self._thread.start()
        return known.digest.as_json() if known.digest is not None and known.digest.games else None

    def close(self) -> None:
        """Ask the thread to end."""
        with self._guard:
            self._is_closed = True
            self._guard.notify()

    def _run(self) -> None:
        lower()
        while True:
            with self._guard:
                self._guard.wait_for(lambda: self._waiting or self._is_closed)
                if self._is_closed:
                    return
                place = next(iter(self._waiting))
                del self._waiting[place]
                known = self._known.get(place, _Known())
            found = self._brought_up(place, known)
            with self._guard:
                if place in self._known:
                    self._known[place] = found

    def _brought_up(self, place: Path, known: _Known) -> _Known:
        """Read the new lines of the file at `place` and return what is known of the file afterwards.

        `known` is what was known before. If the file at `place` is a different file now, or has changed in another way
        than by growing, the whole file is read.
        """
        state: State | None = None
        try:
            with open(os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
                state = _state_of(file.fileno())
                if state is None or state[1] > LARGEST_FILE:
                    return _Known(state)
                has_grown = known.state is not None and state[0] == known.state[0] and state[1] > known.state[1]
                digest, end = (copy.deepcopy(known.digest), known.end) if has_grown else (Digest(), 0)
                if digest is None:  # the file was broken before
                    return _Known(state)
                file.seek(end)
                return _Known(state, digest, end + self._added(file, digest))
        except (OSError, NoRecord):
            return _Known(state)

    def _added(self, file: BinaryIO, digest: Digest) -> int:
        """Add the complete lines of `file` from its current position on to `digest`. Returns their length in bytes.

        Raises NoRecord if a line is not a record, and OSError if the file cannot be read.
        """
        length, began = 0, time.monotonic()
        while (line := file.readline(LONGEST_LINE)).endswith(b"\n") and not self._is_closed:
            digest.add(line)
            length += len(line)
            worked_s = time.monotonic() - began
            if worked_s >= WORK_S:
                time.sleep(worked_s)
                began = time.monotonic()
        if len(line) >= LONGEST_LINE:
            raise NoRecord
        return length


def _state_of(file: Path | int) -> State | None:
    """Return the state of a file, or None if it does not exist or is not a regular file."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
