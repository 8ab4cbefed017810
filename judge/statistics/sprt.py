"""Sequential tests of two hypotheses on strength by the likelihood ratio of the results.

This is the generalized sequential probability ratio test. Many distributions of results have the strength that a
hypothesis states; the test takes the most likely of them. Source: M. Van den Bergh, "The generalized SPRT" and
"Normalized Elo" (cantate.be/Fishtest). For the form of counts see judge/statistics/elo.py.

A sequential test receives games in any order and decides by pairs in the order of the schedule. If several games are
played at a time, short games end first, and the order of arrival favours the player that wins quickly. Therefore only
the pairs before the first unfinished pair count, one after the other, and the first verdict is final.
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
LARGEST_ELO = 1000.0  # far more than a test needs; up to this strength every equation in this module has a solution
CONVERGED = 1e-10  # the largest change of a share in a step after which _fit_normalized() ends
MOST_STEPS = 1000  # of _fit_normalized()
STEEPEST_SLOPE = 20.0  # the largest slope of an exponential distribution; LARGEST_ELO needs less
SPRT_KEY = "sprt"  # the key in GameRecord.extra for the hypotheses of a test


@dataclass(frozen=True)
class Hypotheses:
    """Two hypotheses on the strength of a player. H0 states the strength `elo0`, and H1 the larger strength `elo1`.

    `alpha` is the risk of accepting H1 wrongly, and `beta` is the risk of accepting H0 wrongly. `model` says whether
    the strengths are Elo ("logistic") or normalized Elo ("normalized"). Raises ValueError, with the name of the value,
    if a value is out of range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = LOGISTIC

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            if not abs(getattr(self, name)) <= LARGEST_ELO:
                message = _("{name} is {value}, expected a number from -{most:g} to {most:g}")
                raise ValueError(message.format(name=name, value=getattr(self, name), most=LARGEST_ELO))
        if not self.elo0 < self.elo1:
            message = _("elo0 is {elo0:g} and elo1 {elo1:g}, expected elo0 below elo1")
            raise ValueError(message.format(elo0=self.elo0, elo1=self.elo1))
        for name in ("alpha", "beta"):
            if not 0.0 < getattr(self, name) < 0.5:
                message = _("{name} is {value}, expected a number above 0 and below 0.5")
                raise ValueError(message.format(name=name, value=getattr(self, name)))
        if self.model not in MODELS:
            message = _("{name} is {value!r}, expected one of {choices}")
            raise ValueError(message.format(name="model", value=self.model, choices=", ".join(MODELS)))

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds (lower, upper) of the log-likelihood ratio.

        H0 is accepted if the ratio is at most `lower`, and H1 if it is at least `upper`.
        """
        # These are differences of logarithms, because for risks close to 0 quotients would be infinite or 0.
        return math.log(self.beta) - math.log1p(-self.alpha), math.log1p(-self.beta) - math.log(self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio: ln(likelihood of `counts` under H1 / likelihood of `counts` under H0).

        Raises ValueError if no distribution of results satisfies a hypothesis.
        """
        classes, shares, number = elo.frequencies(counts)
        fit = _fit_logistic if self.model == LOGISTIC else _fit_normalized
        under0, under1 = (fit(classes, shares, strength) for strength in (self.elo0, self.elo1))
        return number * sum(
            share * math.log(share1 / share0) for share, share0, share1 in zip(shares, under0, under1, strict=True)
        )

    def verdict(self, llr: float) -> str | None:
        """Return the hypothesis that is accepted at the log-likelihood ratio `llr`: "H0", "H1" or None for neither."""
        lower, upper = self.bounds
        return "H0" if llr <= lower else "H1" if llr >= upper else None


def _fit_logistic(classes: Sequence[float], shares: Sequence[float], strength: float) -> list[float]:
    """Return the most likely of the distributions of results that have the Elo difference `strength`.

    `classes` are the scores of the possible results, and `shares` are the observed shares of the results. Raises
    ValueError if there is no such distribution.
    """
    score = elo.expected_score(strength)
    return _most_likely(shares, [value - score for value in classes])


def _fit_normalized(classes: Sequence[float], shares: Sequence[float], strength: float) -> list[float]:
    """Return the most likely of the distributions of results that have the normalized Elo difference `strength`.

    `classes` are the scores of the possible results, and `shares` are the observed shares of the results. Normalized
    Elo is proportional to (mean - 1/2) / sigma, so the condition is not linear in the distribution. It is linearized
    around the latest distribution again and again, until the distribution no longer changes. Raises ValueError if no
    distribution is found.
    """
    ratio = strength / elo.N_ELO_SCALE * math.sqrt(elo.games_per_class(classes))
    fitted = _exponential(classes, ratio)
    for _step in range(MOST_STEPS):
        mean, variance = elo.moments(classes, fitted)
        sigma = math.sqrt(variance)
        deviations = [value - 0.5 - ratio * sigma * (1.0 + ((value - mean) / sigma) ** 2) / 2.0 for value in classes]
        previous, fitted = fitted, _most_likely(shares, deviations)
        if max(abs(new - old) for new, old in zip(fitted, previous, strict=True)) < CONVERGED:
            return fitted
    message = _(
        "no distribution of results with a normalized Elo of {strength:g} was found: choose elo0 and elo1 closer to 0"
    )
    raise ValueError(message.format(strength=strength))


def _exponential(classes: Sequence[float], ratio: float) -> list[float]:
    """Return an exponential distribution over `classes` for which (mean - 1/2) / sigma is `ratio`.

    The share of each class is exp(slope) times the share of the class before it; for a ratio of 0 all shares are equal.
    _fit_normalized() starts from this distribution, because it meets the condition, and a condition that is linearized
    around a distribution that meets it has a solution.
    """

    def distribution(slope: float) -> list[float]:
        weights = [math.exp(slope * (index - len(classes) / 2)) for index in range(len(classes))]
        return [weight / sum(weights) for weight in weights]

    def excess(slope: float) -> float:
        mean, variance = elo.moments(classes, distribution(slope))
        return (mean - 0.5) / math.sqrt(variance) - ratio

    return distribution(_root(excess, -STEEPEST_SLOPE, STEEPEST_SLOPE))


def _most_likely(shares: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """Return the most likely of the distributions under which the mean of `deviations` is 0.

    `shares` are the observed shares of the classes, and `deviations` has a number for each class. The result is share /
    (1 + theta * deviation) for each class, with the only theta that satisfies the condition. No share of the result may
    exceed 1, so 1 + theta * deviation is at least the observed share. These inequalities enclose theta. Raises
    ValueError if there is no such distribution.
    """
    if not min(deviations) < 0.0 < max(deviations):
        raise ValueError(_("no distribution of results has the strength elo0 or elo1: choose it closer to 0"))
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
    """Return a root of `function`, which changes its sign between `low` and `high`."""
    from scipy.optimize import brentq  # here, because the import takes half a second, for which --help must not wait

    root: float = brentq(function, low, high)
    return root


def as_json(hypotheses: Hypotheses) -> dict[str, Any]:
    """Return the hypotheses as a JSON object for records."""
    return asdict(hypotheses)


def recorded_hypotheses(records: Sequence[GameRecord]) -> Hypotheses | None:
    """Return the hypotheses that the last of `records` has in its `extra`.

    Returns None if there is no record, or if the last record has no hypotheses or wrong ones.
    """
    content = records[-1].kept(SPRT_KEY) if records else {}
    try:
        return Hypotheses(**content) if content else None
    except (TypeError, ValueError):
        return None


class SequentialTest:
    """A sequential test of `hypotheses` on the strength of A by pairs of games.

    `records` are the records of the pairs until the verdict. A pair with a VOID game is left out. `counts` are the five
    numbers of results of the pairs that differ, see score.pairs_that_count(). `llr` is the latest log-likelihood ratio.
    `verdict` is "H0", "H1" or None while the test goes on.
    """

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.counts = [0] * 5
        self.records: list[GameRecord] = []
        self.llr = 0.0
        self.verdict: str | None = None
        self._unfinished: dict[int | None, list[GameRecord]] = {}
        self._next_pair = 0
        self._courses: set[object] = set()  # score.course_of_pair() of the pairs that count

    @property
    def pairs(self) -> int:
        """The number of different pairs."""
        return sum(self.counts)

    @property
    def pairs_to_come(self) -> float | None:
        """An estimate of how many more pairs it takes to reach a verdict, or None if the ratio has not moved.

        The estimate supposes that the log-likelihood ratio goes on moving as it has so far.
        """
        if self.verdict is not None:
            return 0.0
        if not self.llr:
            return None
        lower, upper = self.hypotheses.bounds
        return ((upper if self.llr > 0 else lower) / self.llr - 1) * self.pairs

    def add(self, record: GameRecord) -> str | None:
        """Add a game that has ended and return the verdict: "H0", "H1" or None while the test goes on.

        Raises ValueError if no distribution of results satisfies a hypothesis.
        """
        self._unfinished.setdefault(record.pair, []).append(record)
        while self.verdict is None and len(self._unfinished.get(self._next_pair, [])) == 2:
            self._count(self._unfinished.pop(self._next_pair))
            self._next_pair += 1
        return self.verdict

    def _count(self, pair: list[GameRecord]) -> None:
        """Count a pair, unless a game of it is VOID, and update the verdict. A repeated pair changes no figure.

        Raises ValueError if no distribution of results satisfies a hypothesis.
        """
        results = [result for record in pair if (result := score.result(record)) is not None]
        if len(results) < len(pair):
            return
        self.records += pair
        course = score.course_of_pair(pair)
        if course in self._courses:
            return
        self._courses.add(course)
        self.counts[sum(results)] += 1
        self.llr = self.hypotheses.llr(self.counts)
        self.verdict = self.hypotheses.verdict(self.llr)
