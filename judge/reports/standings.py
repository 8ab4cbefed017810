"""Where each of many players stands: its rating with its error, and its results against all and against each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judge.statistics.ratings import Board, Ratings
from judge.statistics.score import DRAW, LOSS, WIN, Score


@dataclass(frozen=True)
class Standing:
    """One player, by its number; `elo` and `error` are None where nothing links it to most of the others.

    `superiority` is the likelihood that it is stronger than the next one, None where there is none or it is not known;
    `is_held` where its rating is bounded from one side alone (ratings.py).
    """

    player: int
    name: str
    score: Score
    elo: float | None
    error: float | None
    superiority: float | None
    is_held: bool


def standings(names: Sequence[str], boards: Iterable[Board], ratings: Ratings | None) -> list[Standing]:
    """The Standings of the players of these names, the best first, those without a rating last."""
    against = crosstable(len(names), boards)
    elos = [ratings.elo(player) if ratings else None for player in range(len(names))]
    order = sorted(range(len(names)), key=lambda player: (elos[player] is None, -(elos[player] or 0.0), player))
    found = []
    for player, following in zip(order, [*order[1:], None], strict=True):
        scores = against[player]
        found.append(
            Standing(
                player=player,
                name=names[player],
                score=Score(*(sum(column) for column in zip(*scores, strict=True))),
                elo=elos[player],
                error=ratings.error(player) if ratings else None,
                superiority=ratings.superiority(player, following) if ratings and following is not None else None,
                is_held=ratings is not None and player in ratings.held,
            )
        )
    return found


def crosstable(players: int, boards: Iterable[Board]) -> list[list[Score]]:
    """[player][other]: the Score of the one against the other."""
    counts = [[[0, 0, 0] for _ in range(players)] for _ in range(players)]
    for board in boards:
        for first, other, result in board:
            counts[first][other][result] += 1
            counts[other][first][{LOSS: WIN, DRAW: DRAW, WIN: LOSS}[result]] += 1
    return [[Score(*results) for results in row] for row in counts]
