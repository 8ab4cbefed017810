"""One followed file: what pages are sent of it, first all that there is and then what is new, as texts."""

import functools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from judge.games.positions import IllegalMove
from judge.live import Changes, Follower, LiveGame
from judge.pages.games import TIME_DIGITS, game_json
from judge.pages.languages import Texts, in_each
from judge.pages.positions import Course
from judge.pages.reports import columns
from judge.runs import record_file
from judge.server.answers import encoded
from judge.server.following.record_summary import RecordSummary
from protocol.records.record import Move, RecordError

Message = dict[str, Any]


class Channel:
    """What is known of a file; `name` is what pages call it. Not for several threads at a time.

    A page is sent summary(), and from then on all that poll() returns.
    """

    def __init__(self, place: Path, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._follower = Follower(place)
        self._name, self._clock = name, clock
        self._summary = RecordSummary(name, clock)
        self._live: dict[str, _Live] = {}
        self._is_running = False
        self._text: str | None = None
        self._is_new = True

    def close(self) -> None:
        """Let go of the file."""
        self._follower.close()

    @property
    def error(self) -> RecordError | None:
        """What is wrong with the first line that is no record; such lines are left out."""
        return self._follower.error

    def record(self) -> Message:
        """What there is of games that have ended, and what is wrong with the file, None where nothing is."""
        if self._is_new:
            self.poll()
        return {"summary": self._summary.as_json(), "is_running": self._is_running, "damage": self._damage}

    @property
    def _damage(self) -> Texts | None:
        return None if self.error is None else in_each(functools.partial(record_file.in_words, self.error))

    def summary(self) -> str:
        """All that there is."""
        if self._text is None:
            record = self.record()
            live = [game.begun() for game in self._live.values()]
            self._text = encoded({"type": "summary", **record, "live": live, "ends": list(self._summary.ends)})
        return self._text

    def poll(self) -> list[str]:
        """Look at the file: what is new for who knows all before, in its order."""
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
    """A game that is being played, as far as pages have been told of it."""

    def __init__(self, game: LiveGame) -> None:
        self.id = game.id
        self._game = game
        self._course: Course | None = None
        try:
            course = Course(game.record)
            for move in game.moves:
                course.add(move.move)
            self._course = course
        except (ValueError, IllegalMove):
            pass  # no judge's: game_json() says so

    def __len__(self) -> int:
        return len(self._game.moves)

    def begun(self) -> Message:
        """The whole game."""
        content = game_json(self._game.record, is_running=True)
        return {"id": self.id, "index": self._game.index, "game": content}

    def moved(self, game: LiveGame) -> Message | None:
        """What is new since; None where the game has to be told as a whole."""
        before = len(self)
        new = game.moves[before:]
        if self._course is None or not new:
            return None
        try:
            for move in new:
                self._course.add(move.move)
        except (ValueError, IllegalMove):
            return None
        self._game = game
        return {"type": "moved", "id": self.id, "from": before, **_columns_of(new), **self._course.after(before)}


def _columns_of(moves: Sequence[Move]) -> Message:
    """What game_json() has of moves, of these alone."""
    return {
        "moves": [str(move.move) for move in moves],
        "sides": "".join(move.side for move in moves),
        "wall": [round(move.wall_s, TIME_DIGITS) for move in moves],
        "reports": columns(moves),
    }
