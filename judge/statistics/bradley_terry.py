"""The Bradley-Terry model with draws: estimates the strengths of players from games between some of them.

In a game in which i moves first against j, with x = strength_i - strength_j + first_move, the model states

    P(i wins) : P(draw) : P(j wins)  =  e^(x/2) : draw : e^(-x/2)

This is the model of Bradley and Terry (1952) with the draws of Davidson (1970) and the order of Davidson and Beaver
(1977). The players' points, the first movers' points and the number of draws are sufficient statistics. The likelihood
has at most one maximum, and there the observed information equals the expected information. Strengths are in natural
units: 400 Elo are ln 10 natural units.

Sources: R. A. Bradley and M. E. Terry, Biometrika 39 (1952) 324; R. R. Davidson, J. Amer. Statist. Assoc. 65 (1970)
317; R. R. Davidson and R. J. Beaver, Biometrics 33 (1977) 693; L. R. Ford, Amer. Math. Monthly 64 (1957) 28.

A matrix is a list of rows. The matrices are small, and lists need no package.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

from judge.statistics.score import DRAW, LOSS, WIN

Matrix = list[list[float]]
CONVERGED = 1e-10  # fit() stops below this Newton decrement, which is about twice the remaining gain in log-likelihood
ROUNDING = 1e-12  # the relative rounding error of the log-likelihood
MOST_STEPS = 200
LONGEST_STEP = 2.0  # the largest change of a parameter in one step, in natural units
BALANCE = (0.5, 0.0, 0.5)  # games between equal players that the first mover lost, drew and won

# {(first mover, other player): [games that the first mover lost, drew, won]}. The numbers need not be integers.
Counts = Mapping[tuple[int, int], Sequence[float]]


class NotPositive(ValueError):
    """A matrix is not positive definite."""


def cholesky(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Return the lower triangular matrix L with L L' = matrix. Row i of L has length i + 1.

    Only the lower half of `matrix` is read. Raises NotPositive if there is no such L.
    """
    factor: Matrix = []
    for place, row in enumerate(matrix):
        made: list[float] = []
        for column, other in enumerate(factor):
            made.append((row[column] - sum(map(mul, made, other))) / other[column])
        square = row[place] - sum(map(mul, made, made))
        if not square > 0.0:
            raise NotPositive
        made.append(math.sqrt(square))
        factor.append(made)
    return factor


def solved(factor: Matrix, vector: Sequence[float]) -> list[float]:
    """Return the solution x of the equation A x = vector, where `factor` is cholesky(A)."""
    found: list[float] = []
    for row, value in zip(factor, vector, strict=True):
        found.append((value - sum(map(mul, row, found))) / row[len(found)])
    for place in range(len(found) - 1, -1, -1):
        row = factor[place]
        found[place] /= row[place]
        for column in range(place):
            found[column] -= row[column] * found[place]
    return found


def inverse(factor: Matrix) -> Matrix:
    """Return the inverse of the matrix A, where `factor` is cholesky(A)."""
    size = len(factor)
    return [solved(factor, [float(row == column) for column in range(size)]) for row in range(size)]


def product(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    """Return the product of `matrix` and `vector`."""
    return [sum(map(mul, row, vector)) for row in matrix]


def form(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> float:
    """Return the quadratic form vector' matrix vector.

    If `matrix` is a covariance matrix, the result is the variance of the sum that is weighted by `vector`.
    """
    return sum(map(mul, vector, product(matrix, vector)))


class Chances(NamedTuple):
    """The probabilities of a game's results for the first mover, and moments of its points, which are 1, 1/2 or 0."""

    loss: float
    draw: float
    win: float

    @property
    def points(self) -> float:
        """The expected points of the first mover."""
        return self.win + self.draw / 2

    @property
    def variance(self) -> float:
        """The variance of the first mover's points, which is also the derivative of the expected points in x.

        The formula is written so that it loses no digits if a result is nearly certain.
        """
        return self.win * self.loss + self.draw * (self.win + self.loss) / 4

    @property
    def with_draws(self) -> float:
        """The covariance of the first mover's points and the indicator of a draw, which is 1 for a draw, else 0."""
        return self.draw * (self.loss - self.win) / 2


@dataclass(frozen=True)
class Fit:
    """The most likely values of the model's parameters, in natural units, and their covariance.

    `strengths` has the strength of each player; their sum is 0. `first_move` is the first mover's advantage. `draw` is
    the weight of draws, which is 0 if there is no draw.

    `covariance` is the inverse of the observed information. It has a row for each strength, then a row for `first_move`
    if that was to be estimated, then a row for ln(draw) if there is any draw. `first_move_row` and `draw_row` are the
    numbers of the last two rows, or None if there is no such row. Only differences of strengths can be estimated, so
    the part of `covariance` for the strengths is the covariance of their differences to the mean strength.
    """

    strengths: list[float]
    first_move: float
    draw: float
    covariance: Matrix
    first_move_row: int | None
    draw_row: int | None

    def chances(self, first: int, other: int) -> Chances:
        """Return the Chances of player `first`, who moves first against player `other`."""
        return chances(self.strengths[first] - self.strengths[other] + self.first_move, self.draw)


def chances(x: float, draw: float) -> Chances:
    """Return the Chances of a first mover.

    `x` is the first mover's strength less the other player's strength, plus the first mover's advantage. `draw` is the
    weight of draws.
    """
    # The three weights are divided by the largest weight, so that none overflows.
    half = x / 2
    largest = max(half, -half, math.log(draw) if draw else half)
    win, loss = math.exp(half - largest), math.exp(-half - largest)
    drawn = draw * math.exp(-largest)
    total = win + loss + drawn
    return Chances(loss / total, drawn / total, win / total)


def fit(
    players: int, counts: Counts, precision: float = 0.0, has_first_move: bool = True, is_balanced: bool = False
) -> Fit:
    """Return the Fit of the players 0 .. players - 1 to the results `counts`.

    With `precision` 0 the Fit is the maximum of the likelihood. With another precision it is the maximum of the
    posterior density; each strength, the first mover's advantage and ln(draw) then have a normal prior around 0 with
    variance 1 / precision. With `has_first_move` False the advantage is 0. With `is_balanced` the counts BALANCE of a
    game between equal players are added.

    Precondition: with `precision` 0 the likelihood has a maximum, which linked() and is_bounded() help to check. If it
    has none, this function raises NotPositive or returns useless figures.
    """
    cells = [(first, other, counts[first, other]) for first, other in sorted(counts)]
    if is_balanced:
        cells.append((0, 0, BALANCE))
    has_draws = any(numbers[DRAW] for _first, _other, numbers in cells)
    first_move_row = players if has_first_move else None
    draw_row = players + has_first_move if has_draws else None
    model = _Model(players, cells, precision, first_move_row, draw_row)
    found = [0.0] * (players + has_first_move + has_draws)
    here = model.at(found)
    for _step in range(MOST_STEPS):
        factor = cholesky(here.information)
        step = solved(factor, here.slope)
        decrement = sum(map(mul, step, here.slope))
        if decrement < CONVERGED:
            found = [one + by for one, by in zip(found, step, strict=True)]
            break
        # Halve the step until it increases the likelihood enough.
        part = min(1.0, LONGEST_STEP / max(map(abs, step)))
        while True:
            there = [one + part * by for one, by in zip(found, step, strict=True)]
            reached = model.at(there)
            if reached.value >= here.value + part * decrement / 4 - ROUNDING * abs(here.value):
                break
            part /= 2
        found, here = there, reached
    covariance = inverse(factor)
    if not precision:
        for row in covariance[:players]:
            row[:players] = [entry - 1.0 / players for entry in row[:players]]
    return Fit(
        found[:players],
        0.0 if first_move_row is None else found[first_move_row],
        0.0 if draw_row is None else math.exp(found[draw_row]),
        covariance,
        first_move_row,
        draw_row,
    )


class _Place(NamedTuple):
    """The function of _Model at one point: its value, its first derivatives (`slope`) and `information`.

    `information` is the lower half of the matrix of second derivatives, times -1.
    """

    value: float
    slope: list[float]
    information: Matrix


class _Model:
    """The log-likelihood plus the logarithm of the prior, as a function of the parameter vector.

    `cells` are tuples (first mover, other player, numbers of games that the first mover lost, drew and won).
    """

    def __init__(
        self,
        players: int,
        cells: Sequence[tuple[int, int, Sequence[float]]],
        precision: float,
        first_move_row: int | None,
        draw_row: int | None,
    ) -> None:
        self._players, self._cells, self._precision = players, cells, precision
        self._first_move_row, self._draw_row = first_move_row, draw_row

    def at(self, found: Sequence[float]) -> _Place:
        """Return the value and the derivatives at the parameter vector `found`."""
        size, first_row, draw_row = len(found), self._first_move_row, self._draw_row
        value = -self._precision * sum(map(mul, found, found)) / 2
        slope = [-self._precision * one for one in found]
        information = [[0.0] * size for _ in range(size)]
        if self._precision:
            for place in range(size):
                information[place][place] = self._precision
        else:  # games give no information on a common shift of all strengths, so some is added
            for of_strength in information[: self._players]:
                of_strength[: self._players] = [1.0 / self._players] * self._players
        advantage = 0.0 if first_row is None else found[first_row]
        weight = 0.0 if draw_row is None else math.exp(found[draw_row])
        for first, other, numbers in self._cells:
            chance = chances(found[first] - found[other] + advantage, weight)
            games = sum(numbers)
            value += sum(number * math.log(part) for number, part in zip(numbers, chance, strict=True) if number)
            of_x = numbers[WIN] + numbers[DRAW] / 2 - games * chance.points
            spread = games * chance.variance
            # The derivatives of x. The game between equal players (is_balanced) depends only on the advantage.
            parts = [] if first == other else [(min(first, other), 1.0), (max(first, other), -1.0)]
            if first > other:
                parts = [(row, -by) for row, by in parts]
            if first_row is not None:
                parts.append((first_row, 1.0))
            for number, (row, by) in enumerate(parts):
                slope[row] += by * of_x
                for column, other_by in parts[: number + 1]:
                    information[row][column] += by * other_by * spread
            if draw_row is not None:
                slope[draw_row] += numbers[DRAW] - games * chance.draw
                information[draw_row][draw_row] += games * chance.draw * (chance.win + chance.loss)
                for column, by in parts:
                    information[draw_row][column] += by * games * chance.with_draws
        return _Place(value, slope, information)


def linked(players: int, counts: Counts) -> list[list[int]]:
    """Return the players 0 .. players - 1 in groups. Within a group all players are linked by games, maybe indirectly.

    The largest group comes first. Groups of equal size are ordered by their first player.
    """
    met: list[set[int]] = [set() for _ in range(players)]
    for (first, other), numbers in counts.items():
        if sum(numbers):
            met[first].add(other)
            met[other].add(first)
    groups: list[list[int]] = []
    waiting = set(range(players))
    while waiting:
        group = _reached(min(waiting), met)
        groups.append(sorted(group))
        waiting -= group
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def rivals(players: int, counts: Counts) -> list[list[int]]:
    """Return the players 0 .. players - 1 in groups within which results go both ways, maybe indirectly (Ford).

    All results between two groups go one way: the players of one of them have won all games. The largest group comes
    first. Groups of equal size are ordered by their first player.
    """
    over: list[set[int]] = [set() for _ in range(players)]  # for each player, the players from whom it has taken points
    under: list[set[int]] = [set() for _ in range(players)]
    for (first, other), numbers in counts.items():
        if numbers[WIN] or numbers[DRAW]:
            over[first].add(other)
            under[other].add(first)
        if numbers[LOSS] or numbers[DRAW]:
            over[other].add(first)
            under[first].add(other)
    groups: list[list[int]] = []
    waiting = set(range(players))
    while waiting:
        one = min(waiting)
        group = _reached(one, over) & _reached(one, under)
        groups.append(sorted(group))
        waiting -= group
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def _reached(start: int, ways: Sequence[set[int]]) -> set[int]:
    """Return `start` and all players that can be reached from it. ways[player] are the players reached in one step."""
    found, edge = {start}, {start}
    while edge:
        edge = set().union(*(ways[one] for one in edge)) - found
        found |= edge
    return found


def is_bounded(counts: Counts) -> bool:
    """Return whether a fit to the counts surely gives a finite first mover's advantage and a finite weight of draws.

    It does if there is a pair of players with these results: in the games that one of them began, each has won at least
    once, and so in the games that the other began. This condition is sufficient, not necessary. If it is not met, call
    fit() with is_balanced=True, which adds the results BALANCE and so keeps the fit finite.
    """
    return any(
        numbers[WIN] and numbers[LOSS] and (others := counts.get((other, first))) and others[WIN] and others[LOSS]
        for (first, other), numbers in counts.items()
    )
