"""The verdict of a match or a sequential test: one sentence that says who is stronger."""

import math
from collections.abc import Sequence

from judge.language import _
from judge.reports.match import FEWEST_PAIRS, signed
from judge.statistics import elo, score
from judge.statistics.sprt import LOGISTIC, Hypotheses, SequentialTest
from judge.terminal import printable
from protocol.records.record import GameRecord

MOST_GAMES = 100_000  # nobody plays more; if more are needed, the verdict says that the difference is small
DIGITS = 2  # significant digits of the number of games still to play, which is a rough estimate


def of_match(records: Sequence[GameRecord]) -> str:
    """Return a sentence that says who is stronger, or roughly how many more games it takes to decide that.

    The match decides who is stronger if the 95 % interval of the Elo difference, computed from pairs, excludes 0.
    Precondition: there is at least one record.
    """
    new, old = names(records)
    counts = score.pairs_that_count(records)
    pairs, different = sum(score.pair_counts(records)), sum(counts)
    if different < FEWEST_PAIRS:
        if different < pairs:
            more = _("only {number} of the {pairs} pairs differ").format(number=different, pairs=pairs)
        else:
            more = _("at least {number} more games are needed").format(number=2 * (FEWEST_PAIRS - pairs))
        return _undecided(records, more)
    strength = elo.estimate(counts)
    if strength.lower > 0:
        return _with_figures(_("{new} is stronger than {old}").format(new=new, old=old), records)
    if strength.upper < 0:
        return _with_figures(_("{new} is weaker than {old}").format(new=new, old=old), records)
    return _undecided(records, _games_needed(2 * (elo.results_needed(counts) - different)))


def of_test(test: SequentialTest, records: Sequence[GameRecord]) -> str:
    """Return a sentence on what the accepted hypothesis says about the two players.

    If no hypothesis is accepted, the sentence says so, and roughly how many more games the test takes. `records` are
    the records of the test's pairs, or all records if no pair is complete. Precondition: there is at least one record.
    """
    new, old = names(records)
    low, high = test.hypotheses.elo0, test.hypotheses.elo1
    if test.verdict is None:
        to_come = test.pairs_to_come
        return _undecided(records, "" if to_come is None or test.pairs < FEWEST_PAIRS else _games_needed(2 * to_come))
    if test.verdict == "H1":
        sentence = _("{new} is stronger than {old}") if low >= 0 else _("{new} is not {elo} weaker than {old}")
    else:
        sentence = _("{new} is weaker than {old}") if high <= 0 else _("{new} is not {elo} stronger than {old}")
    # The two sentences with a figure are for hypotheses of opposite signs.
    figure = abs(low if test.verdict == "H1" else high)
    return _with_figures(sentence.format(new=new, old=old, elo=f"{figure:g} {unit_of(test.hypotheses)}"), records)


def unit_of(hypotheses: Hypotheses) -> str:
    """Return the unit of the strengths in the hypotheses, "Elo" or "nElo"."""
    return "Elo" if hypotheses.model == LOGISTIC else "nElo"


def names(records: Sequence[GameRecord]) -> tuple[str, str]:
    """Return the names of A and B in the latest record. If both have the same name, the side is added to each."""
    first, second = (printable(player.name) for player in records[-1].players)
    if first != second:
        return first, second
    return _("A ({player})").format(player=first), _("B ({player})").format(player=second)


def _with_figures(verdict: str, records: Sequence[GameRecord]) -> str:
    return _("{verdict}: {figures}").format(verdict=verdict, figures=_figures(records))


def _undecided(records: Sequence[GameRecord], more: str) -> str:
    """Return the sentence that the result is open. `more` says what it takes to decide it, or is ""."""
    new, old = names(records)
    sentence = _("not decided: {new} against {old}: {figures}").format(new=new, old=old, figures=_figures(records))
    return _("{text}; {more}").format(text=sentence, more=more) if more else sentence


def _figures(records: Sequence[GameRecord]) -> str:
    """Return a text with figures such as "+63 Elo (95 %: +21 to +108), 61 of 100 points".

    For too few games the text has only the points.
    """
    total, counts = score.score(records), score.pairs_that_count(records)
    halves = 2 * total.wins + total.draws
    points = _("{points} of {games} points").format(points=f"{halves // 2}{'.5' * (halves % 2)}", games=total.games)
    if sum(counts) < FEWEST_PAIRS:
        return points
    strength = elo.estimate(counts)
    bounds = _interval(strength.lower, strength.upper)
    if math.isinf(strength.elo):
        return _("{bound} Elo (95 %), {points}").format(bound=bounds, points=points)
    figures = _("{elo} Elo (95 %: {interval}), {points}")
    return figures.format(elo=signed(strength.elo, 0), interval=bounds, points=points)


def _interval(lower: float, upper: float) -> str:
    """Return an interval of the Elo difference in words. Its bounds may be infinite."""
    if math.isinf(lower) and math.isinf(upper):
        return _("no bounds")
    if math.isinf(upper):
        return _("over {figure}").format(figure=signed(lower, 0))
    if math.isinf(lower):
        return _("under {figure}").format(figure=signed(upper, 0))
    return _("{lower} to {upper}").format(lower=signed(lower, 0), upper=signed(upper, 0))


def _games_needed(games: float) -> str:
    """Return a text that says that about `games` more games are needed for a decision."""
    if games > MOST_GAMES:
        sentence = _(
            "any difference in this interval is possible; if it is as small as it looks, even "
            "{number:,} more games would not show it"
        )
        return sentence.format(number=MOST_GAMES)
    return _("about {number:,} more games are needed if they go the same way").format(number=rounded_up(games))


def rounded_up(games: float) -> int:
    """Return a number of games rounded up to an even number with at most DIGITS significant digits."""
    step = 10 ** max(0, len(str(math.ceil(games))) - DIGITS)
    rounded = math.ceil(games / step) * step
    return max(2, rounded + rounded % 2)
