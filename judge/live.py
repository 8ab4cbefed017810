"""Live games: writes the events of games to a live file while they are played, and follows such a file.

Each line of a live file is one event: a JSON object with the keys `event` and `id`. The id is the one that the game's
record will have. Readers do not trust the file and skip invalid lines.

A line is written by one write() and never synced: the file is for spectators only and is removed at the end of the
run. The first failure is reported, and nothing more is written after it.

The live file of the record file RECORD is RECORD.live. If RECORD is a link, the live file is beside the target, so that
all links to one record file share one live file. The writer holds a lock on the live file, which the kernel releases
when the process ends. A live file without a lock was left by a judge that was killed. Readers test whether the lock is
held without taking it, so they block no writer.
"""

import contextlib
import dataclasses
import errno
import fcntl
import functools
import json
import os
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Concatenate, ParamSpec

from msgspec import Meta, Struct, structs

from judge.games.positions import Position
from judge.language import marked
from judge.play.observer import Observer, ObserverGroup, SafeCaller
from judge.play.scoresheet import GamePlan, utc_now
from judge.players.players import Contestant
from judge.processes.folders import LIVE_LINE_START, LIVE_SUFFIX
from protocol.records import json_lines
from protocol.records.json_lines import LONGEST_LINE as LONGEST_RECORD
from protocol.records.record import MOST_NESTED, GameRecord, Move, Player, RecordError, Termination
from protocol.records.values import Count, Integer, Seconds, Side, check, decoded

READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # O_NONBLOCK: opening a pipe would wait
# Live files are locked like record files by open file description locks (fcntl(2)), or by flock() without GET_LOCK.
GET_LOCK = getattr(fcntl, "F_OFD_GETLK", None)
WHOLE_FILE = json_lines.whole_file(fcntl.F_WRLCK)
LONGEST_LINE = 1 << 16  # the most bytes of a line that are read
LONGEST_MOVE = 1000  # the most bytes of a line for a move
SHORT_REPORT = ("value", "depth", "iterations", "proven")  # if a report is too long, only these keys are written
GameId = Annotated[str, Meta(max_length=100)]
LARGEST_BYTES = 10**6  # a file that is larger is rewritten with the running games only
WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
NEW = ".new"  # the suffix of a file that will replace another file
TRIES, PAUSE_S = 10, 0.01  # how often, and with which pause, to check whether another run still locks the file
Play = Callable[[Sequence[Contestant], GamePlan, Observer | None, threading.Event | None], GameRecord]
P = ParamSpec("P")
COMPARED_BYTES = 256  # the last bytes read are compared at each refresh(): they differ if the file was rewritten
__all__ = ["Changes", "Follower", "LiveGame", "is_running"]

MOST_GAMES = 1000  # the most games at a time that are followed
LARGEST_READ = 64 * 2**20  # bytes; a file that a judge has written has only a few megabytes, even with MOST_GAMES games
MOST_DAMAGED = 1000  # after so many lines that are not records, a file is not read further
MOST_MOVES = 10_000  # moves of a game; a judge does not write more


def live_path(record: str | os.PathLike[str]) -> Path:
    """Return the path of the live file that belongs to a record file. Either file may not exist."""
    return Path(os.path.realpath(record) + LIVE_SUFFIX)


def is_running(record: str | os.PathLike[str]) -> bool:
    """Return whether a run that writes to this record file is going on."""
    try:
        descriptor = os.open(live_path(record), READ_FLAGS)
    except OSError:
        return False
    try:
        return is_locked(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> None:
    """Lock an open file until it is closed. `descriptor` must be open for writing.

    Raises OSError if another process holds the lock.
    """
    if GET_LOCK is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif not json_lines.lock_whole(descriptor):
        raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))


def is_locked(descriptor: int) -> bool:
    """Return whether the open live file is locked, which means that the process that writes it is alive.

    Returns False if the system cannot say so.
    """
    try:
        if GET_LOCK is not None:
            (lock_type,) = struct.unpack_from("h", fcntl.fcntl(descriptor, GET_LOCK, WHOLE_FILE))
            return bool(lock_type != fcntl.F_UNLCK)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


class Begun(Struct, tag_field="event", tag="begun"):
    """A game has begun, which has the number `index` in the run, from 0. The other fields are those of its record."""

    id: GameId
    index: Count
    game: str
    board: dict[str, Any]
    players: tuple[Player, Player]
    first: Side
    limit_s: Seconds | None
    pair: Integer | None
    seed: Integer | None
    started: str

    @property
    def record(self) -> GameRecord:
        """The game as the record of a VOID game without moves."""
        return GameRecord(
            game=self.game,
            board=self.board,
            players=self.players,
            first=self.first,
            moves=(),
            winner=None,
            termination=Termination.VOID,
            at_fault=None,
            started=self.started,
            finished=self.started,
            judge_version="",
            seed=self.seed,
            pair=self.pair,
            extra={"id": self.id, "index": self.index, "limit_s": self.limit_s, "reason": ""},
        )


class Moved(Move, frozen=True, kw_only=True, tag_field="event", tag="moved"):
    """A move was made, which is ply number `ply` of the game, from 1."""

    id: GameId
    ply: Count

    @property
    def move_made(self) -> Move:
        """The move as the game's record has it."""
        return Move(self.side, self.move, self.wall_s, self.cpu_s, self.report)


class Ended(Struct, tag_field="event", tag="ended"):
    """A game has ended. Its record is in the record file, or the game was discarded."""

    id: GameId


Event = Begun | Moved | Ended


def begun_line(game_id: str, plan: GamePlan, contestants: Sequence[Contestant], started: str) -> bytes:
    """Return the line for the beginning of a game. `started` is the time in the form of ISO 8601."""
    return _line(
        "begun",
        game_id,
        index=plan.index,
        game=plan.game,
        board=plan.board.as_json(),
        players=[{"name": player.name, "command": player.command, "version": player.version} for player in contestants],
        first=plan.first,
        limit_s=plan.conditions.limit_s,
        pair=plan.pair,
        seed=plan.seed,
        started=started,
    )


def moved_line(game_id: str, ply: int, move: Move) -> bytes:
    """Return the line for a move, which is ply number `ply` of the game, from 1.

    If the line would be longer than LONGEST_MOVE bytes, only the keys SHORT_REPORT of the bot's report are written. If
    the line would still be too long, no report is written.
    """
    report = move.report
    short_report = None if report is None else {name: report[name] for name in SHORT_REPORT if name in report}
    for written_report in (report, short_report, None):
        line = _line("moved", game_id, **{**structs.asdict(move), "report": written_report}, ply=ply)
        if len(line) <= LONGEST_MOVE:
            break
    return line


def ended_line(game_id: str) -> bytes:
    """Return the line for the end of a game."""
    return _line("ended", game_id)


def _line(event: str, game_id: str, **fields: Any) -> bytes:
    """Return the line of an event, with its newline."""
    content = {"event": event, "id": game_id, **fields}
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("\x7f", "\\u007f").encode("ascii") + b"\n"


def read_event(line: bytes) -> Event | None:
    """Return the event in a line, or None if the line is invalid."""
    try:
        event: Event = decoded(line, Event, MOST_NESTED)  # type: ignore[arg-type]  # a union is a type for msgspec
        if not isinstance(event, Ended):
            check(event.board if isinstance(event, Begun) else event.report, MOST_NESTED - 1)
    except RecordError:
        return None
    return event


def _safely(act: Callable[Concatenate["LiveWriter", P], None]) -> Callable[Concatenate["LiveWriter", P], None]:
    """Decorate the method `act` of LiveWriter, so that one thread at a time runs it.

    If the method fails, the error is reported and the live file is removed. After that, calls do nothing.
    """

    @functools.wraps(act)
    def act_safely(writer: "LiveWriter", *arguments: P.args, **named: P.kwargs) -> None:
        with writer._lock:
            if not writer._is_silent:
                writer._safe_caller.run(act, writer, *arguments, **named)
                if writer._safe_caller.has_failed:
                    writer._remove()

    return act_safely


class LiveWriter:
    """Writes the live file of one run. Use it as a context manager around the run. Thread-safe.

    `record` is the path of the run's record file. The live file is created with the first game or by open(), and is
    removed at the end of the run. If another run already writes to the live file, this writer does nothing.
    """

    def __init__(self, record: str | os.PathLike[str]) -> None:
        self._path = live_path(record)
        self._lock = threading.Lock()
        self._safe_caller = SafeCaller(
            marked("note: the games go on, but nobody can watch the games while they are played: {error}")
        )
        self._descriptor: int | None = None
        self._size = self._size_when_new = 0  # of the live file in bytes: now, and when it was last replaced
        self._running: dict[str, list[bytes]] = {}  # {id of a running game: its lines}
        self._folders: list[Path] = []  # the folders that were created for the file, the innermost first
        self._is_silent = False

    def __enter__(self) -> "LiveWriter":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._remove()

    def playing(self, play: Play) -> Play:
        """Return a function that calls play(contestants, plan, observer, stop) and writes the game's events.

        The returned function takes the same arguments and also calls the observer that it is given. When it has
        returned a record, the caller must append the record to the record file and then call ended().
        """

        def play_and_write(
            contestants: Sequence[Contestant],
            plan: GamePlan,
            observer: Observer | None,
            stop: threading.Event | None,
        ) -> GameRecord:
            live_observer = self.observer(contestants)
            both = live_observer if observer is None else ObserverGroup([observer, live_observer])
            try:
                return play(contestants, plan, both, stop)
            except BaseException:
                live_observer.discarded()
                raise

        return play_and_write

    @_safely
    def open(self) -> None:
        """Create the file before the first game, to show that a run goes on.

        A run needs this if, for example, its games are played on other machines, so that no events are written here.
        """
        if not self._is_in_place():
            self._begin()

    def observer(self, contestants: Sequence[Contestant]) -> "GameObserver":
        """Return an Observer that writes the events of one game between these contestants."""
        return GameObserver(self, contestants)

    @_safely
    def begun(self, game_id: str, line: bytes) -> None:
        """Write `line`, which begun_line() has made for the game with the id `game_id`."""
        if not self._is_in_place():
            self._begin()
        if not self._is_silent:
            self._running[game_id] = [line]
            self._write(line)

    @_safely
    def moved(self, game_id: str, line: bytes) -> None:
        """Write `line`, which moved_line() has made for the game with the id `game_id`."""
        if game_id in self._running:
            self._running[game_id].append(line)
            self._write(line)

    @_safely
    def ended(self, game_id: str) -> None:
        """Write that the game with the id `game_id` has ended: it is in the record file, or it was discarded."""
        if self._running.pop(game_id, None) is not None:
            self._write(ended_line(game_id))

    def _is_in_place(self) -> bool:
        """Return whether the path still leads to the open file, which another program may have removed or replaced."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def _begin(self) -> None:
        """Create the live file, or replace a live file that a killed judge has left.

        If another run has locked the live file, nothing is written from now on.
        """
        for attempt in range(TRIES):
            time.sleep(PAUSE_S if attempt else 0.0)
            if not self._is_taken():
                self._write_anew()
                return
        self._is_silent = True

    def _is_taken(self) -> bool:
        """Return whether another run has locked the live file.

        Raises OSError if the file with this name is no live file. An empty file counts as a live file.
        """
        try:
            descriptor = os.open(self._path, READ_FLAGS)
        except FileNotFoundError:
            return False
        try:
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
            if not is_file or os.read(descriptor, len(LIVE_LINE_START)) not in (b"", LIVE_LINE_START):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self._path))
            return is_locked(descriptor)
        finally:
            os.close(descriptor)

    def _write_anew(self) -> None:
        """Replace the live file by a new file that has only the running games.

        The new file is written and locked before it is renamed. Then the previous file is closed.
        """
        self._make_folder()
        new_path = f"{self._path}{NEW}"
        descriptor = os.open(new_path, WRITE_FLAGS | os.O_TRUNC, 0o644)
        try:
            lock(descriptor)
            lines = b"".join(line for game in self._running.values() for line in game)
            _write_whole(descriptor, lines)
            os.rename(new_path, self._path)
        except BaseException:
            os.close(descriptor)
            with contextlib.suppress(OSError):
                os.unlink(new_path)
            raise
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._size, self._size_when_new = descriptor, len(lines), len(lines)

    def _make_folder(self) -> None:
        """Create the folder of the live file, and remember which folders were created."""
        created = [folder for folder in self._path.parents if not folder.exists()]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._folders = [*created, *self._folders]

    def _write(self, line: bytes) -> None:
        """Append a line. If the file has become too large, replace it by one with the running games only."""
        assert self._descriptor is not None
        _write_whole(self._descriptor, line)
        self._size += len(line)
        if self._size > max(LARGEST_BYTES, 2 * self._size_when_new):
            self._write_anew()

    def _remove(self) -> None:
        """Remove the live file, and the folders created for it that are empty. Nothing is written afterwards."""
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
    """Passes the events of one game to a LiveWriter."""

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
        """Write that the game has ended, because it was interrupted and will have no record."""
        self._writer.ended(self._game_id)


def _write_whole(descriptor: int, data: bytes) -> None:
    """Write `data` by one write(). Raises OSError if only a part of `data` was written."""
    if os.write(descriptor, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class GrowingFile:
    """Reads each line of a growing file once.

    The file stays open as long as the path leads to it, so that its inode number is not reused. A line that is longer
    than `longest_line` bytes is cut off. A link at `path` counts as no file.
    """

    def __init__(self, path: str | os.PathLike[str], longest_line: int) -> None:
        self._path, self._longest_line = os.fspath(path), longest_line
        self._file: BinaryIO | None = None
        self._offset, self._last_bytes = 0, b""  # how far the file was read, and the last bytes read
        self._state: tuple[int, int] | None = None  # (size, time of change in ns) when the file was read to its end

    def refresh(self) -> bool:
        """Open the file if it is not open, or open it anew if it was replaced or rewritten.

        Returns True if the lines read before need not be in the file any more. The caller must forget these lines.
        """
        try:
            status = os.stat(self._path, follow_symlinks=False)
        except OSError:
            status = None
        is_replaced = self._file is not None and (status is None or not self._is_same(status))
        has_lost_lines = is_replaced and self._offset > 0
        if is_replaced:
            self.close()
        if self._file is None and status is not None and stat.S_ISREG(status.st_mode):
            self._open()
        return has_lost_lines

    def _is_same(self, status: os.stat_result) -> bool:
        """Return whether the file at the path, with this status, is the open file and still has the bytes read last."""
        descriptor = self.fileno()
        if not os.path.samestat(status, os.fstat(descriptor)) or status.st_size < self._offset:
            return False
        return os.pread(descriptor, len(self._last_bytes), self._offset - len(self._last_bytes)) == self._last_bytes

    def _open(self) -> None:
        """Open the file, unless it is not readable or not a regular file."""
        try:
            descriptor = os.open(self._path, READ_FLAGS)
        except OSError:  # the file is not readable, or no longer exists
            return
        self._file = open(descriptor, "rb")  # noqa: SIM115  # until it is replaced
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            self.close()

    @property
    def is_open(self) -> bool:
        """Whether the file is open."""
        return self._file is not None

    def fileno(self) -> int:
        """Return the descriptor of the file. Precondition: the file is open."""
        assert self._file is not None
        return self._file.fileno()

    def lines(self) -> Iterator[bytes]:
        """Yield the new complete lines, without their newlines. Yields nothing if the file is not open.

        A last line without a newline is complete if it is a JSON object: an editor may have left it so.
        """
        if self._file is None:
            return
        status = os.fstat(self.fileno())
        if self._state == (status.st_size, status.st_mtime_ns):
            return
        self._file.seek(self._offset)
        while line := self._file.readline(self._longest_line + 1):
            if len(line) <= self._longest_line and not line.endswith(b"\n") and not _is_complete(line):
                break
            # The line before may have been yielded without its newline, which has come now.
            is_late_newline = line == b"\n" and self._last_bytes.endswith(b"}")
            self._advance(line)
            part = line
            while part and not part.endswith(b"\n"):  # skip the rest of a line that is too long
                part = self._file.readline(self._longest_line + 1)
                self._advance(part)
            if not is_late_newline:
                yield line.removesuffix(b"\n")
        self._state = (status.st_size, status.st_mtime_ns)

    def _advance(self, data: bytes) -> None:
        """Note that the bytes `data` of the file were read."""
        self._offset += len(data)
        self._last_bytes = (self._last_bytes + data)[-COMPARED_BYTES:]

    def close(self) -> None:
        """Close the file. The file that refresh() opens next is read from its beginning."""
        if self._file is not None:
            self._file.close()
        self._file, self._offset, self._last_bytes, self._state = None, 0, b"", None


def _is_complete(line: bytes) -> bool:
    """Return whether a line without its newline is complete, which means that it is a JSON object."""
    with contextlib.suppress(ValueError, RecursionError):
        return line.endswith(b"}") and isinstance(json.loads(line), dict)
    return False


@dataclass(frozen=True)
class LiveGame:
    """A game that is being played.

    `id` is the id that the game's record will have, and `index` is the game's number in the run, from 0. `begun`
    describes the game before the first move.
    """

    id: str
    index: int
    begun: GameRecord
    moves: tuple[Move, ...] = ()

    @cached_property
    def record(self) -> GameRecord:
        """The game so far, as the record of a VOID game without a reason."""
        return self.begun.changed(moves=self.moves)


@dataclass(frozen=True)
class Changes:
    """What Follower.poll() returns: the new records, {id: live game} of all live games, and whether a run goes on.

    If `reset` is True, the record file was replaced. The caller must forget earlier records, and `records` has all
    records of the new file.
    """

    records: list[GameRecord]
    live: dict[str, LiveGame]
    is_running: bool
    reset: bool


class Follower:
    """Follows the record file at a path, and the live file beside it. Both may be missing.

    If the path is a link, its target is followed, and a link that takes the place of the target is not.
    Lines that are no valid records are skipped. `error` is the error in the first such line, or None if there is none.
    After `most_damaged` such lines nothing more is read, because the file is probably no record file.
    """

    def __init__(self, path: str | os.PathLike[str], most_damaged: int = MOST_DAMAGED) -> None:
        self._path, self._most_damaged = Path(path), most_damaged
        self._records = GrowingFile(os.path.realpath(path), LONGEST_RECORD)
        self._live = _LiveGames(live_path(path))
        self._recorded: set[str] = set()  # the ids of all records that poll() has returned
        self._lines_read = self._damaged_lines = 0
        self.error: RecordError | None = None

    def poll(self) -> Changes:
        """Read the files on and return what is new. The call is fast if nothing is new.

        Once the record of a game was in `records` of a returned value, the game is not in `live` any more.
        """
        # Live games are read first, because a game's record is written before the event that ends the game.
        live, is_running = self._live.poll()
        reset = self._records.refresh()
        if reset:
            self._recorded.clear()
            self._lines_read, self._damaged_lines, self.error = 0, 0, None
        records = self._new_records()
        self._recorded.update(str(record.extra.get("id")) for record in records)
        running = {game.id: game for game in live if game.id not in self._recorded}
        return Changes(records, running, is_running, reset)

    def close(self) -> None:
        """Close the files."""
        self._records.close()
        self._live.close()

    def _new_records(self) -> list[GameRecord]:
        """Read the record file on, and return the new records."""
        records: list[GameRecord] = []
        lines = self._records.lines()
        while self._damaged_lines < self._most_damaged and (line := next(lines, None)) is not None:
            record = self._read(line)
            if record is not None:
                records.append(record)
        return records

    def _read(self, line: bytes) -> GameRecord | None:
        """Return the record in a line, or None if the line is not a valid record. Such a line is counted."""
        self._lines_read += 1
        try:
            return json_lines.value_in_line(self._path, self._lines_read, line, GameRecord.from_json)
        except RecordError as error:
            self._damaged_lines += 1
            self.error = self.error or error
            return None


class _LiveGames:
    """Follows the live games in a live file."""

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path, LONGEST_LINE)
        self._games: dict[str, LiveGame] = {}

    def poll(self) -> tuple[list[LiveGame], bool]:
        """Read new events. Returns (the live games in the order in which they began, whether a run goes on).

        If the file is larger than LARGEST_READ, there are no live games.
        """
        if self._file.refresh():
            self._games.clear()
        if not self._file.is_open or not is_locked(self._file.fileno()):
            return [], False
        if os.fstat(self._file.fileno()).st_size > LARGEST_READ:
            return [], True
        moves: dict[str, list[Move]] = {}  # {id of a game that has new moves: the list of all its moves}
        for line in self._file.lines():
            event = read_event(line)
            if event is not None:
                self._handle(event, moves)
        for game_id, all_moves in moves.items():
            self._games[game_id] = dataclasses.replace(self._games[game_id], moves=tuple(all_moves))
        return list(self._games.values()), True

    def _handle(self, event: Event, moves: dict[str, list[Move]]) -> None:
        """Add the game that has begun, remove the game that has ended, or append a move to its list in `moves`.

        poll() describes `moves`. Events that do not fit the game are ignored, such as a move with a wrong ply.
        """
        game = self._games.get(event.id)
        if isinstance(event, Ended):
            self._games.pop(event.id, None)
            moves.pop(event.id, None)
        elif isinstance(event, Begun):
            if game is None and len(self._games) < MOST_GAMES:
                self._games[event.id] = LiveGame(event.id, event.index, event.record)
        elif game is not None:
            all_moves = moves.setdefault(event.id, list(game.moves))
            if event.ply == len(all_moves) + 1 <= MOST_MOVES:
                all_moves.append(event.move_made)

    def close(self) -> None:
        self._file.close()
        self._games.clear()
