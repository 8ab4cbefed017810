"""Counts of the results, endings and times of a match, from A's point of view."""

from __future__ import annotations

import collections
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # doctor runs where msgspec is missing
    from protocol.records.record import GameRecord

LOSS, DRAW, WIN = range(3)


class Score(NamedTuple):
    """The numbers of games that A lost, drew and won, in the order that elo.estimate() takes."""

    losses: int
    draws: int
    wins: int

    @property
    def games(self) -> int:
        """The number of games counted."""
        return self.losses + self.draws + self.wins

    @property
    def share(self) -> float | None:
        """A's share of the points, from 0 to 1, or None if there is no game. A draw counts half a point."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


def result(record: GameRecord) -> int | None:
    """Return A's result, LOSS, DRAW or WIN, or None for a VOID game."""
    if not record.termination.counts:
        return None
    return {"A": WIN, "B": LOSS, None: DRAW}[record.winner]


def score(records: Iterable[GameRecord]) -> Score:
    """Return the Score of the records. VOID games are not counted."""
    counts = collections.Counter(map(result, records))
    return Score(counts[LOSS], counts[DRAW], counts[WIN])


def percent(score: Score) -> str:
    """Return a text with A's share of the points in percent, or "-" if there is no game."""
    return "-" if score.share is None else f"{score.share:.1%}"


def rate_interval(score: Score) -> tuple[float, float]:
    """Return the 95 % interval (lower, upper) of the share of wins, rounded, by Wilson (1927).

    Precondition: there is a game.
    """
    from scipy.stats import binomtest  # here, because the import takes long, for which no other command must wait

    interval = binomtest(score.wins, score.games).proportion_ci(0.95, method="wilson")
    return round(float(interval.low), 4), round(float(interval.high), 4)


def judged_pairs(records: Iterable[GameRecord]) -> dict[int, list[GameRecord]]:
    """Return {number of a pair: the records of its two games} for each pair whose two games have results."""
    pairs: dict[int, list[GameRecord]] = collections.defaultdict(list)
    for record in records:
        if result(record) is not None and record.pair is not None:
            pairs[record.pair].append(record)
    return {number: pair for number, pair in sorted(pairs.items()) if len(pair) == 2}


def pair_counts(records: Iterable[GameRecord]) -> list[int]:
    """Return five numbers of pairs, by A's results in the two games: LL, LD, LW or DD, WD, WW.

    Only pairs whose two games have results are counted.
    """
    return _count_pairs(judged_pairs(records).values())


def pairs_that_count(records: Iterable[GameRecord]) -> list[int]:
    """Return pair_counts() without repeated pairs: of equal pairs only one is counted.

    Figures of strength are computed from these counts, because a repeated pair proves nothing new. Two pairs are equal
    if their boards, and the moves and results of their games, are equal.
    """
    return _count_pairs({course_of_pair(pair): pair for pair in judged_pairs(records).values()}.values())


def _count_pairs(pairs: Iterable[Sequence[GameRecord]]) -> list[int]:
    """Return the numbers of pairs in the form of pair_counts(). Precondition: both games of each pair have results."""
    counts = collections.Counter(sum(result(record) or LOSS for record in pair) for pair in pairs)
    return [counts[results] for results in range(5)]  # the sum of two results, each LOSS, DRAW or WIN, is 0 to 4


def distinct_games(records: Iterable[GameRecord]) -> int:
    """Return the number of different judged games. Two games are equal if their boards and moves are equal."""
    return len({_course(record) for record in records if result(record) is not None})


def games_that_count(records: Iterable[GameRecord]) -> Score:
    """Return the Score of the games without repeated ones: of equal games only one is counted.

    Two games are equal if their boards, their moves, who moved first and their results are equal.
    """
    return score({_course_with_result(record): record for record in records if result(record) is not None}.values())


def course_of_pair(pair: Iterable[GameRecord]) -> object:
    """Return a hashable value that is equal for two pairs if they are equal in the sense of pairs_that_count()."""
    return tuple(sorted(map(_course_with_result, pair)))


def _course_with_result(record: GameRecord) -> tuple[str, ...]:
    return record.first, record.winner or "", *_course(record)


def _course(record: GameRecord) -> tuple[str, str, str]:
    """Return (game, board, moves) of a record as texts."""
    moves = [move.move for move in record.moves]
    return record.game, json.dumps(record.board, sort_keys=True), json.dumps(moves)


def terminations(records: Iterable[GameRecord]) -> dict[str, int]:
    """Return {name of a termination: number of games that ended in it}, the most frequent termination first."""
    return dict(collections.Counter(record.termination.value for record in records).most_common())


def forfeits(records: Iterable[GameRecord], side: str) -> dict[str, int]:
    """Return {name of a termination: number of games} for the games in which `side` was at fault.

    The most frequent termination comes first.
    """
    return terminations([record for record in records if record.at_fault == side])


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Return the smallest value v in `ordered` such that at least `percent` % of the values are at most v.

    Precondition: `ordered` is sorted and not empty.
    """
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
