"""Digests of record files. They show in the list of files who played which game, how often, when and with what result.

Each line of a file is read once. A file that is broken or too large has no digest. Only those parts of a line are read
that the list shows, so a file with a digest may still be invalid.
"""

import contextlib
import os
import stat
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from judge.terminal import shortened
from protocol.records.record import Termination

LARGEST_FILE = 64 * 2**20  # bytes; a larger file is not read
LONGEST_NAME = 60  # characters
MOST_NAMES = 1000  # the most players of a file that are counted; others are left out
MOST_SHOWN = 4  # the most players that are named in the list
MOST_KEPT = 4000  # files whose digests are remembered
VOID = [ending for ending in Termination if not ending.counts]


class FileState(NamedTuple):
    """What tells whether a file has changed: its inode, its size in bytes, and the time of its last change in ns."""

    inode: int
    size: int
    changed_ns: int


class _Named(msgspec.Struct):
    name: str


class _Line(msgspec.Struct):
    """What the list shows of a record. The first version of records named no game, because it had only one."""

    players: tuple[_Named, _Named]
    winner: Literal["A", "B"] | None
    termination: str
    finished: str | None
    game: str = "connect_four"


_READER = msgspec.json.Decoder(_Line)


@dataclass
class Digest:
    """Sums over those records of a file that were read so far, which are its first `end` bytes.

    `state` is the file's state when it was read to its end, or None before that. `is_broken` says that a line is no
    record. `games` counts the records. `score_of_a` has the numbers of wins, draws and losses of side A. `game_names`
    has the names of the games that were played. `latest_end` is the time at which the last game of the file ended, or
    "" if it is unknown.
    """

    state: FileState | None = None
    end: int = 0
    is_broken: bool = False
    games: int = 0
    games_of: Counter[str] = field(default_factory=Counter)  # {player: games}, in the order in which players occur
    results_of: dict[str, list[int]] = field(default_factory=dict)  # {player: [games won, drawn, lost]}
    score_of_a: list[int] = field(default_factory=lambda: [0, 0, 0])
    game_names: set[str] = field(default_factory=set)
    latest_end: str = ""

    def add(self, line: bytes) -> None:
        """Add the record in `line`, a line of a record file. Raises ValueError if the line is not a record."""
        read = _READER.decode(line)
        self.end += len(line)
        self.games += 1
        self.game_names.add(shortened(read.game, LONGEST_NAME))
        with contextlib.suppress(ValueError):  # all times of a judge have a time zone
            if read.finished and datetime.fromisoformat(read.finished).tzinfo is not None:
                self.latest_end = read.finished
        names = [shortened(player.name, LONGEST_NAME) for player in read.players]
        # The index of the result for side A in [won, drawn, lost]; None for a game that does not count.
        result = None if read.termination in VOID else ("A", None, "B").index(read.winner)
        for name in dict.fromkeys(names):
            if name in self.games_of or len(self.games_of) < MOST_NAMES:
                self.games_of[name] += 1
                if result is not None:
                    is_side_a = name == names[0]
                    self.results_of.setdefault(name, [0, 0, 0])[result if is_side_a else 2 - result] += 1
        if result is not None:
            self.score_of_a[result] += 1

    def as_json(self) -> dict[str, Any]:
        """Return the digest as JSON for the list of files.

        `players` names at most MOST_SHOWN players, and `number` is the number of all players. If a player took part in
        every game, it is named first and `score` is its [won, drawn, lost], without VOID games; otherwise `score` is
        None. `game` is the name of the game, or None if the file has several. `date` is the time at which the last game
        ended, or "" if no record has a time.
        """
        names = list(self.games_of)
        score = None
        if len(names) == 1:  # a player against itself
            names, score = names * 2, self.score_of_a
        else:
            in_every_game = [name for name in names if self.games_of[name] == self.games]
            if in_every_game:
                names.remove(in_every_game[0])
                names.insert(0, in_every_game[0])
                score = self.results_of.get(in_every_game[0], [0, 0, 0])
        return {
            "games": self.games,
            "players": names[:MOST_SHOWN],
            "number": len(names),
            "score": score,
            "game": next(iter(self.game_names)) if len(self.game_names) == 1 else None,
            "date": self.latest_end,
        }


class Digests:
    """The digests of the MOST_KEPT files for which of() was called last. Only one thread at a time may use it."""

    def __init__(self) -> None:
        self._digests: OrderedDict[Path, Digest] = OrderedDict()

    def of(self, file_path: Path, until_s: float) -> dict[str, Any] | None:
        """Return the digest of the file at `file_path` as JSON (see Digest.as_json()).

        First the new lines of the file are read, but no longer than until time.monotonic() is `until_s`; the next call
        goes on with the lines that are left. Returns None if no line was read yet, or if the file is too large or has a
        line that is no record.
        """
        digest = self._digests.setdefault(file_path, Digest())
        self._digests.move_to_end(file_path)
        if len(self._digests) > MOST_KEPT:
            self._digests.popitem(last=False)
        if time.monotonic() < until_s and digest.state != file_state(file_path):
            digest = self._digests[file_path] = _updated(file_path, digest, until_s)
        return digest.as_json() if digest.games and not digest.is_broken else None


def _updated(file_path: Path, digest: Digest, until_s: float) -> Digest:
    """Return the digest of a file as far as the file could be read until time.monotonic() was `until_s`.

    If the file has only grown since `digest` was made, its new lines are added to `digest`, which is returned.
    Otherwise the file is read from its beginning. A missing or too large file has a digest without games.
    """
    state = file_state(file_path)
    if state is None or state.size > LARGEST_FILE:
        return Digest(state)
    known = digest.state
    has_only_grown = known is not None and known.inode == state.inode and known.size < state.size
    if not has_only_grown or digest.end > state.size:
        digest = Digest()
    if digest.is_broken:
        return digest
    try:
        with open(file_path, "rb", opener=_open_without_wait) as file:
            file.seek(digest.end)
            while (line := file.readline()).endswith(b"\n"):
                digest.add(line)
                if time.monotonic() >= until_s:
                    digest.state = FileState(state.inode, 0, 0)  # so that the next call goes on
                    return digest
    except (OSError, ValueError, RecursionError):
        digest.is_broken = True
    digest.state = state
    return digest


def _open_without_wait(path: str, flags: int) -> int:
    """Open a file for open(). A link is not followed, and a pipe is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


def file_state(file: Path) -> FileState | None:
    """Return the state of a file, or None if it does not exist or is not a regular file."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return FileState(status.st_ino, status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None
