"""Which pair of games tells most about ratings: the one that is expected to make the errors of most use smallest.

Before any game strengths are taken for normal, with the deviation that Glickman's rating systems begin with; after the
games on some boards the covariance says what is unknown of them. Two more games on one board, of two players, lower the
variance of each rating by a share that does not depend on their results. The pair is best that lowers the sum of these
variances most (A-optimality), be it of all players or of those alone whose errors are still too large. A pair that
is nearly certain to be won tells little, so neighbours meet most.

Sources: K. Chaloner and I. Verdinelli, Statist. Sci. 10 (1995) 273; M. E. Glickman, Appl. Statist. 48 (1999) 377.
"""

from collections.abc import Collection, Iterable, Sequence
from operator import mul
from typing import NamedTuple

from judge.statistics import bradley_terry
from judge.statistics.ratings import ELO, Board, counted

FIRST_DEVIATION = 350.0  # Elo
PRECISION = (ELO / FIRST_DEVIATION) ** 2


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
