"""Ratings of players in Elo, with their errors, from the results of games on boards that were mostly played twice.

The model is defined in bradley_terry.py. A difference of 400 Elo means that the odds of a win against a loss are ten to
one. An error is 1.96 standard deviations. The covariance is the inverse of the observed information, times a
dispersion. The information treats the two games of a pair as independent, but they are not: a board may favour the side
that moves first on it. The dispersion is the variance of the pairs' results divided by the variance that independent
games would have (Wedderburn 1974). The first mover's advantage has its own dispersion: on boards that favour a side, a
player's two results cancel, but the results of the two first movers add up.

If all results between two groups of players go one way, no finite difference fits these results best. Half a game is
then counted the other way (after Conner and Grant 2000, but only between such groups). The players outside the largest
group are `held`: their ratings are only bounds of their difference to the largest group.

The next pair is chosen as follows. Before any game, strengths have a normal prior with the initial deviation of
Glickman's rating systems. After some games the covariance measures what is still unknown. Two more games of two players
on one board lower the variance of each rating by an amount that does not depend on the results of the two games. The
best pair lowers the sum of these variances most (A-optimality). The sum is taken over all players, or over the players
whose errors are still too large. A pair with a nearly certain winner gives little information, so players of similar
strength meet most.

Sources: R. W. M. Wedderburn, Biometrika 61 (1974) 439; T. Yan, arXiv:1411.1168 (2014), on the method of Conner and
Grant; K. Chaloner and I. Verdinelli, Statist. Sci. 10 (1995) 273; M. E. Glickman, Appl. Statist. 48 (1999) 377.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from judge.statistics import bradley_terry
from judge.statistics.bradley_terry import Fit
from judge.statistics.elo import ELO_SCALE, QUANTILE
from judge.statistics.score import LOSS, WIN

if TYPE_CHECKING:
    from judge.statistics.bradley_terry import Floats

ELO = ELO_SCALE / math.log(10.0)  # one natural unit of strength, in Elo
HELD_BY = 0.5  # the games counted the other way between a group and the groups that only won or lost against it
# Dispersions include, as a prior, the variance of ten pairs between equals that behave like independent games.
USUAL_VARIANCE = 10 * 0.5
FIRST_DEVIATION = 350.0  # the standard deviation of strengths before any game, in Elo
PRECISION = (ELO / FIRST_DEVIATION) ** 2


class Game(NamedTuple):
    """A game between two players, who are given by their numbers.

    `first` moved first against `other`. `result` is the result of `first`: LOSS, DRAW or WIN of score.py.
    """

    first: int
    other: int
    result: int


# The games of two players on one board: two games with the first move swapped, or one game.
BoardResults = Sequence[Game]


@dataclass(frozen=True)
class Ratings:
    """The ratings of one group of players that are linked by games. Other players are not rated.

    `fit` is in natural units and has a row for each rated player; `rows` maps a player to its row. `reference` has a
    weight for each row, and the sum of the weights is 1. The mean of the ratings with these weights is `origin`, in
    Elo, and the error of a rating is the error of its difference to this mean. `dispersion` and `first_move_dispersion`
    are the two dispersions that the module's docstring describes.

    `held` are the players whose games against the largest group of rivals all went one way. `rivals` maps a player to
    its own group of rivals, which includes the player.
    """

    fit: Fit
    rows: Mapping[int, int]
    reference: Sequence[float]
    origin: float
    dispersion: float
    first_move_dispersion: float
    held: frozenset[int]
    rivals: Mapping[int, frozenset[int]]

    def elo(self, player: int) -> float | None:
        """Return a player's rating in Elo, or None if the player is not rated."""
        row = self.rows.get(player)
        return None if row is None else self.origin + ELO * float(self._from_reference(row) @ self.fit.strengths)

    def error(self, player: int) -> float | None:
        """Return the error of a player's rating in Elo, or None if the player is not rated.

        It is half the width of the 95 % interval of the rating's difference to the reference.
        """
        row = self.rows.get(player)
        return None if row is None else QUANTILE * self._deviation(self._from_reference(row))

    def error_among_rivals(self, player: int) -> float | None:
        """Return the error, in Elo, of the difference of a player's rating to the mean of its own group of rivals.

        It is half the width of the 95 % interval. Returns 0 if the player is alone in its group, and None if the player
        is not rated.
        """
        row = self.rows.get(player)
        if row is None:
            return None
        weights = self._unit(row)
        weights[[self.rows[rival] for rival in self.rivals[player]]] -= 1.0 / len(self.rivals[player])
        return QUANTILE * self._deviation(weights)

    def superiority(self, one: int, other: int) -> float | None:
        """Return the likelihood, from 0 to 1, that player `one` is stronger than player `other`.

        Returns None if one of them is not rated, or if the error of their difference is 0.
        """
        if one not in self.rows or other not in self.rows:
            return None
        weights = self._unit(self.rows[one]) - self._unit(self.rows[other])
        deviation = self._deviation(weights)
        return NormalDist().cdf(ELO * float(weights @ self.fit.strengths) / deviation) if deviation else None

    @property
    def first_move(self) -> tuple[float, float]:
        """The first mover's advantage and its error, both in Elo."""
        row = len(self.fit.strengths)
        variance = float(self.fit.covariance[row, row])
        return ELO * self.fit.first_move, QUANTILE * ELO * math.sqrt(self.first_move_dispersion * variance)

    @property
    def draws(self) -> float:
        """The share of draws between two equal players without a first mover's advantage."""
        return bradley_terry.chances(0.0, self.fit.draw).draw

    def anchored(self, player: int, elo: float) -> "Ratings":
        """Return these ratings, shifted so that `player` has the rating `elo`. Errors are relative to that player.

        Returns self if the player is not rated.
        """
        if player not in self.rows:
            return self
        reference = [float(row == self.rows[player]) for row in range(len(self.rows))]
        return replace(self, reference=reference, origin=elo)

    def around(self, players: Iterable[int]) -> "Ratings":
        """Return these ratings, shifted so that a mean rating is 0.

        It is the mean over those of `players` that are rated and not held. Returns self if there are no such players.
        """
        rows = [self.rows[player] for player in players if player in self.rows and player not in self.held]
        if not rows:
            return self
        return replace(self, reference=[(row in rows) / len(rows) for row in range(len(self.rows))], origin=0.0)

    def weights(self, players: int) -> list[float]:
        """Return the weight of each of the players 0 .. players - 1 in the reference.

        The weight of a player that is not rated is 0.
        """
        return [self.reference[self.rows[player]] if player in self.rows else 0.0 for player in range(players)]

    def _from_reference(self, row: int) -> "Floats":
        """Return the weights of the ratings in the difference of the rating in `row` to the reference."""
        return self._unit(row) - self.reference

    def _unit(self, row: int) -> "Floats":
        """Return weights of 1 for the rating in `row` and 0 for all others."""
        import numpy

        return numpy.eye(len(self.rows))[row]

    def _deviation(self, weights: "Floats") -> float:
        """Return the standard deviation, in Elo, of the weighted sum of the ratings."""
        size = len(self.rows)
        variance = float(weights @ self.fit.covariance[:size, :size] @ weights)
        return ELO * math.sqrt(self.dispersion * max(variance, 0.0))


def rate(players: int, boards: Iterable[BoardResults], preferred: Collection[int] = ()) -> Ratings | None:
    """Return the Ratings of the players 0 .. players - 1, or None if there is no game.

    Only one group of players that are linked by games is rated: the group that has most of the players `preferred`. If
    several groups have equally many of them, the largest of these groups is rated. The mean rating of the players that
    are not held is 0. If all players are held, the mean rating of all is 0. The order of the boards does not matter.
    """
    boards = list(boards)
    counts = count_results(game for board in boards for game in board)
    if not counts:
        return None
    groups = bradley_terry.linked_groups(players, counts)
    group = max(groups, key=lambda each: (len(each) > 1, len(set(preferred).intersection(each)), len(each)))
    rows = {player: row for row, player in enumerate(group)}
    group_counts = {
        (rows[first], rows[other]): numbers
        for (first, other), numbers in counts.items()
        if first in rows and other in rows
    }
    rivals = bradley_terry.rival_groups(len(rows), group_counts)
    is_balanced = not bradley_terry.is_bounded(group_counts)
    fit = bradley_terry.fit(len(rows), _with_links(group_counts, rivals), is_balanced=is_balanced)
    has_largest = len(rivals) == 1 or len(rivals[0]) > len(rivals[1])
    free = rivals[0] if has_largest else []  # the rows of the players that are not held
    counted = free or range(len(rows))
    dispersion, first_move_dispersion = _dispersions(fit, rows, boards)
    return Ratings(
        fit=fit,
        rows=rows,
        reference=[(row in counted) / len(counted) for row in range(len(rows))],
        origin=0.0,
        dispersion=dispersion,
        first_move_dispersion=first_move_dispersion,
        held=frozenset(player for player, row in rows.items() if row not in free),
        rivals={group[row]: frozenset(group[other] for other in each) for each in rivals for row in each},
    )


def count_results(games: Iterable[Game]) -> dict[tuple[int, int], list[float]]:
    """Return {(first mover, other player): [number of losses, draws, wins of the first mover]}."""
    counts: dict[tuple[int, int], list[float]] = {}
    for first, other, result in games:
        counts.setdefault((first, other), [0.0, 0.0, 0.0])[result] += 1.0
    return counts


def _with_links(counts: bradley_terry.Counts, groups: Sequence[Sequence[int]]) -> bradley_terry.Counts:
    """Return `counts` plus games with the opposite result between groups of players whose results all go one way.

    Games are added for each pairing of players in different groups: HELD_BY times the mean of two shares. They are, for
    each of the two groups, the pairing's share of all games that the group has with other groups. Half of these games
    are added with each of the two players as first mover.
    """
    if len(groups) == 1:
        return counts
    group_of = {player: number for number, group in enumerate(groups) for player in group}
    across = [0.0] * len(groups)  # for each group, the number of its games with other groups
    for (first, other), numbers in counts.items():
        if group_of[first] != group_of[other]:
            across[group_of[first]] += sum(numbers)
            across[group_of[other]] += sum(numbers)
    linked = {pair: list(numbers) for pair, numbers in counts.items()}
    for (first, other), numbers in sorted(counts.items()):
        if group_of[first] != group_of[other]:
            share = sum(numbers) * (1.0 / across[group_of[first]] + 1.0 / across[group_of[other]]) / 2.0
            # All games between two groups went to one side; the games that are added go to the other side.
            result_of_first, result_of_other = (LOSS, WIN) if numbers[WIN] else (WIN, LOSS)
            linked[first, other][result_of_first] += HELD_BY * share / 2.0
            linked.setdefault((other, first), [0.0, 0.0, 0.0])[result_of_other] += HELD_BY * share / 2.0
    return linked


def _dispersions(fit: Fit, rows: Mapping[int, int], boards: Iterable[BoardResults]) -> tuple[float, float]:
    """Return (the dispersion of the players' points, the dispersion of the first movers' points).

    A dispersion is the variance of the pairs' points around the fit, divided by the variance that independent games
    would have. This divisor is reduced by each pair's influence on the fit. Only boards with both games count. Both
    variances include USUAL_VARIANCE, so that few pairs give a dispersion near 1.
    """
    import numpy

    # {(row of one player, row of the other): [(points of one player, points of the other) in the games they began]}
    points_of_pairs: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for board in boards:
        if len(board) == 2 and board[0].first == board[1].other and board[0].first in rows:
            one, other = sorted((rows[board[0].first], rows[board[0].other]))
            points = {rows[game.first]: game.result / WIN for game in board}
            points_of_pairs.setdefault((one, other), []).append((points[one], points[other]))
    # The variances of the players' points and of the first movers' points: as observed, and of independent games.
    observed, expected = [0.0, 0.0], [0.0, 0.0]
    for (one, other), pairs in sorted(points_of_pairs.items()):
        moves_first, moves_second = fit.chances(one, other), fit.chances(other, one)
        # In the second game `one` moves second, so the first mover's points count with -1 for `one`, and with +1 for
        # the first movers.
        for kind, sign in enumerate((-1.0, 1.0)):
            mean = moves_first.points + sign * moves_second.points
            observed[kind] += sum((first + sign * second - mean) ** 2 for first, second in sorted(pairs))
            slope = numpy.zeros(len(fit.covariance))  # the derivative of `mean` in each parameter
            slope[one] = moves_first.variance - sign * moves_second.variance
            slope[other] = -slope[one]
            slope[len(fit.strengths)] = moves_first.variance + sign * moves_second.variance
            if fit.draw:
                slope[-1] = moves_first.covariance_with_draws + sign * moves_second.covariance_with_draws
            by_chance = moves_first.variance + moves_second.variance - float(slope @ fit.covariance @ slope)
            expected[kind] += len(pairs) * max(by_chance, 0.0)
    of_players, of_first_movers = (
        (variance + USUAL_VARIANCE) / (by_chance + USUAL_VARIANCE)
        for variance, by_chance in zip(observed, expected, strict=True)
    )
    return of_players, of_first_movers


class Question(NamedTuple):
    """The ratings that are to be measured better: the differences of the ratings of `players` to a weighted mean.

    The mean is over the ratings of all players. `reference` has the weight of each player; the weights' sum is 1.
    """

    players: Collection[int]
    reference: Sequence[float]


class StrengthCovariance:
    """The covariance of the strengths of the players 0 .. players - 1 after the games on `boards`.

    Strengths are in natural units.
    """

    def __init__(self, players: int, boards: Iterable[BoardResults]) -> None:
        counts = count_results(game for board in boards for game in board)
        self._fit = bradley_terry.fit(players, counts, PRECISION)
        self._covariance = self._fit.covariance[:players, :players]

    def gain(self, one: int, other: int, question: Question) -> float:
        """Return by how much a pair of games between `one` and `other` would lower the variances in question.

        These are the variances of the ratings in `question`. The result is the decrease of their sum, in squared
        natural units.
        """
        column, share = self._change(one, other)
        mean = column @ question.reference
        return share * float(((column[list(question.players)] - mean) ** 2).sum())

    def learn(self, one: int, other: int) -> None:
        """Update the covariance as if a pair of games between `one` and `other` had ended with the expected results."""
        column, share = self._change(one, other)
        self._covariance = self._covariance - share * column[:, None] * column

    def _change(self, one: int, other: int) -> tuple["Floats", float]:
        """Return (column, share), which describe how a pair of games between `one` and `other` changes the covariance.

        The pair lowers the covariance of players i and j by share * column[i] * column[j].
        """
        column = self._covariance[:, one] - self._covariance[:, other]
        information = self._fit.chances(one, other).variance + self._fit.chances(other, one).variance
        return column, information / (1.0 + information * float(column[one] - column[other]))
