"""What a page needs of a record file at once, game by game: the list and the totals. Reports are not kept."""

import contextlib
import dataclasses
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any

from judge import language
from judge.pages.page import GROUP
from judge.pages.rows import Rows, Source
from judge.pages.totals import totals_json
from judge.terminal import printable
from protocol.records.record import GameRecord, Move

KEPT_ENDS = 1000  # for the pace
TOTALS_PERIOD_S = 1.0
TOTALS_SHARE = 50  # times as long as they take is waited before they are worked out again,
LONGEST_WAIT_S = 10.0  # but no longer than this: the first time takes what scipy takes to be loaded


class RecordSummary:
    """The games of one file so far; `name` is the file's. clock: seconds."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name, self._clock = name, clock
        self._rows = Rows()
        self._sources: list[Source] = []
        self._totals: dict[str, Any] = {}
        self._totals_of = self._told_of = -1  # how many games they are of, and those that were told of
        self._due = 0.0
        self.ends: deque[float] = deque(maxlen=KEPT_ENDS)  # when the latest games ended, in seconds since 1970

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, record: GameRecord) -> dict[str, Any]:
        """Add a game; its row and what comes with it, as Rows.add() has them, and its `index`."""
        index = len(self._rows)
        with contextlib.suppress(TypeError, ValueError):  # others' records may have any text there
            self.ends.append(datetime.fromisoformat(record.finished or "").timestamp())
        self._sources.append(Source(0, index + 1, _without_reports(record)))
        return {**self._rows.add(Source(0, index + 1, record)), "index": index}

    def totals(self) -> dict[str, Any]:
        """What the games add up to."""
        if self._totals_of != len(self._sources):
            began = self._clock()
            self._totals, self._totals_of = totals_json(self._sources), len(self._sources)
            now = self._clock()
            self._due = now + min(max(TOTALS_PERIOD_S, TOTALS_SHARE * (now - began)), LONGEST_WAIT_S)
        return self._totals

    def new_totals(self, are_last: bool = False) -> dict[str, Any] | None:
        """The totals where they have changed and it is time to tell of them, as it is for the last ones; else None."""
        if self._told_of == len(self._sources) or not (are_last or self._clock() >= self._due):
            return None
        self._told_of = len(self._sources)
        return self.totals()

    def as_json(self) -> dict[str, Any]:
        """As page.summary_json() has it, without the words."""
        return {
            "files": [printable(self._name)],
            "first": 0,
            "group": GROUP,
            "language": language.spoken(),
            "list": self._rows.json(),
            "totals": self.totals(),
        }


def _without_reports(record: GameRecord) -> GameRecord:
    """The record as far as totals go: bots' reports are most of its memory."""
    moves = tuple(Move(move.side, move.move, move.wall_s) for move in record.moves)
    return dataclasses.replace(record, moves=moves)
