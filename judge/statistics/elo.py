"""Elo differences from counts of results, by the definitions that are usual in testing engines.

Counts are ordered from the worst result to the best. There are three for single games (loss, draw, win), and five for
pairs of games on one board with the first move swapped (LL, LD, LW or DD, WD, WW). It is a precondition of the
functions below that counts are such numbers, at least 0 and not all 0.

Source of the definitions: M. Van den Bergh, "Normalized Elo" and "The generalized SPRT" (cantate.be/Fishtest).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
QUANTILE = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)  # half the 95 % interval, in standard deviations
ZERO_COUNT = 1e-3  # replaces a count of 0, so that every variance is positive
ELO_SCALE = 400.0
N_ELO_SCALE = 800.0 / math.log(10.0)

Figure = float | list[float | None] | None  # a value in JSON; None stands for an infinite number, a list is an interval


@dataclass(frozen=True)
class Estimate:
    """A difference in strength from A's point of view, `elo`, with its 95 % interval from `lower` to `upper` in Elo.

    `score` is A's score, from 0 to 1. `n_elo` is the normalized Elo difference, and `n_elo_error` its error. `los` is
    the likelihood that A is stronger. A bound is infinite if the interval of the score reaches 0 or 1.

    If all results are alike they do not show how much results vary. Other results may then be as frequent as the exact
    bound of Clopper and Pearson (1934) allows, and the interval holds the scores with so many of the worst results, or
    of the best. If all results are the best possible, `elo` and `n_elo` are infinite, and only `lower` is finite. If
    all are the worst possible, only `upper` is finite.
    """

    score: float
    elo: float
    lower: float
    upper: float
    n_elo: float
    n_elo_error: float
    los: float

    @property
    def elo_error(self) -> float:
        """The error of `elo`, which stands after "+-": half the width of the interval."""
        return (self.upper - self.lower) / 2


def expected_score(elo: float) -> float:
    """Return the score, from 0 to 1, that the Elo difference `elo` predicts."""
    return 1.0 / (1.0 + 10.0 ** (-elo / ELO_SCALE))


def elo_of_score(score: float) -> float:
    """Return the Elo difference that predicts `score`. It is -inf for 0 or less, and inf for 1 or more."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return -ELO_SCALE * math.log10(1.0 / score - 1.0)


def frequencies(counts: Sequence[int]) -> tuple[list[float], list[float], float]:
    """Return (scores of the classes, shares of the classes, sum of the counts).

    A class is one possible result. Its score is from 0 to 1, and its share is the part of the results that fall into
    it. A count of 0 is replaced by ZERO_COUNT.
    """
    filled = [count or ZERO_COUNT for count in counts]
    number = sum(filled)
    classes = [index / (len(filled) - 1) for index in range(len(filled))]
    return classes, [count / number for count in filled], number


def moments(classes: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    """Return (mean, variance) of the score. `classes` are the scores of the classes, and `shares` their shares."""
    mean = sum(share * value for share, value in zip(shares, classes, strict=True))
    return mean, sum(share * (value - mean) ** 2 for share, value in zip(shares, classes, strict=True))


def games_per_class(classes: Sequence[float]) -> int:
    """Return how many games a result consists of: 1 for the three classes of single games, 2 for the five of pairs."""
    return 1 if len(classes) == 3 else 2


def estimate(counts: Sequence[int]) -> Estimate:
    """Return the Estimate that follows from `counts`, three counts of games or five of pairs, worst result first."""
    classes, shares, number = frequencies(counts)
    if sum(counts) in counts:  # all results are alike, see Estimate
        mean = classes[counts.index(sum(counts))]
        least_share = (1.0 - CONFIDENCE) ** (1.0 / sum(counts))  # of the result that all have had, by the exact bound
        lowest, highest = least_share * mean, 1.0 - least_share * (1.0 - mean)
        standard_error = (highest - lowest) / (2.0 * QUANTILE)
        return Estimate(
            score=mean,
            elo=elo_of_score(mean),
            lower=elo_of_score(lowest),
            upper=elo_of_score(highest),
            n_elo=math.copysign(math.inf, mean - 0.5) if mean != 0.5 else 0.0,
            n_elo_error=math.inf,
            los=NormalDist().cdf((mean - 0.5) / standard_error),
        )
    mean, variance = moments(classes, shares)
    standard_error = math.sqrt(variance / number)
    sigma_per_game = math.sqrt(games_per_class(classes) * variance)
    return Estimate(
        score=mean,
        elo=elo_of_score(mean),
        lower=elo_of_score(mean - QUANTILE * standard_error),
        upper=elo_of_score(mean + QUANTILE * standard_error),
        n_elo=(mean - 0.5) / sigma_per_game * N_ELO_SCALE,
        n_elo_error=QUANTILE * standard_error / sigma_per_game * N_ELO_SCALE,
        los=NormalDist().cdf((mean - 0.5) / standard_error),
    )


def results_needed(counts: Sequence[int]) -> float:
    """Return how many results it takes until the 95 % interval excludes 0, if they are distributed as in `counts`.

    Returns inf for a score of 50 %.
    """
    classes, shares, _number = frequencies(counts)
    if sum(counts) in counts:  # see Estimate
        mean = classes[counts.index(sum(counts))]
        return math.inf if mean == 0.5 else math.log(1.0 - CONFIDENCE) / math.log(0.5 / max(mean, 1.0 - mean))
    mean, variance = moments(classes, shares)
    if mean == 0.5:
        return math.inf
    return (QUANTILE / (mean - 0.5)) ** 2 * variance


def figures(counts: Sequence[int]) -> dict[str, Figure]:
    """Return the Estimate, unrounded, as the content of a JSON object. Infinite and unknown figures are None.

    The counts may all be 0. All figures are None then.
    """
    if not sum(counts):
        return dict.fromkeys(("elo", "elo_error", "elo_interval", "nelo", "nelo_error", "los"))
    strength = estimate(counts)
    return {
        "elo": _finite(strength.elo),
        "elo_error": _finite(strength.elo_error),
        "elo_interval": [_finite(strength.lower), _finite(strength.upper)],
        "nelo": _finite(strength.n_elo),
        "nelo_error": _finite(strength.n_elo_error),
        "los": strength.los,
    }


def _finite(figure: float) -> float | None:
    """Return `figure`, or None if it is infinite, which JSON cannot express."""
    return figure if math.isfinite(figure) else None
