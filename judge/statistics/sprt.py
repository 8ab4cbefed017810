"""Sequential tests of two hypotheses on strength by the likelihood ratio of the results.

This is the generalized sequential probability ratio test: under each hypothesis, the distribution of results is the
most likely of those that have the strength of the hypothesis. Source: M. Van den Bergh, "The generalized SPRT" and
"Normalized Elo" (cantate.be/Fishtest). Counts are as in judge.statistics.elo.

A sequential test receives games in any order and decides by pairs in the order of the schedule. Short games end first,
so that with several games at a time the order of arrival favours the player that wins quickly. Therefore only the pairs
before the first unfinished pair count, one after the other, and the first verdict is final.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judge.language import _
from judge.statistics import elo, score
from protocol.records.record import GameRecord

LOGISTIC = "logistic"
MODELS = (LOGISTIC, "normalized")
LARGEST_ELO = 1000.0  # far more than a test needs; up to here every equation in this module has a solution
CONVERGED = 1e-10
MOST_ITERATIONS = 1000
STEEPEST_SLOPE = 20.0  # the largest slope of an exponential distribution; LARGEST_ELO needs less
KEY = "sprt"  # the key in GameRecord.extra for the hypotheses of a test


@dataclass(frozen=True)
class Hypotheses:
    """Two hypotheses. H0 states that the strength is `elo0`, H1 that it is `elo1`, which is larger.

    `alpha` is the risk of accepting H1 wrongly, `beta` that of accepting H0 wrongly. `model` says whether the strengths
    are Elo ("logistic") or normalized Elo ("normalized"). Raises ValueError with the name of a value that is out of
    range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = LOGISTIC

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            if not abs(getattr(self, name)) <= LARGEST_ELO:
                message = _("{name} is {value}, expected at most {most:g} either way")
                raise ValueError(message.format(name=name, value=getattr(self, name), most=LARGEST_ELO))
        if not self.elo0 < self.elo1:
            message = _("elo0 is {elo0:g} and elo1 {elo1:g}, expected elo0 below elo1")
            raise ValueError(message.format(elo0=self.elo0, elo1=self.elo1))
        for name in ("alpha", "beta"):
            if not 0.0 < getattr(self, name) < 0.5:
                message = _("{name} is {value}, expected above 0 and below 0.5")
                raise ValueError(message.format(name=name, value=getattr(self, name)))
        if self.model not in MODELS:
            message = _("{name} is {value!r}, expected one of {choices}")
            raise ValueError(message.format(name="model", value=self.model, choices=", ".join(MODELS)))

    @property
    def bounds(self) -> tuple[float, float]:
        """(lower, upper): H0 is accepted if llr() is at or below `lower`, H1 if it is at or above `upper`."""
        # Differences of logarithms, because the quotients would be infinite or 0 for risks close to 0.
        return math.log(self.beta) - math.log1p(-self.alpha), math.log1p(-self.beta) - math.log(self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio: ln(likelihood of the counts under H1 / that under H0); 0 without results.

        Raises ValueError as elo.frequencies() does, and if no distribution of results satisfies a hypothesis.
        """
        if len(counts) in (3, 5) and not any(counts):
            return 0.0
        classes, shares, number = elo.frequencies(counts)
        fit = _fit_score if self.model == LOGISTIC else _fit_normalized
        under0, under1 = (fit(classes, shares, strength) for strength in (self.elo0, self.elo1))
        return number * sum(
            share * math.log(share1 / share0) for share, share0, share1 in zip(shares, under0, under1, strict=True)
        )

    def verdict(self, llr: float) -> str | None:
        """Return the hypothesis accepted at this ratio, "H0" or "H1", or None while the test goes on."""
        lower, upper = self.bounds
        return "H0" if llr <= lower else "H1" if llr >= upper else None


def _fit_score(classes: Sequence[float], shares: Sequence[float], strength: float) -> list[float]:
    score = elo.expected_score(strength)
    return _tilted(shares, [value - score for value in classes])


def _fit_normalized(classes: Sequence[float], shares: Sequence[float], strength: float) -> list[float]:
    """Return the most likely distribution of results whose normalized Elo is `strength`, given the shares found.

    Normalized Elo is proportional to (mean - 1/2) / sigma. This condition is not linear in the distribution. So it is
    linearized around the latest distribution, until that no longer changes.
    """
    ratio = strength / elo.N_ELO_SCALE * math.sqrt(elo.games_per_class(classes))
    fitted = _exponential(classes, ratio)
    for _step in range(MOST_ITERATIONS):
        mean, variance = elo.moments(classes, fitted)
        sigma = math.sqrt(variance)
        previous, fitted = (
            fitted,
            _tilted(
                shares, [value - 0.5 - ratio * sigma * (1.0 + ((value - mean) / sigma) ** 2) / 2.0 for value in classes]
            ),
        )
        if max(abs(new - old) for new, old in zip(fitted, previous, strict=True)) < CONVERGED:
            return fitted
    message = _("no distribution with a normalized Elo of {strength:g} was found for these counts")
    raise ValueError(message.format(strength=strength))


def _exponential(classes: Sequence[float], ratio: float) -> list[float]:
    """Return an exponential distribution over the classes whose (mean - 1/2) / sigma is `ratio`.

    The share of each class is exp(slope) times that of the class before it; for a ratio of 0 all are equal. It is a
    good start for _fit_normalized(): linearized around a distribution that meets it, the condition has a solution.
    """

    def with_slope(slope: float) -> list[float]:
        weights = [math.exp(slope * (index - len(classes) / 2)) for index in range(len(classes))]
        return [weight / sum(weights) for weight in weights]

    def excess(slope: float) -> float:
        mean, variance = elo.moments(classes, with_slope(slope))
        return (mean - 0.5) / math.sqrt(variance) - ratio

    return with_slope(_root(excess, -STEEPEST_SLOPE, STEEPEST_SLOPE))


def _tilted(shares: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """Return the most likely distribution, given the shares found, under which the mean of the deviations is 0.

    It is share / (1 + theta * deviation) for the only theta that satisfies the condition. None of these may exceed 1,
    so 1 + theta * deviation is at least the share; these inequalities enclose theta. Raises ValueError if there is no
    such distribution.
    """
    if not min(deviations) < 0.0 < max(deviations):
        raise ValueError(_("the hypothesis is too extreme: no distribution of results satisfies it"))
    ends = [(share / 2.0 - 1.0) / deviation for share, deviation in zip(shares, deviations, strict=True) if deviation]
    theta = _root(
        lambda theta: sum(
            share * deviation / (1.0 + theta * deviation) for share, deviation in zip(shares, deviations, strict=True)
        ),
        max(end for end in ends if end < 0.0),
        min(end for end in ends if end > 0.0),
    )
    return [share / (1.0 + theta * deviation) for share, deviation in zip(shares, deviations, strict=True)]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return a root of a function that changes its sign between `low` and `high`."""
    from scipy.optimize import (
        brentq,  # imported here because it takes half a second, which --help and completion must not wait for
    )

    found: float = brentq(function, low, high)
    return found


def as_json(hypotheses: Hypotheses) -> dict[str, Any]:
    """Return the hypotheses as a JSON object for records."""
    return asdict(hypotheses)


def recorded(records: Sequence[GameRecord]) -> Hypotheses | None:
    """Return the hypotheses stored in the latest of the records, or None if it has none or wrong ones."""
    kept = records[-1].kept(KEY) if records else {}
    try:
        return Hypotheses(**kept) if kept else None
    except (TypeError, ValueError):
        return None


class SequentialTest:
    """A sequential test of `hypotheses` on the strength of A by pairs of games.

    `counts` are the results of the pairs that count, and `records` their games. `llr` is the latest log-likelihood
    ratio, and `verdict` is "H0", "H1" or None. Pairs with a VOID game are left out.
    """

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.counts = [0] * 5
        self.records: list[GameRecord] = []
        self.llr = 0.0
        self.verdict: str | None = None
        self._unfinished: dict[int | None, list[GameRecord]] = {}
        self._next_pair = 0

    @property
    def pairs(self) -> int:
        """The number of pairs that count."""
        return sum(self.counts)

    @property
    def pairs_to_come(self) -> float | None:
        """An estimate of the pairs that a verdict still takes, or None if the ratio has not moved.

        It supposes that the ratio goes on moving as it has so far.
        """
        if self.verdict is not None:
            return 0.0
        if not self.llr:
            return None
        lower, upper = self.hypotheses.bounds
        return ((upper if self.llr > 0 else lower) / self.llr - 1) * self.pairs

    def add(self, record: GameRecord) -> str | None:
        """Add a game and return the verdict."""
        self._unfinished.setdefault(record.pair, []).append(record)
        while self.verdict is None and len(self._unfinished.get(self._next_pair, [])) == 2:
            self._count(self._unfinished.pop(self._next_pair))
            self._next_pair += 1
        return self.verdict

    def _count(self, pair: list[GameRecord]) -> None:
        results = [result for record in pair if (result := score.result(record)) is not None]
        if len(results) < len(pair):
            return
        self.counts[sum(results)] += 1
        self.records += pair
        self.llr = self.hypotheses.llr(self.counts)
        self.verdict = self.hypotheses.verdict(self.llr)
