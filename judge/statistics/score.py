"""Counts of the results, endings and times of a match, from A's point of view."""

import collections
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from protocol.records.record import GameRecord, Termination

LOSS, DRAW, WIN = range(3)


@dataclass(frozen=True)
class Score:
    """The numbers of games by A's result. It unpacks as (losses, draws, wins), the order that elo.estimate() takes."""

    losses: int = 0
    draws: int = 0
    wins: int = 0

    def __iter__(self) -> Iterator[int]:
        return iter((self.losses, self.draws, self.wins))

    @property
    def games(self) -> int:
        """The number of games counted."""
        return self.losses + self.draws + self.wins


def result(record: GameRecord) -> int | None:
    """Return A's result, LOSS, DRAW or WIN, or None for a VOID game."""
    if record.termination is Termination.VOID:
        return None
    return {"A": WIN, "B": LOSS, None: DRAW}[record.winner]


def score(records: Iterable[GameRecord]) -> Score:
    """Return the Score of the records. VOID games are not counted."""
    counts = collections.Counter(map(result, records))
    return Score(counts[LOSS], counts[DRAW], counts[WIN])


def percent(score: Score) -> str:
    """Return A's points in percent of the possible points, where a draw is half a point; "-" without a game."""
    return f"{(score.wins + score.draws / 2) / score.games:.1%}" if score.games else "-"


def judged_pairs(records: Iterable[GameRecord]) -> dict[int, list[GameRecord]]:
    """Return the pairs with two judged games: {number of a pair: its two records}."""
    pairs: dict[int, list[GameRecord]] = collections.defaultdict(list)
    for record in records:
        if result(record) is not None and record.pair is not None:
            pairs[record.pair].append(record)
    return {number: pair for number, pair in sorted(pairs.items()) if len(pair) == 2}


def pair_counts(records: Iterable[GameRecord]) -> list[int]:
    """Return the five counts of the pairs with two judged games, by A's results: LL, LD, LW or DD, WD, WW."""
    counts = [0] * 5
    for pair in judged_pairs(records).values():
        counts[sum(found for record in pair if (found := result(record)) is not None)] += 1
    return counts


def distinct_games(records: Iterable[GameRecord]) -> int:
    """Return the number of different judged games. Games are equal if their boards and their moves are."""
    return len({_course(record) for record in records if result(record) is not None})


def distinct_pairs(records: Iterable[GameRecord]) -> int:
    """Return the number of different judged pairs. Pairs are equal if their boards and the moves of their games are."""
    pairs = judged_pairs(records).values()
    return len({tuple(sorted((record.first, _course(record)) for record in pair)) for pair in pairs})


def _course(record: GameRecord) -> tuple[str, str, str]:
    moves = [move.move for move in record.moves]
    return record.game, json.dumps(record.board, sort_keys=True), json.dumps(moves)


def terminations(records: Iterable[GameRecord]) -> dict[str, int]:
    """Return {name of a termination: how often it occurred}, the most frequent first."""
    return dict(collections.Counter(record.termination.value for record in records).most_common())


def forfeits(records: Iterable[GameRecord], side: str) -> dict[str, int]:
    """Return {name of a termination: how often the side was at fault in it}, the most frequent first."""
    return terminations([record for record in records if record.at_fault == side])


def move_times(records: Iterable[GameRecord], side: str, first_move: bool) -> list[float]:
    """Return the side's wall times in seconds, sorted.

    They are those of its first move in each game if `first_move` is True, else those of all later moves. Moves that
    came in one reply with an earlier one have no time of their own and are left out.
    """
    times: list[float] = []
    for record in records:
        own = [move for move in record.moves if move.side == side and move.wall_s]
        times += [move.wall_s for move in (own[:1] if first_move else own[1:])]
    return sorted(times)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Return the smallest of the values for which at least `percent` % of them are not larger.

    Precondition: `ordered` is sorted and not empty.
    """
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
