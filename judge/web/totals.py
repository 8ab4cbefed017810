"""The totals of many games for a page: strength, ratings, the LLR after each pair, and the times of moves."""

import bisect
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from judge.reports import match
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
from judge.statistics.ratings import BoardResults, Game, rate
from judge.statistics.sprt import Hypotheses, SequentialTest
from judge.terminal import printable
from judge.web.record_data import Source
from protocol.records.record import SIDES, GameRecord

GameKey = tuple[int | None, str]  # (the number of a pair or None, the side that moved first)
# There are ratings for so many players. For two there is strength_json(); for more than 100 ratings would take long.
FEWEST_RATED, MOST_RATED = 3, 100
ASSUMED = Hypotheses(elo0=0.0, elo1=30.0)  # used if records have no hypotheses; the README's example has the same
MOST_POINTS = 200  # the most points of the LLR's curve
MOST_PLAYERS = 8  # so many players, those with the most moves, get a histogram of times
# Upper bounds of the classes of times, in seconds; one more class holds all longer times.
TIME_CLASSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def paired_games(sources: Iterable[Source]) -> list[list[GameRecord]]:
    """Return, for each file, the list of the games in the file that belong to pairs, in the order of the schedule.

    A pair may lack a game. If a VOID game was played again, only its latest record is in the list. Left out are: VOID
    games that must still be played again, pairs whose games are on different boards, and pairs in which one game has
    two results.
    """
    records_of_files: dict[int, dict[GameKey, list[GameRecord]]] = {}
    for source in sources:
        records_of_games = records_of_files.setdefault(source.file, {})
        records_of_games.setdefault((source.record.pair, source.record.first), []).append(source.record)
    return [_games_of_pairs(records_of_games) for records_of_games in records_of_files.values()]


def _games_of_pairs(records_of_games: dict[GameKey, list[GameRecord]]) -> list[GameRecord]:
    """Return the list of one file's games in pairs that paired_games() describes.

    `records_of_games` has the records of each game of the file: several if the game was played again.
    """
    games: list[GameRecord] = []
    for pair in sorted({number for number, _first in records_of_games if number is not None}):
        both = [records_of_games[pair, first] for first in SIDES if (pair, first) in records_of_games]
        if _is_pair(both):
            games += [records[-1] for records in both if is_settled(records[-1])]
    return games


def _is_pair(both: Sequence[Sequence[GameRecord]]) -> bool:
    """Return whether all records are on one board and no game has two results.

    `both` has, for each game of a pair, the list of its records; a game that was played again has several.
    """
    boards = [(record.game, record.board) for records in both for record in records]
    is_on_one_board = all(board == boards[0] for board in boards)
    results = [sum(record.termination.counts for record in records) for records in both]
    return is_on_one_board and max(results) <= 1


def ratings_json(records: Sequence[GameRecord]) -> dict[str, Any] | None:
    """Return, as JSON, the ratings of the players, the best player first, and three texts about all games.

    `players` has the rows of _rating_json(). `first` is the advantage of moving first, in Elo, with its error. `draws`
    is the share of draws between equal players. `dispersion` is how many times as much the results of pairs vary as
    those of independent games. Players with the same name count as one player. Returns None if rate() finds no ratings,
    if the records are of several games such as connect four and reversi, or if there are fewer than FEWEST_RATED or
    more than MOST_RATED players.
    """
    names = list(dict.fromkeys(printable(player.name) for record in records for player in record.players))
    is_one_game = len({record.game for record in records}) == 1
    if not (FEWEST_RATED <= len(names) <= MOST_RATED and is_one_game):
        return None
    boards = games_by_board(records, names)
    ratings = rate(len(names), boards)
    if ratings is None:
        return None
    advantage, error = ratings.first_move
    return {
        "players": [_rating_json(row) for row in standings(names, boards, ratings)],
        "first": f"{signed(advantage)} ±{error:.0f}",
        "draws": f"{ratings.draws:.1%}",
        "dispersion": f"{ratings.dispersion:.2f}",
    }


def games_by_board(records: Sequence[GameRecord], names: Sequence[str]) -> list[BoardResults]:
    """Return the games that have a result, in groups. The two games of a pair are one group; any other game is alone.

    `names` are the players' names. In the returned games a player is the index of its name.
    """
    games_of_pair: dict[object, list[Game]] = defaultdict(list)
    for number, record in enumerate(records):
        result = score.result(record)
        player_a, player_b = (names.index(printable(player.name)) for player in record.players)
        if result is None or player_a == player_b:
            continue  # a player's games against itself do not tell how it compares with others
        is_a_first = record.first == "A"
        game = Game(player_a, player_b, result) if is_a_first else Game(player_b, player_a, score.WIN - result)
        # Two files may have pairs with the same number. If the seeds are the same too, so are the boards.
        pair = (record.seed, record.pair, frozenset((player_a, player_b))) if record.pair is not None else number
        games_of_pair[pair].append(game)
    groups: list[BoardResults] = []
    for games in games_of_pair.values():
        groups += [games] if len(games) == 2 else [[game] for game in games]
    return groups


def _rating_json(row: Standing) -> dict[str, Any]:
    """Return, as JSON, a player's row in the table of ratings.

    `elo`, `error` and `held` are those of the Standing, and `told` has `elo` and `error` as texts. `counts` has the
    numbers of games, wins, draws and losses. `los` is the likelihood of being stronger than the next player, as a text.
    """
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
    """Return, as JSON, `strength`, `llr`, `ratings` and `times` of the games.

    Strength and LLR are None unless all records are of one game (such as reversi) between the same two players. The LLR
    is also None for several files, because an LLR belongs to one test. For the ratings see ratings_json().
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
    """Return, as JSON, the Elo of player A with its error, and the likelihood that A is stronger.

    `runs` has the paired games of each file. In the JSON `pairs` has the numbers of pairs as score.pair_counts() has
    them, `elo` and `error` are numbers, or None if they are not finite, and `told` and `los` are texts. Returns None if
    there is no complete pair.
    """
    all_pairs = _sums([score.pair_counts(records) for records in runs])
    if not sum(all_pairs):
        return None
    counted_pairs = _sums([score.pairs_that_count(records) for records in runs])
    figures, texts = match.estimate(counted_pairs), match.strength_in_words(counted_pairs)
    is_finite = figures is not None and math.isfinite(figures.elo) and math.isfinite(figures.elo_error)
    return {
        "pairs": all_pairs,
        "elo": figures.elo if figures is not None and is_finite else None,
        "error": figures.elo_error if figures is not None and is_finite else None,
        "told": texts.elo.replace("+-", "±"),
        "los": texts.los,
    }


def _sums(lists: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums of the first, the second and further numbers of the lists, which have the same length."""
    return [sum(numbers) for numbers in zip(*lists, strict=True)]


def llr_json(records: Sequence[GameRecord]) -> dict[str, Any] | None:
    """Return, as JSON, the log-likelihood ratio of a sequential test after each pair.

    `records` are the paired games of a file. In the JSON `points` is a list of (number of pairs, LLR), and `bounds` are
    the LLRs at which the test accepts H0 and H1. `verdict` is the accepted hypothesis, or None. `known` says whether
    the records have hypotheses; if they have none, the hypotheses ASSUMED are tested. Returns None if there is no
    complete pair, or if no distribution of the results satisfies the hypotheses.
    """
    recorded = sprt.recorded_hypotheses(records)
    test = SequentialTest(recorded or ASSUMED)
    points: list[tuple[int, float]] = []
    for record in records:
        pairs_before = test.pairs
        try:
            test.add(record)
        except ValueError:  # hypotheses that no distribution of these results satisfies
            return None
        if test.pairs > pairs_before:
            points.append((test.pairs, test.llr))  # unrounded: the page rounds what it shows
    if not points:
        return None
    hypotheses = test.hypotheses
    return {
        "points": thinned(points),
        "bounds": list(hypotheses.bounds),
        "verdict": test.verdict,
        "elo0": hypotheses.elo0,
        "elo1": hypotheses.elo1,
        "model": hypotheses.model,
        "known": recorded is not None,
    }


def thinned(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return at most MOST_POINTS of the points, evenly spaced, including the first point and the last point."""
    if len(points) <= MOST_POINTS:
        return list(points)
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(number * step)] for number in range(MOST_POINTS)]


def times_json(records: Sequence[GameRecord]) -> dict[str, Any]:
    """Return, as JSON, how many moves of each player fall into each class of times; see TIME_CLASSES.

    `players` are the MOST_PLAYERS players with the most moves: each has its `name`, and in `counts` its number of moves
    in each class. `all` is the number of all players. A move that came in one reply with the move before it has no time
    and is left out.
    """
    counts: dict[str, list[int]] = {}
    for record in records:
        names = {side: player.name for side, player in zip("AB", record.players, strict=True)}
        for move in record.moves:
            if move.wall_s:
                counts_of_player = counts.setdefault(names[move.side], [0] * (len(TIME_CLASSES) + 1))
                counts_of_player[bisect.bisect_left(TIME_CLASSES, move.wall_s)] += 1
    most = sorted(counts, key=lambda name: -sum(counts[name]))[:MOST_PLAYERS]
    players = [{"name": printable(name), "counts": counts[name]} for name in most]
    return {"players": players, "all": len(counts)}
