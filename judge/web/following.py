"""Follows record files while they grow. What is new in a file is read once and sent to all pages that watch it."""

import asyncio
import contextlib
import functools
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from judge import language
from judge.games.positions import IllegalMove
from judge.language import marked
from judge.live import Changes, Follower, LiveGame
from judge.runs import record_file
from judge.terminal import printable
from judge.web.answers import CONFLICT, encoded, refusal
from judge.web.record_data import TIME_DIGITS, PositionHistory, Rows, Source, game_json, report_columns
from judge.web.record_page import GROUP
from judge.web.records import error_refusal
from judge.web.texts import Texts, in_each
from judge.web.totals import totals_json
from protocol.records.record import GameRecord, Move, RecordError

KEPT_ENDS = 1000  # the pace of a run follows from the times at which the latest so many games ended
TOTALS_PERIOD_S = 1.0
TOTALS_SHARE = 50  # after computing totals wait this many times as long as it took before computing them again
LONGEST_WAIT_S = 10.0  # the longest such wait; it matters the first time, when loading scipy takes long
MOST_WAITING = 200  # messages that are kept for pages that read slowly
Message = dict[str, Any]
PERIOD_S = 0.15  # the time between two polls of a file
MOST_FOLLOWED = 16


class RecordSummary:
    """The list and the totals of the games that one record file has so far.

    `name` is the file's name. clock() returns a time in seconds.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name, self._clock = name, clock
        self._rows = Rows()
        self._sources: list[Source] = []
        self._totals: dict[str, Any] = {}
        # Numbers of games: when the totals were last computed, and when totals_if_due() last returned them.
        self._computed_for = self._returned_for = -1
        self._due = 0.0  # the time of the clock from which on totals may be computed again
        self.ends: deque[float] = deque(maxlen=KEPT_ENDS)  # when the latest games ended, in seconds since 1970

    def add(self, record: GameRecord) -> dict[str, Any]:
        """Add a game. Returns what Rows.add() returns for the game, and also the game's `index` in the file, from 0."""
        index = len(self._rows)
        with contextlib.suppress(TypeError, ValueError):  # records of other programs may have any text there
            self.ends.append(datetime.fromisoformat(record.finished or "").timestamp())
        self._sources.append(Source(0, index + 1, _without_reports(record)))
        return {**self._rows.add(Source(0, index + 1, record)), "index": index}

    def totals(self) -> dict[str, Any]:
        """Return the totals of the games added so far, as totals_json() describes them."""
        if self._computed_for != len(self._sources):
            began = self._clock()
            self._totals, self._computed_for = totals_json(self._sources), len(self._sources)
            now = self._clock()
            self._due = now + min(max(TOTALS_PERIOD_S, TOTALS_SHARE * (now - began)), LONGEST_WAIT_S)
        return self._totals

    def totals_if_due(self, are_last: bool = False) -> dict[str, Any] | None:
        """Return the totals if a game was added since the last call that returned totals, else None.

        Also returns None if the totals were last computed too short a time ago, unless `are_last` is True.
        """
        is_due = are_last or self._clock() >= self._due
        if self._returned_for == len(self._sources) or not is_due:
            return None
        self._returned_for = len(self._sources)
        return self.totals()

    def as_json(self) -> dict[str, Any]:
        """Return the same JSON as record_page.summary_json(), without the texts of the page."""
        return {
            "files": [printable(self._name)],
            "first": 0,
            "group": GROUP,
            "language": language.current_language(),
            "list": self._rows.json(),
            "totals": self.totals(),
        }


def _without_reports(record: GameRecord) -> GameRecord:
    """Return the record without the bots' reports and CPU times.

    The totals need neither, and the reports would take most of the memory.
    """
    moves = tuple(Move(move.side, move.move, move.wall_s) for move in record.moves)
    return record.changed(moves=moves)


class Channel:
    """Makes the messages to pages about one file that is followed. Only one thread at a time may use it.

    A page must get the text that summary() returns first, and then all texts that poll() returns. `place` is the file's
    path, `name` is how pages name the file, and clock() returns a time in seconds.
    """

    def __init__(self, place: Path, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._follower = Follower(place)
        self.name, self._clock = name, clock
        self._summary = RecordSummary(name, clock)
        self._live: dict[str, _SentGame] = {}
        self._is_running = False
        self._summary_text: str | None = None
        self._is_unread = True

    def close(self) -> None:
        """Close the file."""
        self._follower.close()

    @property
    def error(self) -> RecordError | None:
        """The error in the first line that is not a valid record, or None. All such lines are skipped."""
        return self._follower.error

    def record(self) -> Message:
        """Return the JSON content about the file, without its live games.

        `summary` describes the games that have ended, `is_running` says whether a run goes on, and `damage` is the
        first error in the file in each language, or None.
        """
        if self._is_unread:
            self.poll()
        return {"summary": self._summary.as_json(), "is_running": self._is_running, "damage": self._damage}

    @property
    def _damage(self) -> Texts | None:
        return None if self.error is None else in_each(functools.partial(record_file.in_words, self.error))

    def summary(self) -> str:
        """Return the message "summary": the result of record(), the live games, and the times at which games ended."""
        if self._summary_text is None:
            record = self.record()
            live = [game.begun() for game in self._live.values()]
            self._summary_text = encoded({"type": "summary", **record, "live": live, "ends": list(self._summary.ends)})
        return self._summary_text

    def poll(self) -> list[str]:
        """Read what is new in the file and return the messages about it as texts, in the order for pages.

        The messages are for pages that have received all earlier messages. If the file is read for the first time or
        was replaced, the only message is a new summary.
        """
        was_damaged = self.error is not None
        changes = self._follower.poll()
        if changes.reset or self._is_unread:
            self._start_again(changes)
            return [self.summary()]
        messages = self._new_records(changes) + self._new_moves(changes)
        has_ended = self._is_running and not changes.is_running
        if changes.is_running != self._is_running:
            self._is_running = changes.is_running
            messages.append({"type": "running", "is_running": self._is_running})
        if self.error is not None and not was_damaged:
            messages.append({"type": "damage", "damage": self._damage})
        totals = self._summary.totals_if_due(are_last=has_ended)
        if totals is not None:
            messages.append({"type": "totals", "totals": totals})
        if messages:
            self._summary_text = None
        return list(map(encoded, messages))

    def _start_again(self, changes: Changes) -> None:
        """Forget all games, and add those of `changes`, because the file is new or was replaced."""
        self._is_unread = False
        self._summary = RecordSummary(self.name, self._clock)
        for record in changes.records:
            self._summary.add(record)
        self._live = {game_id: _SentGame(game) for game_id, game in changes.live.items()}
        self._is_running = changes.is_running
        self._summary_text = None

    def _new_records(self, changes: Changes) -> list[Message]:
        """Add the games that have ended, and return the messages `ended` about them."""
        messages: list[Message] = []
        for record in changes.records:
            game = self._live.pop(str(record.extra.get("id")), None)
            game_id = None if game is None else game.id
            messages.append({"type": "ended", "id": game_id, **self._summary.add(record)})
        return messages

    def _new_moves(self, changes: Changes) -> list[Message]:
        """Return the messages `dropped`, `begun` and `moved` about live games, and count their moves as sent."""
        gone = [game_id for game_id in self._live if game_id not in changes.live]
        messages: list[Message] = [{"type": "dropped", "id": game_id} for game_id in gone]
        for game_id in gone:
            del self._live[game_id]
        for game_id, game in changes.live.items():
            sent = self._live.get(game_id)
            if sent is not None and len(sent) == len(game.moves):
                continue
            message = None if sent is None else sent.moved(game)
            if message is None:
                self._live[game_id] = _SentGame(game)
                message = {"type": "begun", "live": self._live[game_id].begun()}
            messages.append(message)
        return messages


class _SentGame:
    """A live game with those of its moves that were sent to pages so far. len() is the number of these moves."""

    def __init__(self, game: LiveGame) -> None:
        self.id = game.id
        self._game = game
        self._history: PositionHistory | None = None
        try:
            history = PositionHistory(game.record)
            for move in game.moves:
                history.add(move.move)
            self._history = history
        except (ValueError, IllegalMove):
            pass  # a judge would not have written this game; game_json() reports the error

    def __len__(self) -> int:
        return len(self._game.moves)

    def begun(self) -> Message:
        """Return the content of the message "begun", which tells pages about the whole game."""
        content = game_json(self._game.record, is_running=True)
        return {"id": self.id, "index": self._game.index, "game": content}

    def moved(self, game: LiveGame) -> Message | None:
        """Return the message "moved" with the moves of `game` that were not sent yet, and count these moves as sent.

        Returns None if the whole game has to be sent instead. `game` is the same game in its newest state.
        """
        sent = len(self)
        new_moves = game.moves[sent:]
        if self._history is None or not new_moves:
            return None
        try:
            for move in new_moves:
                self._history.add(move.move)
        except (ValueError, IllegalMove):
            return None
        self._game = game
        return {"type": "moved", "id": self.id, "from": sent, **_move_columns(new_moves), **self._history.after(sent)}


def _move_columns(moves: Sequence[Move]) -> Message:
    """Return `moves`, `sides`, `wall` and `reports` as game_json() has them, but only for these moves."""
    return {
        "moves": [str(move.move) for move in moves],
        "sides": "".join(move.side for move in moves),
        "wall": [round(move.wall_s, TIME_DIGITS) for move in moves],
        "reports": report_columns(moves),
    }


class Reader:
    """Reads one file for all pages that look at it. Only the event loop's thread may use it.

    While the texts() of a page are read, the file is polled. `pages` counts the pages that look at the file, and
    `is_over` becomes True if reading has failed.
    """

    def __init__(self, place: Path, name: str) -> None:
        self.pages = 0
        self.is_over = False
        self._channel = Channel(place, name)
        self._guard = asyncio.Lock()  # held while the channel is used
        self._latest: deque[str] = deque(maxlen=MOST_WAITING)  # the latest messages
        self._number = 0  # of all messages so far
        self._file_text = (-1, "")  # (the number of messages when record() made its text, this text)
        self._news = asyncio.Event()  # set, and replaced, when there are new messages
        self._watching: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def counting_page(self) -> Iterator[None]:
        """Count a page that looks at the file, as long as the `with` block runs."""
        self.pages += 1
        try:
            yield
        finally:
            self.pages -= 1

    def close(self) -> None:
        """Close the file."""
        self._channel.close()

    async def record(self) -> str:
        """Read what is new in the file. Return Channel.record() and the file's `path` as JSON text.

        Raises Refused if a line of the file is not a record.
        """
        async with self._guard:
            self._add(await run_in_threadpool(self._channel.poll))
            if self._channel.error is not None:
                raise error_refusal(self._channel.error)
            if self._file_text[0] != self._number:
                text = await run_in_threadpool(lambda: encoded({"path": self._channel.name, **self._channel.record()}))
                self._file_text = self._number, text
            return self._file_text[1]

    async def texts(self) -> AsyncGenerator[str, None]:
        """Yield a summary and then all further messages, until reading the file has failed.

        If the page reads too slowly, so that a message for it is no longer kept, another summary is yielded.
        """
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        sent: int | None = None  # how many messages the page has got; None before the first summary
        while not self.is_over:
            if sent is None or self._number - sent > len(self._latest):
                async with self._guard:
                    summary = await run_in_threadpool(self._channel.summary)
                    sent = self._number  # the summary stands for all messages so far
                yield summary
            elif sent < self._number:
                sent += 1
                yield self._latest[sent - 1 - self._number]
            else:
                await self._news.wait()

    async def _watch(self) -> None:
        """Poll the file every PERIOD_S seconds as long as pages look at it. A failure ends the reader."""
        try:
            while self.pages:
                async with self._guard:
                    self._add(await run_in_threadpool(self._channel.poll))
                await asyncio.sleep(PERIOD_S)
        except Exception:
            self.is_over = True
            self._add([""])  # wakes the pages, which then end
            logging.getLogger(__name__).exception("%s cannot be followed", self._channel.name)

    def _add(self, texts: list[str]) -> None:
        """Add new messages, and wake the pages that wait for them."""
        if texts:
            self._latest += texts
            self._number += len(texts)
            self._news.set()
            self._news = asyncio.Event()


class Readers:
    """The readers of the MOST_FOLLOWED files that pages have looked at last."""

    def __init__(self) -> None:
        self._readers: dict[tuple[Path, str], Reader] = {}

    def of(self, place: Path, name: str) -> Reader:
        """Return the reader of the file at `place`, which pages call `name`.

        Raises Refused if pages look at too many other files.
        """
        reader = self._readers.pop((place, name), None)
        if reader is None or reader.is_over:
            reader = Reader(place, name)
            if len(self._readers) >= MOST_FOLLOWED:
                unused = next((key for key, other in self._readers.items() if not other.pages), None)
                if unused is None:
                    raise refusal(
                        CONFLICT,
                        marked(
                            "pages already watch {number} record files, which is the most at a time: close one of "
                            "these pages, and try again"
                        ),
                        number=len(self._readers),
                    )
                self._readers.pop(unused).close()
        self._readers[place, name] = reader
        return reader
