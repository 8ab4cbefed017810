"""The verdict of a match or a sequential test: one sentence that says who is stronger."""

import math
from collections.abc import Sequence

from judge.language import _
from judge.reports.match import FEWEST_PAIRS, estimate, interval_in_words, signed
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
    counts = score.pairs_that_count(records)
    pairs, different = sum(score.pair_counts(records)), sum(counts)
    strength = estimate(counts)
    if strength is None:
        if different < pairs:
            repeated = _("only {number} of the {pairs} pairs of games count, because the others repeat one of them")
            return _undecided(records, repeated.format(number=different, pairs=pairs))
        needed = _("at least {number} more games are needed to decide").format(number=2 * (FEWEST_PAIRS - pairs))
        return _undecided(records, needed)
    if strength.lower > 0:
        return _with_figures(_("{new} is stronger than {old}: {figures}"), records)
    if strength.upper < 0:
        return _with_figures(_("{new} is weaker than {old}: {figures}"), records)
    return _undecided(records, _games_needed(2 * (elo.results_needed(counts) - different)))


def of_test(test: SequentialTest, records: Sequence[GameRecord]) -> str:
    """Return a sentence on what the accepted hypothesis says about the two players.

    If no hypothesis is accepted, the sentence says so, and roughly how many more games the test takes. `records` are
    the records of the test's pairs, or all records if no pair is complete. Precondition: there is at least one record.
    """
    low, high = test.hypotheses.elo0, test.hypotheses.elo1
    if test.verdict is None:
        to_come = test.pairs_to_come
        return _undecided(records, "" if to_come is None or test.pairs < FEWEST_PAIRS else _games_needed(2 * to_come))
    if test.verdict == "H1" and low >= 0:
        form = _("{new} is stronger than {old}: {figures}")
    elif test.verdict == "H1":
        form = _("{new} is not {elo} weaker than {old}: {figures}")
    elif high <= 0:
        form = _("{new} is weaker than {old}: {figures}")
    else:
        form = _("{new} is not {elo} stronger than {old}: {figures}")
    bound = abs(low if test.verdict == "H1" else high)
    return _with_figures(form, records, elo=f"{bound:g} {unit_of(test.hypotheses)}")


def unit_of(hypotheses: Hypotheses) -> str:
    """Return the unit of the strengths in the hypotheses, "Elo" or "nElo"."""
    return "Elo" if hypotheses.model == LOGISTIC else "nElo"


def names(records: Sequence[GameRecord]) -> tuple[str, str]:
    """Return the names of A and B in the latest record. If both have the same name, the side is added to each."""
    first, second = (printable(player.name) for player in records[-1].players)
    if first != second:
        return first, second
    return _("A ({player})").format(player=first), _("B ({player})").format(player=second)


def _undecided(records: Sequence[GameRecord], more: str) -> str:
    """Return the sentence that the result is open. `more` says what it takes to decide it, or is ""."""
    if more:
        return _with_figures(_("not decided: {new} against {old}: {figures}; {more}"), records, more=more)
    return _with_figures(_("not decided: {new} against {old}: {figures}"), records)


def _with_figures(form: str, records: Sequence[GameRecord], **fields: str) -> str:
    """Return the sentence `form` with the players' names, the `fields`, and figures.

    The figures are a text such as "+63 Elo (95 %: +21 to +108), 61 of 100 points". For too few games it has only the
    points.
    """
    new, old = names(records)
    total, strength = score.score(records), estimate(score.pairs_that_count(records))
    halves = 2 * total.wins + total.draws
    figures = _("{points} of {games} points").format(points=f"{halves // 2}{'.5' * (halves % 2)}", games=total.games)
    if strength is not None:
        interval = interval_in_words(strength, _("{lower} to {upper}"))
        with_elo = _("{elo} Elo (95 %: {interval}), {points}")
        if math.isinf(strength.elo):
            with_elo = _("{interval} Elo (95 %), {points}")
        figures = with_elo.format(elo=signed(strength.elo, 0), interval=interval, points=figures)
    return form.format(new=new, old=old, figures=figures, **fields)


def _games_needed(games: float) -> str:
    """Return a text that says that about `games` more games are needed for a decision."""
    if games > MOST_GAMES:
        sentence = _(
            "any difference within the interval of the Elo difference is possible; if the difference is as small as it "
            "looks, even {number:,} more games would not show it"
        )
        return sentence.format(number=MOST_GAMES)
    return _("about {number:,} more games are needed if they go like the games so far").format(number=rounded_up(games))


def rounded_up(games: float) -> int:
    """Return a number of games rounded up to an even number with at most DIGITS significant digits."""
    step = 10 ** max(0, len(str(math.ceil(games))) - DIGITS)
    rounded = math.ceil(games / step) * step
    return max(2, rounded + rounded % 2)
