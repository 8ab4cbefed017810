"""What many games add up to on a page: results, strength, ratings, the LLR as it went, times, endings."""

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from judge.reports import match
from judge.reports.match import los_in_words
from judge.reports.tournament import (
    NONE,
    Standing,
    elo_in_words,
    error_in_words,
    signed,
    standings,
    superiority_in_words,
)
from judge.runs.schedule import is_settled
from judge.statistics import score, sprt
from judge.statistics.ratings import Board, Game, rate
from judge.statistics.sprt import Hypotheses, SequentialTest
from judge.terminal import printable
from judge.web.record_data import Source
from protocol.records.record import SIDES, GameRecord, Termination

Key = tuple[int | None, str]  # a pair's number, and who moved first
FEWEST_RATED, MOST_RATED = 3, 100  # of fewer the strength of one is told; more would take long
ASSUMED = Hypotheses(elo0=0.0, elo1=30.0)  # of a record that keeps none: those of README's example
MOST_POINTS = 200  # of a curve
MOST_PLAYERS = 8  # with a histogram of their own: those with most moves
# Upper ends of the classes of times, in seconds; one class more holds what is longer.
TIME_CLASSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def paired_games(sources: Iterable[Source]) -> list[list[GameRecord]]:
    """For each file its games that belong to pairs, in the order of its schedule; a pair may lack one of its games.

    Each game's latest record stands for it: a VOID game was played again, if it has another. One that was to be played
    again is left out, as the run that a judge left in it does.
    """
    files: dict[int, dict[Key, list[GameRecord]]] = {}
    for source in sources:
        attempts = files.setdefault(source.file, {})
        attempts.setdefault((source.record.pair, source.record.first), []).append(source.record)
    return [_paired(attempts) for attempts in files.values()]


def _paired(attempts: dict[Key, list[GameRecord]]) -> list[GameRecord]:
    games: list[GameRecord] = []
    for pair in sorted({number for number, _first in attempts if number is not None}):
        both = [attempts[pair, first] for first in SIDES if (pair, first) in attempts]
        if _is_pair(both):
            games += [records[-1] for records in both if is_settled(records[-1])]
    return games


def _is_pair(both: Sequence[Sequence[GameRecord]]) -> bool:
    """Whether all are on one board, and no game has two results."""
    boards = [(record.game, record.board) for records in both for record in records]
    is_on_one_board = all(board == boards[0] for board in boards)
    results = [sum(record.termination is not Termination.VOID for record in records) for records in both]
    return is_on_one_board and max(results) <= 1


def ratings_json(records: Sequence[GameRecord]) -> dict[str, Any] | None:
    """The standings, the best first, in words and in Elo, and what moving first is worth; None where there are none.

    Players are told apart as in the page's list, by their names.
    """
    names = list(dict.fromkeys(printable(player.name) for record in records for player in record.players))
    is_one_game = len({record.game for record in records}) == 1
    if not (FEWEST_RATED <= len(names) <= MOST_RATED and is_one_game):
        return None
    boards = boards_of(records, names)
    ratings = rate(len(names), boards)
    if ratings is None:
        return None
    advantage, error = ratings.first_move
    return {
        "players": [_player(row) for row in standings(names, boards, ratings)],
        "first": f"{signed(advantage)} ±{error:.0f}",
        "draws": f"{ratings.draws:.1%}",
        "dispersion": f"{ratings.dispersion:.2f}",
    }


def boards_of(records: Sequence[GameRecord], names: Sequence[str]) -> list[Board]:
    """The judged games, those of a pair together; what belongs to no pair stands for itself."""
    number_of = {name: number for number, name in enumerate(names)}
    found: dict[object, list[Game]] = defaultdict(list)
    for place, record in enumerate(records):
        result = score.result(record)
        if result is None:
            continue
        one, other = (number_of[printable(player.name)] for player in record.players)
        game = Game(one, other, result) if record.first == "A" else Game(other, one, score.WIN - result)
        # Files may have pairs of the same number: of one seed they have one board, too.
        pair = (record.seed, record.pair, frozenset((one, other))) if record.pair is not None else place
        found[pair].append(game)
    return [board for games in found.values() for board in ([games] if len(games) == 2 else [[game] for game in games])]


def _player(row: Standing) -> dict[str, Any]:
    return {
        "name": row.name,
        "elo": row.elo,
        "error": row.error,
        "held": row.is_held,
        "told": [elo_in_words(row), error_in_words(row)],
        "counts": [row.score.games, row.score.wins, row.score.draws, row.score.losses],
        "score": score.percent(row.score).replace("%", " %") if row.score.games else NONE,
        "los": superiority_in_words(row),
    }


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
    return {"pairs": counts, "elo": match.elo_in_words(counts), "los": los_in_words(counts)} if sum(counts) else None


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
