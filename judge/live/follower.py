"""Follows a run by its record file and the file of running games beside it, as they grow; asks nothing of the judge."""

import dataclasses
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from judge.live.events import LONGEST_LINE, Begun, Ended, Event, read_event
from judge.live.growing_file import GrowingFile
from judge.live.live_file import is_held, is_running, live_path
from protocol.records.lines import LONGEST_LINE as LONGEST_RECORD
from protocol.records.record import GameRecord, Move, RecordError, record_in_line

__all__ = ["Changes", "Follower", "LiveGame", "is_running"]

MOST_GAMES = 1000  # at a time, and
MOST_MOVES = 10_000  # of one: more are no judge's


@dataclass(frozen=True)
class LiveGame:
    """A game that is being played: its id, the one that its record will have, and its number in the run, from 0."""

    id: str
    index: int
    begun: GameRecord
    moves: tuple[Move, ...] = ()

    @cached_property
    def record(self) -> GameRecord:
        """The moves so far as a record: of a game that ended as VOID, without a reason."""
        return dataclasses.replace(self.begun, moves=self.moves)


@dataclass(frozen=True)
class Changes:
    """What poll() has found: the records that are new, all games that are being played, by their ids, and whether a run
    goes on. `reset`: what was told before holds no more, and all that there is is told again.
    """

    records: list[GameRecord]
    live: dict[str, LiveGame]
    is_running: bool
    reset: bool


class Follower:
    """Follows the record file at a path, whether it is there yet or not.

    `error` is the first of its lines that is no record, None where all are: such lines are left out.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._records = GrowingFile(path, LONGEST_RECORD)
        self._live = _LiveGames(live_path(path))
        self._recorded: set[str] = set()  # the ids of all records handed out
        self._lines = 0
        self._lacks_newline = False
        self.error: RecordError | None = None

    def poll(self) -> Changes:
        """Look what is new; takes as long as it takes to read that, and next to nothing where nothing is.

        A game is `live` until its record is among the `records`, and never again after that.
        """
        # In this order: who ends a game has written its record before.
        live, is_running = self._live.poll()
        reset = self._records.look()
        if reset:
            self._recorded.clear()
            self._lines, self._lacks_newline, self.error = 0, False, None
        found = self._new_records()
        self._recorded.update(str(record.extra.get("id")) for record in found)
        running = {game.id: game for game in live if game.id not in self._recorded}
        return Changes(found, running, is_running, reset)

    def close(self) -> None:
        """Let go of the files."""
        self._records.close()
        self._live.close()

    def _new_records(self) -> list[GameRecord]:
        found = []
        for line in self._records.lines():
            if self._lacks_newline and not line:  # it has come by now
                self._lacks_newline = False
                continue
            self._lacks_newline = False
            record = self._read(line)
            if record is not None:
                found.append(record)
        last = self._last_without_newline()
        return found if last is None else [*found, last]

    def _read(self, line: bytes) -> GameRecord | None:
        self._lines += 1
        try:
            return record_in_line(self._path, self._lines, line)
        except RecordError as error:
            self.error = self.error or error
            return None

    def _last_without_newline(self) -> GameRecord | None:
        """The record behind the last newline, if it is whole, as editors leave one; a torn one is waited for."""
        rest = self._records.rest
        if not rest.endswith(b"}"):
            return None
        try:
            record = GameRecord.from_json(rest)
        except RecordError:
            return None
        self._records.take_rest()
        self._lines += 1
        self._lacks_newline = True
        return record


class _LiveGames:
    """The games of a file of running games."""

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path, LONGEST_LINE, os.O_NOFOLLOW)
        self._games: dict[str, LiveGame] = {}

    def poll(self) -> tuple[list[LiveGame], bool]:
        """The games that are being played, in the order in which they began, and whether a run goes on."""
        if self._file.look():
            self._games.clear()
        if not self._file.is_open or not is_held(self._file.fileno()):
            return [], False
        for line in self._file.lines():
            event = read_event(line)
            if event is not None:
                self._take(event)
        return list(self._games.values()), True

    def _take(self, event: Event) -> None:
        game = self._games.get(event.game_id)
        if isinstance(event, Ended):
            self._games.pop(event.game_id, None)
        elif isinstance(event, Begun):
            if game is None and len(self._games) < MOST_GAMES:
                self._games[event.game_id] = LiveGame(event.game_id, event.index, event.record)
        elif game is not None and event.ply == len(game.moves) + 1 <= MOST_MOVES:
            self._games[event.game_id] = dataclasses.replace(game, moves=(*game.moves, event.move))

    def close(self) -> None:
        self._file.close()
        self._games.clear()
