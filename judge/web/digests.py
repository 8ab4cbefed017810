"""Digests of record files, for the list of files: who has played which game, how often, with which result and when.

A thread of low priority reads each line of the files once; of() never waits for it. A file that is broken or too large
has no digest. Only the parts of a line that the list shows are checked, so a digest does not mean that a file is valid.
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

LARGEST_FILE = 64 * 2**20  # bytes that are read of a file: a second or two
LONGEST_LINE = 16 * 2**20  # bytes
LONGEST_NAME = 60  # characters
MOST_NAMES = 1000  # players of a file that are counted separately
MOST_SHOWN = 4  # of these players
MOST_KEPT = 4000  # files whose digests are remembered
WORK_S = 0.02  # after so much work the thread rests as long as it has worked: requests need the interpreter too
FIRST_GAME = "connect_four"  # the game of records that name none: the first version of records had no other
State = tuple[int, int, int]  # of a file: inode, size, time of change in ns


class NoRecord(ValueError):
    """A line is not a record."""


@dataclass
class Digest:
    """Sums over the records of a file that were read so far.

    `games` counts the records; `of_a` has the wins, draws and losses of side A; `kinds` has the names of the games;
    `latest` is the time at which the last game of the file ended, or "".
    """

    games: int = 0
    seen: Counter[str] = field(default_factory=Counter)  # games by player, in the order in which players occur
    points: dict[str, list[int]] = field(default_factory=dict)  # by player: [won, drawn, lost]
    of_a: list[int] = field(default_factory=lambda: [0, 0, 0])
    kinds: set[str] = field(default_factory=set)
    latest: str = ""

    def add(self, line: bytes) -> None:
        """Add the record in a line. Raises NoRecord if the line is not a record."""
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
        place = None if termination == Termination.VOID.value else 1 if winner is None else 0 if winner == "A" else 2
        for name in dict.fromkeys(names):
            if name in self.seen or len(self.seen) < MOST_NAMES:
                self.seen[name] += 1
                if place is not None:
                    points = self.points.setdefault(name, [0, 0, 0])
                    points[place if name == names[0] else 2 - place] += 1
        if place is not None:
            self.of_a[place] += 1

    def as_json(self) -> dict[str, Any]:
        """Return the digest in the form that the list of files has.

        `players` names at most MOST_SHOWN players; `number` counts all. `score` is [won, drawn, lost] of the first
        player named if that player took part in every game, else None; VOID games do not count. `game` is None if the
        file has several games, `date` is "" if no record has a time.
        """
        names = list(self.seen)
        score = None
        if len(names) == 1:  # somebody against himself
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
    """Return `text` if it is a time with a time zone, as records have it, else ""."""
    with contextlib.suppress(ValueError):
        if isinstance(text, str) and datetime.fromisoformat(text).tzinfo is not None:
            return text
    return ""


@dataclass(frozen=True)
class _Known:
    """What is known of a file: its state when it was read, its digest (None if it has none), and the bytes read."""

    state: State | None = None
    digest: Digest | None = None
    end: int = 0


class Digests:
    """The digests of files. The MOST_KEPT files that were asked for last are remembered. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Condition()
        self._known: OrderedDict[Path, _Known] = OrderedDict()
        self._waiting: dict[Path, None] = {}  # in the order in which they were asked for
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def of(self, place: Path) -> dict[str, Any] | None:
        """Return the latest digest of the file at `place` as JSON, or None if there is none yet.

        The digest may be a little old: if the file has changed, the thread is asked to read it.
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
        """Read the new lines of a file and return what is known then.

        The whole file is read if it is another file, or if it may have changed other than by growing.
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
        """Add the complete lines from the file's position on to `digest`, and return their length in bytes.

        Raises NoRecord and OSError.
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
