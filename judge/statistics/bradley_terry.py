"""The Bradley-Terry model with draws: estimates the strengths of players from games between some of them.

In a game in which i moves first against j, with x = strength_i - strength_j + first_move, the model states

    P(i wins) : P(draw) : P(j wins)  =  e^(x/2) : draw : e^(-x/2)

This is the model of Bradley and Terry (1952) with the draws of Davidson (1970) and the order of Davidson and Beaver
(1977). The players' points, the first movers' points and the number of draws are sufficient statistics. The likelihood
has at most one maximum, and there the observed information equals the expected information. Strengths are in natural
units: 400 Elo are ln 10 natural units.

Sources: R. A. Bradley and M. E. Terry, Biometrika 39 (1952) 324; R. R. Davidson, J. Amer. Statist. Assoc. 65 (1970)
317; R. R. Davidson and R. J. Beaver, Biometrics 33 (1977) 693; L. R. Ford, Amer. Math. Monthly 64 (1957) 28.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from judge.statistics.score import DRAW, LOSS, WIN

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray

    Floats = NDArray[floating]

CONVERGED = 1e-10  # fit() stops below this Newton decrement, which is about twice the remaining gain in log-likelihood
ROUNDING = 1e-12  # the relative rounding error of the log-likelihood
MOST_STEPS = 200  # of Newton's method; ten usually suffice
BALANCE = (0.5, 0.0, 0.5)  # games between equal players that the first mover lost, drew and won

# {(first mover, other player): [games that the first mover lost, drew, won]}. The numbers need not be integers.
Counts = Mapping[tuple[int, int], Sequence[float]]


class Chances(NamedTuple):
    """The probabilities of a game's results for the first mover.

    The properties are moments of the first mover's points, which are 1 for a win, 1/2 for a draw and 0 for a loss.
    """

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
    def covariance_with_draws(self) -> float:
        """The covariance of the first mover's points and the indicator of a draw, which is 1 for a draw, else 0."""
        return self.draw * (self.loss - self.win) / 2


@dataclass(frozen=True)
class Fit:
    """The most likely values of the model's parameters, in natural units, and their covariance.

    `strengths` has the strength of each player; their sum is 0. `first_move` is the first mover's advantage. `draw` is
    the weight of draws, which is 0 if there is no draw.

    `covariance` is the inverse of the observed information. It has a row and a column for each strength, then one for
    `first_move`, and a last one for ln(draw) unless `draw` is 0. Only differences of strengths can be estimated, so the
    part of `covariance` for the strengths is the covariance of their differences to the mean strength.
    """

    strengths: "Floats"
    first_move: float
    draw: float
    covariance: "Floats"

    def chances(self, first: int, other: int) -> Chances:
        """Return the Chances of player `first`, who moves first against player `other`."""
        return chances(float(self.strengths[first] - self.strengths[other]) + self.first_move, self.draw)


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


def fit(players: int, counts: Counts, precision: float = 0.0, is_balanced: bool = False) -> Fit:
    """Return the Fit of the players 0 .. players - 1 to the results `counts`.

    With `precision` 0 the Fit is the maximum of the likelihood. With another precision it is the maximum of the
    posterior density; each strength, the first mover's advantage and ln(draw) then have a normal prior around 0 with
    variance 1 / precision. With `is_balanced` the counts BALANCE of a game between equal players are added.

    Precondition: with `precision` 0 the likelihood has a maximum, which linked_groups() and is_bounded() help to check.
    If it has none, this function raises numpy.linalg.LinAlgError or returns useless figures.
    """
    import numpy

    pairs = sorted(counts)
    results = [counts[pair] for pair in pairs]
    if is_balanced:
        pairs.append((0, 0))
        results.append(BALANCE)
    numbers = numpy.array(results).reshape(-1, 3)
    has_draws = bool(numbers[:, DRAW].any())
    # The logarithm of a result's weight is linear in the parameters. derivatives[pair, result] has its derivatives in
    # all parameters: the strengths, the first mover's advantage and, if there is any draw, ln(draw).
    size = players + 1 + has_draws
    unit = numpy.eye(size)
    first_movers, others = [first for first, _other in pairs], [other for _first, other in pairs]
    win = (unit[first_movers] - unit[others] + unit[players]) / 2.0
    derivatives = numpy.stack((-win, numpy.broadcast_to(unit[-1], win.shape), win), axis=1)  # of LOSS, DRAW, WIN
    if not has_draws:
        derivatives, numbers = derivatives[:, (LOSS, WIN)], numbers[:, (LOSS, WIN)]
    games = numbers.sum(axis=1, keepdims=True)
    curvature = precision * unit
    if not precision:  # games give no information on a common shift of all strengths, so some is added
        curvature[:players, :players] = 1.0 / players

    def logarithms(parameters: "Floats") -> "Floats":
        """Return the logarithms of the results' probabilities, of shape (pairs, results)."""
        weights = derivatives @ parameters
        return weights - numpy.logaddexp.reduce(weights, axis=1, keepdims=True)

    def objective(parameters: "Floats") -> float:
        """Return the log-likelihood plus the logarithm of the prior."""
        return float(numpy.sum(numbers * logarithms(parameters)) - precision * parameters @ parameters / 2)

    # Newton's method with step halving.
    parameters, value = numpy.zeros(size), objective(numpy.zeros(size))
    for _step in range(MOST_STEPS):
        chance = numpy.exp(logarithms(parameters))
        slope = numpy.einsum("pr,prk->k", numbers - games * chance, derivatives) - precision * parameters
        information = curvature.copy()
        # Written with differences of two results it loses no digits if one result is nearly certain.
        for result, other in combinations(range(derivatives.shape[1]), 2):
            difference = derivatives[:, result] - derivatives[:, other]
            information += difference.T @ (games[:, 0] * chance[:, result] * chance[:, other] * difference.T).T
        numpy.linalg.cholesky(information)  # raises LinAlgError if there is no maximum
        step = numpy.linalg.solve(information, slope)
        decrement = float(step @ slope)
        if decrement < CONVERGED:
            parameters += step
            break
        # No parameter changes by more than 2 natural units. Halve the step until it increases the likelihood enough.
        part = min(1.0, 2.0 / float(abs(step).max()))
        while (reached := objective(parameters + part * step)) < value + part * decrement / 4 - ROUNDING * abs(value):
            part /= 2
        parameters, value = parameters + part * step, reached
    covariance = numpy.linalg.inv(information)
    if not precision:
        covariance[:players, :players] -= 1.0 / players
    draw = math.exp(parameters[-1]) if has_draws else 0.0
    return Fit(parameters[:players], float(parameters[players]), draw, covariance)


def linked_groups(players: int, counts: Counts) -> list[list[int]]:
    """Return the players 0 .. players - 1 in groups. Within a group all players are linked by games, maybe indirectly.

    The largest group comes first. Groups of equal size are ordered by their first player.
    """
    edges = [
        pair for (first, other), numbers in counts.items() if sum(numbers) for pair in ((first, other), (other, first))
    ]
    return _connected_groups(players, edges)


def rival_groups(players: int, counts: Counts) -> list[list[int]]:
    """Return the players 0 .. players - 1 in groups within which results go both ways, maybe indirectly (Ford).

    All results between two groups go one way: the players of one of them have won all games. The largest group comes
    first. Groups of equal size are ordered by their first player.
    """
    # An edge leads from a player to each player against whom it has won or drawn.
    edges = [(first, other) for (first, other), numbers in counts.items() if numbers[WIN] or numbers[DRAW]]
    edges += [(other, first) for (first, other), numbers in counts.items() if numbers[LOSS] or numbers[DRAW]]
    return _connected_groups(players, edges)


def _connected_groups(players: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the strongly connected components of a directed graph of players, in the order of linked_groups()."""
    import numpy

    reached = numpy.eye(players, dtype=bool)
    for edge in edges:
        reached[edge] = True
    reached = numpy.linalg.matrix_power(reached, max(players, 1))
    groups = {tuple(numpy.flatnonzero(row).tolist()) for row in reached & reached.T}
    return sorted(map(list, groups), key=lambda group: (-len(group), group[0]))


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
