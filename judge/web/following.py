"""Follows record files while they grow. What is new in a file is read once and sent to all pages that watch it."""

import asyncio
import contextlib
import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from judge import language
from judge.games.positions import IllegalMove
from judge.language import marked
from judge.live import MOST_DAMAGED, Changes, Follower, LiveGame
from judge.runs import record_file
from judge.terminal import printable
from judge.web.answers import CONFLICT, encoded, refusal
from judge.web.priority import lower
from judge.web.record_data import TIME_DIGITS, PositionHistory, Rows, Source, columns, game_json
from judge.web.record_page import GROUP
from judge.web.texts import Texts, in_each
from judge.web.totals import totals_json
from protocol.records.record import GameRecord, Move, RecordError

KEPT_ENDS = 1000  # the pace of a run follows from the times at which the latest so many games ended
TOTALS_PERIOD_S = 1.0
TOTALS_SHARE = 50  # after computing totals wait this many times as long as it took before computing them again
LONGEST_WAIT_S = 10.0  # the longest such wait; it matters the first time, when loading scipy takes long
MOST_WAITING = 200  # messages that may wait to be sent to one page
MOST_CHARACTERS = 1_000_000  # characters that these messages may have together
Message = dict[str, Any]
PERIOD_S = 0.15  # the time between two polls of a file
LINGER_S = 10.0  # how long a file is followed after its last page has gone, so that a reloaded page need not wait
MOST_FOLLOWED = 16
JOIN_S = 5.0  # how long to wait for all threads when the server ends: one may be reading a large file


class RecordSummary:
    """The list and the totals of the games that one record file has so far.

    `name` is the file's name. clock() returns seconds.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name, self._clock = name, clock
        self._rows = Rows()
        self._sources: list[Source] = []
        self._totals: dict[str, Any] = {}
        # Numbers of games: when the totals were last computed, and when new_totals() last returned them.
        self._totals_of = self._told_of = -1
        self._due = 0.0
        self.ends: deque[float] = deque(maxlen=KEPT_ENDS)  # when the latest games ended, in seconds since 1970

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, record: GameRecord) -> dict[str, Any]:
        """Add a game. Returns what Rows.add() returns for the game, and also the game's `index` in the file, from 0."""
        index = len(self._rows)
        with contextlib.suppress(TypeError, ValueError):  # records of other programs may have any text there
            self.ends.append(datetime.fromisoformat(record.finished or "").timestamp())
        self._sources.append(Source(0, index + 1, _without_reports(record)))
        return {**self._rows.add(Source(0, index + 1, record)), "index": index}

    def totals(self) -> dict[str, Any]:
        """Return the totals of the games added so far, as totals_json() describes them."""
        if self._totals_of != len(self._sources):
            began = self._clock()
            self._totals, self._totals_of = totals_json(self._sources), len(self._sources)
            now = self._clock()
            self._due = now + min(max(TOTALS_PERIOD_S, TOTALS_SHARE * (now - began)), LONGEST_WAIT_S)
        return self._totals

    def new_totals(self, are_last: bool = False) -> dict[str, Any] | None:
        """Return the totals if a game was added since the last call that returned totals, else None.

        Also returns None if the last computation of totals was too short a time ago, unless `are_last` is True.
        """
        if self._told_of == len(self._sources) or not (are_last or self._clock() >= self._due):
            return None
        self._told_of = len(self._sources)
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


class Listener:
    """The queue of texts to be sent to one page. Only the event loop's thread may use it.

    `is_behind` is True while the page needs a summary before it can use further texts. `is_over` is True once no more
    texts will be queued.
    """

    def __init__(self) -> None:
        self._texts: deque[str] = deque()
        self._characters = 0
        self._has_news = asyncio.Event()
        self.is_behind = True
        self.is_over = False

    def begin(self, summary: str) -> None:
        """Replace all queued texts by `summary`, which contains what they say, and accept further texts from now on."""
        self._clear()
        self.is_behind = False
        self._append(summary)

    def offer(self, text: str) -> None:
        """Queue a text. If too much is queued already, drop all queued texts, so that the page needs a summary.

        Nothing is queued while `is_behind` or `is_over` is True.
        """
        if self.is_behind or self.is_over:
            return
        if len(self._texts) >= MOST_WAITING or self._characters + len(text) > MOST_CHARACTERS:
            self._clear()
            self.is_behind = True
            self._has_news.set()
        else:
            self._append(text)

    def end(self) -> None:
        """Drop all queued texts and accept no more."""
        self._clear()
        self.is_over = True
        self._has_news.set()

    async def next(self) -> str | None:
        """Wait for the next text and return it. Returns None if a summary is needed, or if `is_over` is True."""
        while not self._texts:
            if self.is_behind or self.is_over:
                return None
            self._has_news.clear()
            await self._has_news.wait()
        text = self._texts.popleft()
        self._characters -= len(text)
        return text

    def _append(self, text: str) -> None:
        self._texts.append(text)
        self._characters += len(text)
        self._has_news.set()

    def _clear(self) -> None:
        self._texts.clear()
        self._characters = 0


class Channel:
    """Makes the messages to pages about one file that is followed. Only one thread at a time may use it.

    A page must get the text that summary() returns first, and then all texts that poll() returns. `place` is the file's
    path, and `name` is how pages name the file.
    """

    def __init__(
        self, place: Path, name: str, clock: Callable[[], float] = time.monotonic, most_damaged: int = MOST_DAMAGED
    ) -> None:
        self._follower = Follower(place, most_damaged)
        self._name, self._clock = name, clock
        self._summary = RecordSummary(name, clock)
        self._live: dict[str, _Live] = {}
        self._is_running = False
        self._text: str | None = None
        self._is_new = True

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
        if self._is_new:
            self.poll()
        return {"summary": self._summary.as_json(), "is_running": self._is_running, "damage": self._damage}

    @property
    def _damage(self) -> Texts | None:
        return None if self.error is None else in_each(functools.partial(record_file.in_words, self.error))

    def summary(self) -> str:
        """Return the message "summary": the result of record(), the live games, and the times at which games ended."""
        if self._text is None:
            record = self.record()
            live = [game.begun() for game in self._live.values()]
            self._text = encoded({"type": "summary", **record, "live": live, "ends": list(self._summary.ends)})
        return self._text

    def poll(self) -> list[str]:
        """Read what is new in the file and return the messages about it, in the order in which pages must get them.

        The messages are for pages that have received all earlier messages.
        """
        was_damaged = self.error is not None
        changes = self._follower.poll()
        if changes.reset or self._is_new:
            self._begin_anew(changes)
            return [self.summary()]
        messages = self._new_records(changes) + self._new_moves(changes)
        has_ended = self._is_running and not changes.is_running
        if changes.is_running != self._is_running:
            self._is_running = changes.is_running
            messages.append({"type": "running", "is_running": self._is_running})
        if self.error is not None and not was_damaged:
            messages.append({"type": "damage", "damage": self._damage})
        totals = self._summary.new_totals(are_last=has_ended)
        if totals is not None:
            messages.append({"type": "totals", "totals": totals})
        if messages:
            self._text = None
        return list(map(encoded, messages))

    def _begin_anew(self, changes: Changes) -> None:
        self._is_new = False
        self._summary = RecordSummary(self._name, self._clock)
        for record in changes.records:
            self._summary.add(record)
        self._live = {game_id: _Live(game) for game_id, game in changes.live.items()}
        self._is_running = changes.is_running
        self._text = None

    def _new_records(self, changes: Changes) -> list[Message]:
        messages: list[Message] = []
        for record in changes.records:
            game = self._live.pop(str(record.extra.get("id")), None)
            game_id = None if game is None else game.id
            messages.append({"type": "ended", "id": game_id, **self._summary.add(record)})
        return messages

    def _new_moves(self, changes: Changes) -> list[Message]:
        gone = [game_id for game_id in self._live if game_id not in changes.live]
        messages: list[Message] = [{"type": "dropped", "id": game_id} for game_id in gone]
        for game_id in gone:
            del self._live[game_id]
        for game_id, game in changes.live.items():
            known = self._live.get(game_id)
            if known is not None and len(known) == len(game.moves):
                continue
            moved = None if known is None else known.moved(game)
            if moved is None:
                known = self._live[game_id] = _Live(game)
                moved = {"type": "begun", "live": known.begun()}
            messages.append(moved)
        return messages


class _Live:
    """A live game with those of its moves that were sent to pages so far."""

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
        before = len(self)
        new = game.moves[before:]
        if self._history is None or not new:
            return None
        try:
            for move in new:
                self._history.add(move.move)
        except (ValueError, IllegalMove):
            return None
        self._game = game
        return {"type": "moved", "id": self.id, "from": before, **_columns_of(new), **self._history.after(before)}


def _columns_of(moves: Sequence[Move]) -> Message:
    """Return `moves`, `sides`, `wall` and `reports` as game_json() has them, but only for these moves."""
    return {
        "moves": [str(move.move) for move in moves],
        "sides": "".join(move.side for move in moves),
        "wall": [round(move.wall_s, TIME_DIGITS) for move in moves],
        "reports": columns(moves),
    }


class Following:
    """Polls one file in a thread, from start() to stop(). The event loop passes the messages on to all listeners.

    `channel` makes the messages, and report(line) reports an unexpected error.
    """

    def __init__(self, channel: Channel, loop: asyncio.AbstractEventLoop, report: Callable[[str], None]) -> None:
        self._channel, self._loop, self._report = channel, loop, report
        self.listeners: set[Listener] = set()
        self.is_over = False
        self._guard = threading.Lock()  # held while the channel polls or makes a summary
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)

    def start(self) -> None:
        """Start the thread, which polls the file."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end."""
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        """Wait at most `timeout_s` seconds until the thread has ended. Precondition: stop() was called."""
        self._thread.join(timeout_s)

    def bring_up(self, listener: Listener) -> None:
        """Queue a summary for a listener. The listener gets all later messages from then on.

        Do not call this method in the event loop's thread, because it may take long.
        """
        with self._guard:
            summary = self._channel.summary()
            self._in_loop(functools.partial(listener.begin, summary))

    def _run(self) -> None:
        lower()
        try:
            while not self._stop.wait(PERIOD_S):
                with self._guard:
                    texts = self._channel.poll()
                    if texts:
                        self._in_loop(functools.partial(self._deliver, texts))
        except Exception as error:
            self._report(f"{type(error).__name__}: {error}")
        finally:
            with self._guard:
                self._channel.close()
            self._in_loop(self._end)

    def _deliver(self, texts: list[str]) -> None:
        for listener in self.listeners:
            for text in texts:
                listener.offer(text)

    def _end(self) -> None:
        """End all listeners, so that no page waits forever."""
        self.is_over = True
        for listener in self.listeners:
            listener.end()

    def _in_loop(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(act)


class Followings:
    """The files that are followed. Only the event loop's thread may call its methods, except close()."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._found: dict[Path, Following] = {}

    def follow(self, place: Path, name: str, listener: Listener) -> Following:
        """Add a listener to the file at `place` and return the file's Following. A new Following is started.

        `name` is how pages name the file. Raises Refused if too many files are followed already.
        """
        following = self._found.get(place)
        if following is None or following.is_over:
            if len(self._found) >= MOST_FOLLOWED:
                raise refusal(
                    CONFLICT,
                    marked("{number} files are followed already: close a page that watches, and try again"),
                    number=len(self._found),
                )
            following = Following(Channel(place, name), asyncio.get_running_loop(), self._report)
            self._found[place] = following
            following.start()
        following.listeners.add(listener)
        return following

    def leave(self, place: Path, listener: Listener) -> None:
        """Remove a listener from the file at `place`.

        A file that has no listener for LINGER_S seconds is no longer followed.
        """
        following = self._found.get(place)
        if following is not None:
            following.listeners.discard(listener)
            if not following.listeners:
                asyncio.get_running_loop().call_later(LINGER_S, self._end_if_alone, place, following)

    def _end_if_alone(self, place: Path, following: Following) -> None:
        if not following.listeners and self._found.get(place) is following:
            del self._found[place]
            following.stop()

    def close(self) -> None:
        """Stop following all files, and wait up to JOIN_S seconds for the threads."""
        for following in self._found.values():
            following.stop()
        give_up = time.monotonic() + JOIN_S
        for following in self._found.values():
            following.join(max(0.0, give_up - time.monotonic()))
        self._found.clear()
