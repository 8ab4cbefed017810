"""The ratings of more than two players who have played one game against each other, for the page's statistics."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from judge.reports.tournament import (
    NONE,
    Standing,
    elo_in_words,
    error_in_words,
    signed,
    standings,
    superiority_in_words,
)
from judge.statistics import score
from judge.statistics.ratings import Board, Game, rate
from judge.terminal import printable
from protocol.records.record import GameRecord

FEWEST_PLAYERS, MOST_PLAYERS = 3, 100  # of fewer the strength of one is told; more would take long


def ratings_json(records: Sequence[GameRecord]) -> dict[str, Any] | None:
    """The standings, the best first, in words and in Elo, and what moving first is worth; None where there are none.

    Players are told apart as in the page's list, by their names.
    """
    names = list(dict.fromkeys(printable(player.name) for record in records for player in record.players))
    is_one_game = len({record.game for record in records}) == 1
    if not (FEWEST_PLAYERS <= len(names) <= MOST_PLAYERS and is_one_game):
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
