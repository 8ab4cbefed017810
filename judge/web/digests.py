"""What the list of record files says of each: who has played, with which result, how many games of what, and when.

A thread of low priority reads the files, each line once: of() never waits for it. A file that is broken or too large
has no digest. Lines are looked at for what the list shows alone, so a digest does not say that a file is sound.
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
MOST_NAMES = 1000  # players of a file that are told apart
MOST_SHOWN = 4  # of them
MOST_KEPT = 4000  # files
WORK_S = 0.02  # after so much work the thread rests as long as it has worked: requests need the interpreter too
FIRST_GAME = "connect_four"  # of records that name none, as the first version did
State = tuple[int, int, int]  # of a file: inode, size, time of change in ns


class NoRecord(ValueError):
    """A line is no record."""


@dataclass
class Digest:
    """The sums of a file's records so far."""

    games: int = 0
    seen: Counter[str] = field(default_factory=Counter)  # how many games each player has played, in their order
    points: dict[str, list[int]] = field(default_factory=dict)  # by player: won, drawn, lost
    of_a: list[int] = field(default_factory=lambda: [0, 0, 0])
    kinds: set[str] = field(default_factory=set)
    latest: str = ""

    def add(self, line: bytes) -> None:
        """Add a record's line. Raises NoRecord."""
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
        """Return the digest as the list has it.

        `players` are at most MOST_SHOWN of the `number` of all. `score` is what the first of them has won, drawn and
        lost, if that one has played in every game against whoever, else None; VOID games do not count. `game` is None
        for several games, `date` "" where no record has one.
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
    """Return a moment as records have it; "" for anything else."""
    with contextlib.suppress(ValueError):
        if isinstance(text, str) and datetime.fromisoformat(text).tzinfo is not None:
            return text
    return ""


@dataclass(frozen=True)
class _Known:
    """A file's state when it was read, its digest then (None where it has none), and up to where it was read."""

    state: State | None = None
    digest: Digest | None = None
    end: int = 0


class Digests:
    """The digests of files, of which those asked for last are kept, MOST_KEPT. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Condition()
        self._known: OrderedDict[Path, _Known] = OrderedDict()
        self._waiting: dict[Path, None] = {}  # in the order in which they were asked for
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def of(self, place: Path) -> dict[str, Any] | None:
        """Return the digest of a file as JSON, as it was a moment ago; None while there is none."""
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
        """Read what is new in a file; all of it, if it is another file or may have been changed before its end."""
        state: State | None = None
        try:
            with open(os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
                state = _state_of(file.fileno())
                if state is None or state[1] > LARGEST_FILE:
                    return _Known(state)
                has_grown = known.state is not None and state[0] == known.state[0] and state[1] > known.state[1]
                digest, end = (copy.deepcopy(known.digest), known.end) if has_grown else (Digest(), 0)
                if digest is None:  # it was broken before
                    return _Known(state)
                file.seek(end)
                return _Known(state, digest, end + self._added(file, digest))
        except (OSError, NoRecord):
            return _Known(state)

    def _added(self, file: BinaryIO, digest: Digest) -> int:
        """Add the whole lines from here on; return their length in bytes. Raises NoRecord, OSError."""
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
    """Return the state of a regular file, None where there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
