"""Strength from game or pair counts: pure functions, definitions as in the literature on engine testing.

Counts run from the worst result to the best: three for single games (loss, draw, win), five for pairs of
games on one board with sides swapped (LL, LD, LW or DD, WD, WW). Source of the definitions: M. Van den Bergh,
"Normalized Elo" and "The generalized SPRT" (cantate.be/Fishtest).
"""

import math
from dataclasses import dataclass

from scipy.stats import norm

CONFIDENCE = 0.95
ZERO_COUNT = 1e-3  # stands in for a count of 0, so that every variance is positive
ELO_SCALE = 400.0
N_ELO_SCALE = 800.0 / math.log(10.0)


@dataclass(frozen=True)
class Estimate:
    """A strength difference seen from A, with its 95 % interval [lower, upper] in Elo.

    The bounds are infinite where the interval of the score reaches 0 or 1. `los` is the likelihood
    that A is the stronger.
    """

    score: float
    elo: float
    lower: float
    upper: float
    n_elo: float
    n_elo_error: float
    los: float

    @property
    def elo_error(self):
        """Half the interval's width: the single figure behind "+-"."""
        return (self.upper - self.lower) / 2


def expected_score(elo):
    """The score, 0..1, that this Elo difference predicts."""
    return 1.0 / (1.0 + 10.0 ** (-elo / ELO_SCALE))


def elo_of_score(score):
    """The Elo difference that predicts the score; -inf for 0 and less, inf for 1 and more."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return -ELO_SCALE * math.log10(1.0 / score - 1.0)


def estimate(counts):
    """The Estimate for counts, three (games) or five (pairs), worst result first.

    Raises ValueError for another number of counts, a negative one, or none above 0.
    """
    if len(counts) not in (3, 5) or min(counts) < 0 or not sum(counts):
        raise ValueError(f"counts are {list(counts)}, expected 3 or 5 numbers >= 0, not all 0")
    filled = [count or ZERO_COUNT for count in counts]
    total = sum(filled)
    classes = [index / (len(filled) - 1) for index in range(len(filled))]
    mean = sum(count * value for count, value in zip(filled, classes, strict=True)) / total
    variance = sum(count * (value - mean) ** 2 for count, value in zip(filled, classes, strict=True)) / total
    standard_error = math.sqrt(variance / total)
    quantile = float(norm.ppf((1.0 + CONFIDENCE) / 2.0))
    games_per_class = 1 if len(filled) == 3 else 2
    sigma_per_game = math.sqrt(games_per_class * variance)
    return Estimate(
        score=mean,
        elo=elo_of_score(mean),
        lower=elo_of_score(mean - quantile * standard_error),
        upper=elo_of_score(mean + quantile * standard_error),
        n_elo=(mean - 0.5) / sigma_per_game * N_ELO_SCALE,
        n_elo_error=quantile * standard_error / sigma_per_game * N_ELO_SCALE,
        los=float(norm.cdf((mean - 0.5) / standard_error)),
    )
