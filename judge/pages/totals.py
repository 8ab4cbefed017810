"""What many games add up to, as far as the page cannot count it in its list: strength, LLR, times."""

import bisect
from collections import Counter
from collections.abc import Sequence
from typing import Any

from judge.pages.pairs import paired_games
from judge.pages.ratings import ratings_json
from judge.pages.rows import Source
from judge.reports.match import elo_in_words, los_in_words
from judge.statistics import score, sprt
from judge.statistics.sprt import Hypotheses, SequentialTest
from judge.terminal import printable
from protocol.records.record import GameRecord

ASSUMED = Hypotheses(elo0=0.0, elo1=30.0)  # of a record that keeps none: those of README's example
MOST_POINTS = 200  # of a curve
MOST_PLAYERS = 8  # with a histogram of their own: those with most moves
# Upper ends of the classes of times, in seconds; one class more holds what is longer.
TIME_CLASSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def totals_json(sources: Sequence[Source]) -> dict[str, Any]:
    """Strength and LLR of a match of one game between two players, ratings of more (None otherwise), and how long moves
    took, as JSON.

    The LLR is that of one test: there is none of several files.
    """
    records = [source.record for source in sources]
    matches = {(record.game, *(player.command for player in record.players)) for record in records}
    runs = paired_games(sources) if len(matches) == 1 else []
    return {
        "strength": strength_json(runs),
        "llr": llr_json(runs[0]) if len(runs) == 1 else None,
        "ratings": ratings_json(records),
        "times": {"classes": TIME_CLASSES, **times_json(records)},
    }


def strength_json(runs: Sequence[Sequence[GameRecord]]) -> dict[str, Any] | None:
    """Elo with its error and the likelihood that A is the stronger, in words, from pairs; None without a whole pair.

    runs: the paired games of each file.
    """
    counts = [sum(run) for run in zip(*map(score.pair_counts, runs), strict=True)]
    return {"pairs": counts, "elo": elo_in_words(counts), "los": los_in_words(counts)} if sum(counts) else None


def llr_json(records: Sequence[GameRecord]) -> dict[str, Any] | None:
    """The log-likelihood ratio after each pair as a sequential test has it; None without a whole pair.

    records: the paired games of a file. `points` are [number of pairs, LLR]; `known` says whether the record keeps the
    hypotheses.
    """
    recorded = sprt.recorded(records)
    test = SequentialTest(recorded or ASSUMED)
    points: list[tuple[int, float]] = []
    for record in records:
        before = test.pairs
        try:
            test.add(record)
        except ValueError:  # hypotheses that no distribution of these results satisfies
            return None
        if test.pairs > before:
            points.append((test.pairs, round(test.llr, 3)))
    if not points:
        return None
    hypotheses = test.hypotheses
    return {
        "points": thinned(points),
        "bounds": [round(bound, 3) for bound in hypotheses.bounds],
        "verdict": test.verdict,
        "elo0": hypotheses.elo0,
        "elo1": hypotheses.elo1,
        "model": hypotheses.model,
        "known": recorded is not None,
    }


def thinned(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """At most MOST_POINTS of the points, the first and the last among them."""
    if len(points) <= MOST_POINTS:
        return list(points)
    places = [round(number * (len(points) - 1) / (MOST_POINTS - 1)) for number in range(MOST_POINTS)]
    return [points[place] for place in places]


def times_json(records: Sequence[GameRecord]) -> dict[str, Any]:
    """How many moves of the `players` with most took how long, by TIME_CLASSES; `all` is how many players there are.

    Moves that came in one reply with another before them took no time of their own, and are left out.
    """
    counts: dict[str, Counter[int]] = {}
    for record in records:
        names = {side: player.name for side, player in zip("AB", record.players, strict=True)}
        for move in record.moves:
            if move.wall_s:
                place = bisect.bisect_left(TIME_CLASSES, move.wall_s)
                counts.setdefault(names[move.side], Counter())[place] += 1
    most = sorted(counts, key=lambda name: -counts[name].total())[:MOST_PLAYERS]
    classes = range(len(TIME_CLASSES) + 1)
    players = [{"name": printable(name), "counts": [counts[name][place] for place in classes]} for name in most]
    return {"players": players, "all": len(counts)}
