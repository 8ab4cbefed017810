"""Ratings of players in Elo, with their errors, from the results of games on boards that were mostly played twice.

The model is bradley_terry.py's. 400 Elo are odds of ten to one for a win against a loss. An error is 1.96 standard
deviations of the covariance, the inverse of the observed information times the dispersion: that of single games takes
the two games of a pair for independent, and they are not, as a board may favour whoever moves first on it. The
dispersion is what the pairs' results vary by, as a share of what those of independent games would (Wedderburn 1974).
The first mover's advantage has a dispersion of its own: boards that favour a side make a player's two results cancel,
and those of the two first movers add up.

Where all results between two groups of players go one way, no finite difference fits them best. Half a game is then
counted the other way (after Conner and Grant 2000, but between such groups alone), and the players outside the largest
group are `held` by it: what is known of them is that they are no nearer, or no farther, than about there.

Which pair to play next: Before any game strengths are taken for normal, with the deviation that Glickman's rating
systems begin with; after the games on some boards the covariance says what is unknown of them. Two more games on one
board, of two players, lower the variance of each rating by a share that does not depend on their results. The pair is
best that lowers the sum of these variances most (A-optimality), be it of all players or of those alone whose errors are
still too large. A pair that is nearly certain to be won tells little, so neighbours meet most.

Sources: R. W. M. Wedderburn, Biometrika 61 (1974) 439; T. Yan, arXiv:1411.1168 (2014), on Conner and Grant's. K.
Chaloner and I. Verdinelli, Statist. Sci. 10 (1995) 273; M. E. Glickman, Appl. Statist. 48 (1999) 377.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul
from statistics import NormalDist
from typing import NamedTuple

from judge.statistics import bradley_terry
from judge.statistics.bradley_terry import Fit, form
from judge.statistics.elo import CONFIDENCE, ELO_SCALE
from judge.statistics.score import LOSS, WIN

ELO = ELO_SCALE / math.log(10.0)  # Elo of a natural unit of strength
HELD_BY = 0.5  # games counted the other way, in all, between a group and those it has all won or all lost against
# The dispersion is taken with so much variance of pairs that behave like independent games: ten, between equals.
USUAL_VARIANCE = 10 * 0.5
QUANTILE = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)
FIRST_DEVIATION = 350.0  # Elo
PRECISION = (ELO / FIRST_DEVIATION) ** 2


class Game(NamedTuple):
    """Who moved first, the other, and the first mover's result: LOSS, DRAW or WIN of score.py."""

    first: int
    other: int
    result: int


Board = Sequence[Game]  # the games of two players on one board, one from either side or one alone


@dataclass(frozen=True)
class Ratings:
    """Of those players who are in one group that has met, the largest: elo() and error() of others are None.

    `fit` is in natural units and numbers players as `rows` says: {player: row}. `reference` has a weight for each row,
    of sum 1: this mean of ratings is `origin`, in Elo, and errors are of differences to it. `held` are the players
    whose games against the largest group of rivals went one way, `rivals` are for each player those of its own group,
    itself among them. `is_balanced`: the first mover's advantage and draws are held in the same way, for want of
    results that tell them.
    """

    fit: Fit
    rows: Mapping[int, int]
    reference: Sequence[float]
    origin: float
    dispersion: float
    first_move_dispersion: float
    held: frozenset[int]
    rivals: Mapping[int, frozenset[int]]
    is_balanced: bool

    def elo(self, player: int) -> float | None:
        """The rating."""
        row = self.rows.get(player)
        return None if row is None else self.origin + ELO * sum(_times(self._from_reference(row), self.fit.strengths))

    def error(self, player: int) -> float | None:
        """Half the 95 % interval of the difference to the reference."""
        row = self.rows.get(player)
        return None if row is None else QUANTILE * self._deviation(self._from_reference(row))

    def error_among_rivals(self, player: int) -> float | None:
        """The same of the difference to the mean of its own group of rivals; 0 for one that is alone in it."""
        row = self.rows.get(player)
        if row is None:
            return None
        group = {self.rows[rival] for rival in self.rivals[player]}
        weights = [(number == row) - (number in group) / len(group) for number in range(len(self.rows))]
        return QUANTILE * self._deviation(weights)

    def superiority(self, one: int, other: int) -> float | None:
        """The likelihood that one player is stronger than another."""
        if one not in self.rows or other not in self.rows:
            return None
        weights = [0.0] * len(self.rows)
        weights[self.rows[one]], weights[self.rows[other]] = 1.0, -1.0
        deviation = self._deviation(weights)
        return NormalDist().cdf(ELO * sum(_times(weights, self.fit.strengths)) / deviation) if deviation else None

    @property
    def first_move(self) -> tuple[float, float]:
        """(the first mover's advantage, its error), in Elo."""
        row = self.fit.first_move_row
        variance = 0.0 if row is None else self.fit.covariance[row][row]
        return ELO * self.fit.first_move, QUANTILE * ELO * math.sqrt(self.first_move_dispersion * variance)

    @property
    def draws(self) -> float:
        """The share of draws between two players of whom none has the advantage."""
        return bradley_terry.chances(0.0, self.fit.draw).draw

    def anchored(self, player: int, elo: float) -> "Ratings":
        """The same with this player at this rating, of which errors tell the difference then; itself if unrated."""
        if player not in self.rows:
            return self
        reference = [float(row == self.rows[player]) for row in range(len(self.rows))]
        return replace(self, reference=reference, origin=elo)

    def around(self, players: Iterable[int]) -> "Ratings":
        """The same with the mean of these players at 0, of those among them that are not held; itself without any."""
        rows = [self.rows[player] for player in players if player in self.rows and player not in self.held]
        if not rows:
            return self
        return replace(self, reference=[(row in rows) / len(rows) for row in range(len(self.rows))], origin=0.0)

    def weights(self, players: int) -> list[float]:
        """The weights of so many players in the mean that ratings are differences to."""
        return [self.reference[self.rows[player]] if player in self.rows else 0.0 for player in range(players)]

    def _from_reference(self, row: int) -> list[float]:
        return [float(number == row) - weight for number, weight in enumerate(self.reference)]

    def _deviation(self, weights: Sequence[float]) -> float:
        size = len(self.rows)
        variance = form([row[:size] for row in self.fit.covariance[:size]], weights)
        return ELO * math.sqrt(self.dispersion * max(variance, 0.0))


def rate(players: int, boards: Iterable[Board], meant: Collection[int] = ()) -> Ratings | None:
    """The Ratings of so many players, numbered from 0; None without a game.

    Their mean is 0, of those that are not held; of all where all are. Of groups that have not met, the one is rated
    that has most of the players `meant`, then the largest. The order of the boards does not matter.
    """
    boards = list(boards)
    counts = counted(game for board in boards for game in board)
    groups = bradley_terry.linked(players, counts) if counts else []
    if not groups or not groups[0]:
        return None
    group = max(groups, key=lambda one: (len(one) > 1, len(set(meant).intersection(one)), len(one)))
    rows = {player: row for row, player in enumerate(group)}
    own = {
        (rows[first], rows[other]): numbers
        for (first, other), numbers in counts.items()
        if first in rows and other in rows
    }
    rivals = bradley_terry.rivals(len(rows), own)
    is_balanced = not bradley_terry.is_bounded(own)
    fit = bradley_terry.fit(len(rows), _with_links(own, rivals), is_balanced=is_balanced)
    largest = [one for one in rivals if len(one) == len(rivals[0])]
    free = largest[0] if len(largest) == 1 else []
    shares = [0.0] * len(rows)
    for row in free or range(len(rows)):
        shares[row] = 1.0 / len(free or rows)
    of_players, of_first_move = _dispersions(fit, rows, boards)
    return Ratings(
        fit=fit,
        rows=rows,
        reference=shares,
        origin=0.0,
        dispersion=of_players,
        first_move_dispersion=of_first_move,
        held=frozenset(player for player, row in rows.items() if row not in free),
        rivals={group[row]: frozenset(group[other] for other in one) for one in rivals for row in one},
        is_balanced=is_balanced,
    )


def counted(games: Iterable[Game]) -> dict[tuple[int, int], list[float]]:
    """The games as bradley_terry.Counts."""
    counts: dict[tuple[int, int], list[float]] = {}
    for first, other, result in games:
        counts.setdefault((first, other), [0.0, 0.0, 0.0])[result] += 1.0
    return counts


def _with_links(counts: bradley_terry.Counts, groups: Sequence[Sequence[int]]) -> bradley_terry.Counts:
    """The counts with HELD_BY games the other way between groups whose results go one way.

    Of a group's share, each of its players and opponents has a part as large as their share of those games, from
    either side of the board.
    """
    if len(groups) == 1:
        return counts
    group_of = {player: number for number, group in enumerate(groups) for player in group}
    across = [0.0] * len(groups)  # games of each group with others
    for (first, other), numbers in counts.items():
        if group_of[first] != group_of[other]:
            across[group_of[first]] += sum(numbers)
            across[group_of[other]] += sum(numbers)
    linked = {pair: list(numbers) for pair, numbers in counts.items()}
    for (first, other), numbers in sorted(counts.items()):
        if group_of[first] == group_of[other]:
            continue
        share = sum(numbers) * (1.0 / across[group_of[first]] + 1.0 / across[group_of[other]]) / 2.0
        has_won = numbers[WIN] > 0
        linked[first, other][LOSS if has_won else WIN] += HELD_BY * share / 2.0
        turned = linked.setdefault((other, first), [0.0, 0.0, 0.0])
        turned[WIN if has_won else LOSS] += HELD_BY * share / 2.0
    return linked


def _dispersions(fit: Fit, rows: Mapping[int, int], boards: Iterable[Board]) -> tuple[float, float]:
    """By what the points of pairs vary around the fit, as a share of what those of independent games would.

    The points are those of one of the players, then those of both first movers. A fit goes some way to meet its data:
    by each pair's part of that, the variance expected of it is smaller.
    """
    found: dict[tuple[int, int], list[tuple[float, float]]] = {}  # of two players, the first movers' points in pairs
    for board in boards:
        if len(board) == 2 and board[0].first == board[1].other and board[0].first in rows:
            one, other = sorted((rows[board[0].first], rows[board[0].other]))
            points = {rows[game.first]: game.result / WIN for game in board}
            found.setdefault((one, other), []).append((points[one], points[other]))
    varied, expected = [0.0, 0.0], [0.0, 0.0]
    for (one, other), pairs in sorted(found.items()):
        moves_first, moves_second = fit.chances(one, other), fit.chances(other, one)
        of_first, of_second = moves_first.variance, moves_second.variance
        # The second game counts as one of `one`, who does not move first in it, and as one of its first mover.
        for kind, sign in enumerate((-1.0, 1.0)):
            mean = moves_first.points + sign * moves_second.points
            varied[kind] += sum((first + sign * second - mean) ** 2 for first, second in sorted(pairs))
            slope = [0.0] * len(fit.covariance)  # of the mean, by each parameter
            slope[one] = of_first - sign * of_second
            slope[other] = -slope[one]
            if fit.first_move_row is not None:
                slope[fit.first_move_row] = of_first + sign * of_second
            if fit.draw_row is not None:
                slope[fit.draw_row] = moves_first.with_draws + sign * moves_second.with_draws
            expected[kind] += len(pairs) * max(of_first + of_second - form(fit.covariance, slope), 0.0)
    of_players, of_first_move = (
        (by + USUAL_VARIANCE) / (of_chance + USUAL_VARIANCE) for by, of_chance in zip(varied, expected, strict=True)
    )
    return of_players, of_first_move


def _times(one: Sequence[float], other: Sequence[float]) -> Iterable[float]:
    return (a * b for a, b in zip(one, other, strict=True))


class Question(NamedTuple):
    """What is to be known better: the ratings of `players`, which are differences to a mean of all.

    `reference` has the weight of every player in that mean; their sum is 1.
    """

    players: Collection[int]
    reference: Sequence[float]


class Knowledge:
    """What is known of so many players, numbered from 0, after the games on these boards."""

    def __init__(self, players: int, boards: Iterable[Board]) -> None:
        counts = counted(game for board in boards for game in board)
        self._fit = bradley_terry.fit(players, counts, PRECISION)
        self._covariance = [row[:players] for row in self._fit.covariance[:players]]

    def gain(self, one: int, other: int, question: Question) -> float:
        """By how much a pair of games between two lowers the sum of the variances in question, in natural units."""
        column, share = self._change(one, other)
        mean = sum(map(mul, column, question.reference))
        return share * sum((column[player] - mean) ** 2 for player in question.players)

    def learn(self, one: int, other: int) -> None:
        """Go on as though a pair of games between the two had been played, with results as they are expected."""
        column, share = self._change(one, other)
        for row, value in zip(self._covariance, column, strict=True):
            for place, across in enumerate(column):
                row[place] -= share * value * across

    def _change(self, one: int, other: int) -> tuple[list[float], float]:
        """(column, share): the pair lowers the covariance of players i and j by share * column[i] * column[j]."""
        column = [row[one] - row[other] for row in self._covariance]
        information = self._fit.chances(one, other).variance + self._fit.chances(other, one).variance
        return column, information / (1.0 + information * (column[one] - column[other]))
