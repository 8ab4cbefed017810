"""Writes what happens in the games of a run into the file beside its record file; it costs no game anything.

A line is one write, never synced: the file is for whoever looks on, and is removed with the run. What fails is told
once, and nothing more is written.
"""

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from judge.games.positions import Position
from judge.language import marked
from judge.live.events import BEGINNING, begun_line, ended_line, moved_line
from judge.live.live_file import READ_FLAGS, hold, is_held, live_path
from judge.play.observer import Observer, Several, Shelter
from judge.play.scoresheet import GamePlan, utc_now
from judge.players.players import Contestant
from protocol.records.record import GameRecord, Move

NOT_FOLLOWED = marked("note: the games go on, but cannot be followed as they are played: {error}")
LARGEST_BYTES = 10**6  # from which on the file is written anew, with the games that are running alone
WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
NEW = ".new"  # behind the name of a file that takes the place of another
LOOKS, PAUSE_S = 10, 0.01  # at a file that another run holds, which may be about to end
Play = Callable[[Sequence[Contestant], GamePlan, Observer | None, threading.Event | None], GameRecord]


class LiveWriter:
    """Tells of the games of one run into a record file; use as a context manager around it, from any threads.

    The file comes with the first game and goes with the run. Where another run tells of games there this one is silent.
    """

    def __init__(self, record: str | os.PathLike[str]) -> None:
        self._path = live_path(record)
        self._lock = threading.Lock()
        self._shelter = Shelter(NOT_FOLLOWED)
        self._descriptor: int | None = None
        self._size = self._size_anew = 0
        self._running: dict[str, list[bytes]] = {}  # a game's id -> its lines
        self._folders: list[Path] = []  # made for the file, the innermost first
        self._is_silent = False

    def __enter__(self) -> "LiveWriter":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._leave()

    def playing(self, play: Play) -> Play:
        """The same as play(contestants, plan, observer, stop), but told of; ended() is to follow where it returns.

        An observer given besides is told too.
        """

        def told(
            contestants: Sequence[Contestant],
            plan: GamePlan,
            observer: Observer | None,
            stop: threading.Event | None,
        ) -> GameRecord:
            own = self.observer(contestants)
            try:
                return play(contestants, plan, own if observer is None else Several([observer, own]), stop)
            except BaseException:
                own.discarded()
                raise

        return told

    def open(self) -> None:
        """Have the file before the first game, where games are played elsewhere: it says that a run goes on."""
        self._tell(self._open)

    def _open(self) -> None:
        if not self._is_in_place():
            self._begin()

    def observer(self, contestants: Sequence[Contestant]) -> "GameObserver":
        """The Observer of one game between these."""
        return GameObserver(self, contestants)

    def ended(self, game_id: str) -> None:
        """The game of this id is in the record file, or will never be."""
        self._tell(self._ended, game_id)

    def begun(self, game_id: str, line: bytes) -> None:
        """A game has begun, with this line."""
        self._tell(self._begun, game_id, line)

    def moved(self, game_id: str, line: bytes) -> None:
        """A move of it has been made, with this line."""
        self._tell(self._moved, game_id, line)

    def _tell(self, act: Callable[..., None], *arguments: object) -> None:
        with self._lock:
            if not self._is_silent:
                self._shelter.run(act, *arguments)
                if self._shelter.has_failed:
                    self._leave()

    def _begun(self, game_id: str, line: bytes) -> None:
        self._open()
        if not self._is_silent:
            self._running[game_id] = [line]
            self._write(line)

    def _moved(self, game_id: str, line: bytes) -> None:
        if game_id in self._running:
            self._running[game_id].append(line)
            self._write(line)

    def _ended(self, game_id: str) -> None:
        if self._running.pop(game_id, None) is not None:
            self._write(ended_line(game_id))

    def _is_in_place(self) -> bool:
        """Whether the file is there by its name: somebody may have removed it, as the record file."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def _begin(self) -> None:
        """Have a file, in the place of one that a killed judge has left; be silent where another run has one."""
        for look in range(LOOKS):
            time.sleep(PAUSE_S if look else 0.0)
            if not self._is_taken():
                self._write_anew()
                return
        self._is_silent = True

    def _is_taken(self) -> bool:
        """Whether another run writes a file of this name. Raises OSError where it is no such file."""
        try:
            descriptor = os.open(self._path, READ_FLAGS)
        except FileNotFoundError:
            return False
        try:
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
            if not is_file or os.read(descriptor, len(BEGINNING)) not in (b"", BEGINNING):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self._path))
            return is_held(descriptor)
        finally:
            os.close(descriptor)

    def _write_anew(self) -> None:
        """Write a file with the games that are running, locked before it has its name, and let go of the one before."""
        self._make_folder()
        unnamed = f"{self._path}{NEW}"
        descriptor = os.open(unnamed, WRITE_FLAGS | os.O_TRUNC, 0o644)
        try:
            hold(descriptor)
            lines = b"".join(line for game in self._running.values() for line in game)
            _write_whole(descriptor, lines)
            os.rename(unnamed, self._path)
        except BaseException:
            os.close(descriptor)
            with contextlib.suppress(OSError):
                os.unlink(unnamed)
            raise
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._size, self._size_anew = descriptor, len(lines), len(lines)

    def _make_folder(self) -> None:
        folder = self._path.parent
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self._folders = [*missing, *self._folders]

    def _write(self, line: bytes) -> None:
        assert self._descriptor is not None
        _write_whole(self._descriptor, line)
        self._size += len(line)
        if self._size > max(LARGEST_BYTES, 2 * self._size_anew):
            self._write_anew()

    def _leave(self) -> None:
        """Remove the file, and the folders made for it where nothing else is in them."""
        with contextlib.suppress(OSError):
            if self._is_in_place():
                self._path.unlink()
        if self._descriptor is not None:
            os.close(self._descriptor)
        for folder in self._folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        self._descriptor, self._is_silent, self._folders = None, True, []
        self._running.clear()


class GameObserver(Observer):
    """Tells a LiveWriter of one game."""

    def __init__(self, writer: LiveWriter, contestants: Sequence[Contestant]) -> None:
        self._writer, self._contestants = writer, contestants
        self._game_id = ""
        self._plies = 0

    def begun(self, game_id: str) -> None:
        self._game_id = game_id

    def started(self, plan: GamePlan, position: Position) -> None:
        self._writer.begun(self._game_id, begun_line(self._game_id, plan, self._contestants, utc_now()))

    def moved(self, side: str, position: Position, move: Move) -> None:
        self._plies += 1
        self._writer.moved(self._game_id, moved_line(self._game_id, self._plies, move))

    def discarded(self) -> None:
        """The game was cut off: there will be no record of it."""
        self._writer.ended(self._game_id)


def _write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it at once. Raises OSError where there is no room for that."""
    if os.write(descriptor, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
