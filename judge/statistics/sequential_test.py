"""A sequential test fed with games in any order and decided on pairs in the order of the schedule.

Short games end first, so with several games at a time the order of arrival favours whoever wins quickly.
Only the pairs before the first unfinished one therefore count, one after the other, and the first verdict
stands whatever comes later.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from judge.statistics import score
from judge.statistics.llr import Hypotheses
from protocol.records.record import GameRecord

KEY = "sprt"  # of GameRecord.extra, where the games of a test keep its hypotheses


def as_json(hypotheses: Hypotheses) -> dict[str, Any]:
    """The hypotheses as records keep them."""
    return asdict(hypotheses)


def recorded(records: Sequence[GameRecord]) -> Hypotheses | None:
    """The hypotheses that the latest of the records keeps; None where it keeps none that can be tested."""
    kept = records[-1].extra.get(KEY) if records else None
    try:
        return Hypotheses(**kept) if isinstance(kept, dict) else None
    except (TypeError, ValueError):
        return None


class SequentialTest:
    """`hypotheses` (llr.Hypotheses) tested on pairs of records, seen from A.

    `counts` are the results of the pairs that count, `records` their games, `llr` the latest figure and
    `verdict` "H0", "H1" or None. A pair with a VOID game is left out.
    """

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.counts = [0] * 5
        self.records: list[GameRecord] = []
        self.llr = 0.0
        self.verdict: str | None = None
        self._unfinished: dict[int | None, list[GameRecord]] = {}
        self._next_pair = 0

    @property
    def pairs(self) -> int:
        """The number of pairs that count."""
        return sum(self.counts)

    def add(self, record: GameRecord) -> str | None:
        """Take in one more game; returns the verdict."""
        self._unfinished.setdefault(record.pair, []).append(record)
        while self.verdict is None and len(self._unfinished.get(self._next_pair, [])) == 2:
            self._count(self._unfinished.pop(self._next_pair))
            self._next_pair += 1
        return self.verdict

    def _count(self, pair: list[GameRecord]) -> None:
        results = [result for record in pair if (result := score.result(record)) is not None]
        if len(results) < len(pair):
            return
        self.counts[sum(results)] += 1
        self.records += pair
        self.llr = self.hypotheses.llr(self.counts)
        self.verdict = self.hypotheses.verdict(self.llr)
