"""The summary of a match: tables for people, one JSON object for programs.

In all functions `counts` are either three numbers of games, by result (LOSS, DRAW, WIN), or five numbers of pairs, by
result (LL, LD, LW or DD, WD, WW). Results are from A's point of view.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judge.language import _
from judge.play.scoresheet import ending_in_words
from judge.processes.process import PLATFORM_BYTES
from judge.reports import phases
from judge.reports.tables import ReportTable
from judge.statistics import elo, score
from judge.terminal import MEGABYTE
from protocol.records.record import GameRecord

FEWEST_PAIRS = 5  # with fewer pairs no strength is stated, because one more pair could reverse the statement


def estimate(counts: Sequence[int]) -> elo.Estimate | None:
    """Return the Estimate of A's strength, or None if there are too few results."""
    # A pair has five results: LL, LD, LW or DD, WD, WW.
    fewest = FEWEST_PAIRS if len(counts) == 5 else 2 * FEWEST_PAIRS
    return elo.estimate(counts) if sum(counts) >= fewest else None


def signed(figure: float, digits: int) -> str:
    """Return `figure` as a text, rounded to `digits` decimals, with a sign. The sign of 0 is "+"."""
    return f"{round(figure, digits) + 0.0:+.{digits}f}"  # adding 0.0 turns -0.0 into 0.0


class StrengthTexts(NamedTuple):
    """Texts on A's strength for tables: Elo with its error, its 95 % interval, normalized Elo, and the LOS in percent.

    A text is "-" if there are too few results to state it.
    """

    elo: str = "-"
    interval: str = "-"
    n_elo: str = "-"
    los: str = "-"


def strength_in_words(counts: Sequence[int]) -> StrengthTexts:
    """Return the StrengthTexts of `counts`, such as ("+55.6 +-27.7", "+28 .. +84", "+57.9 +-28.3", "99.9%").

    If the Elo difference is infinite, its bound stands for the difference and for the interval.
    """
    strength = estimate(counts)
    if strength is None:
        return StrengthTexts()
    interval = interval_in_words(strength, "{lower} .. {upper}")
    error = "" if math.isinf(strength.elo_error) else f" +-{strength.elo_error:.1f}"
    n_elo = f"{signed(strength.n_elo, 1)} +-{strength.n_elo_error:.1f}"
    return StrengthTexts(
        elo=interval if math.isinf(strength.elo) else signed(strength.elo, 1) + error,
        interval=interval,
        n_elo="-" if math.isinf(strength.n_elo_error) else n_elo,
        los=f"{strength.los:.1%}",
    )


def interval_in_words(strength: elo.Estimate, form: str) -> str:
    """Return a text with the 95 % interval of the Elo difference, whose bounds may be infinite.

    If both bounds are finite, the text is `form` with the bounds as {lower} and {upper}.
    """
    lower, upper = signed(strength.lower, 0), signed(strength.upper, 0)
    if math.isinf(strength.lower) and math.isinf(strength.upper):
        return _("no bounds")
    if math.isinf(strength.upper):
        return _("over {figure}").format(figure=lower)
    if math.isinf(strength.lower):
        return _("under {figure}").format(figure=upper)
    return form.format(lower=lower, upper=upper)


def sample_in_words(records: Sequence[GameRecord]) -> str:
    """Return a sentence on how many judged games repeat another game, and on how many games and pairs are different."""
    games, pairs = score.score(records).games, sum(score.pair_counts(records))
    distinct, distinct_pairs = score.distinct_games(records), sum(score.pairs_that_count(records))
    sample = _(
        "duplicates: {duplicates} of {games} games repeat the board and the moves of another game; "
        "different: {distinct} games, {distinct_pairs} of {pairs} pairs"
    ).format(duplicates=games - distinct, games=games, distinct=distinct, distinct_pairs=distinct_pairs, pairs=pairs)
    if distinct_pairs >= FEWEST_PAIRS:
        return sample
    return sample + _("; Elo needs at least {number} different pairs").format(number=FEWEST_PAIRS)


def score_in_words(records: Sequence[GameRecord]) -> str:
    """Return a text with A's wins, draws and losses, and A's score in percent."""
    total = score.score(records)
    counts = _("{wins} won {draws} drawn {losses} lost").format(wins=total.wins, draws=total.draws, losses=total.losses)
    return f"{counts}  {score.percent(total)}"


def running_score(records: Sequence[GameRecord], scheduled: int) -> str:
    """Return one line with the score of the match so far. `scheduled` is the number of games that are planned."""
    games = _("{played}/{total} games").format(played=len(records), total=scheduled)
    strength = strength_in_words(score.games_that_count(records))
    return f"{games}  A {score_in_words(records)}  Elo {strength.elo}"


def tables(records: Sequence[GameRecord]) -> list[ReportTable]:
    """Return the tables of score and strength. Precondition: at least one record."""
    counts = score.pair_counts(records)
    names = _("LL"), _("LD"), _("LW DD"), _("WD"), _("WW")
    pairs = _table(_("Pairs of games (A: W won D drew L lost)"), _("pairs"), _("number"), *names)
    pairs.add_row(_("all"), *map(str, (sum(counts), *counts)))
    strength = _table(_("Strength of A over B, from pairs"), "Elo", "95 %", "nElo", "LOS")
    strength.add_row(*strength_in_words(score.pairs_that_count(records)))
    return [_score_table(records), pairs, strength]


def details(records: Sequence[GameRecord]) -> list[ReportTable]:
    """Return the tables of endings, times and memory. Precondition: at least one record."""
    return [_ending_table(records), _cost_table(records)]


def _table(title: str, *headings: str) -> ReportTable:
    """Return an empty table whose first column is left-aligned and whose other columns are right-aligned."""
    return ReportTable(title, headings, left=headings[:1])


def _score_table(records: Sequence[GameRecord]) -> ReportTable:
    headings = (_("games"), _("number"), _("won"), _("drawn"), _("lost"), _("score"), "Elo", "95 %")
    table = ReportTable(_("Score of A"), headings, left=headings[:1], spare=[headings[-2:]])
    for name, chosen in (
        (_("all"), records),
        (_("A first"), [record for record in records if record.first == "A"]),
        (_("A second"), [record for record in records if record.first == "B"]),
    ):
        total, strength = score.score(chosen), strength_in_words(score.games_that_count(chosen))
        numbers = map(str, (total.games, total.wins, total.draws, total.losses))
        table.add_row(name, *numbers, score.percent(total), strength.elo, strength.interval)
    return table


def _ending_table(records: Sequence[GameRecord]) -> ReportTable:
    table = _table(_("Endings"), _("ending"), _("games"), _("A at fault"), _("B at fault"))
    faults = {side: score.forfeits(records, side) for side in "AB"}
    for name, count in score.terminations(records).items():
        table.add_row(ending_in_words(name), str(count), *(str(faults[side].get(name, 0)) for side in "AB"))
    return table


def _cost_table(records: Sequence[GameRecord]) -> ReportTable:
    table = phases.table(_("Seconds: mean / 95 % / slowest; memory"), records, "A", "B")
    table.add_row(_("total CPU time (s)"), *(f"{sum(_measured(records, side, 'cpu_s')):.1f}" for side in "AB"))
    peaks = [_measured(records, side, "peak_rss_bytes") for side in "AB"]
    table.add_row(_("peak memory (MB)"), *(f"{max(peak) / MEGABYTE:.0f}" if peak else "-" for peak in peaks))
    stderr_sizes = [_measured(records, side, "stderr_bytes") for side in "AB"]
    large = [str(sum(size > PLATFORM_BYTES for size in sizes)) for sizes in stderr_sizes]
    table.add_row(_("games with over 64 KB of stderr"), *large)
    return table


def _measured(records: Sequence[GameRecord], side: str, name: str) -> list[Any]:
    """Return the values that the records have for the measurement `name` of `side`, such as "cpu_s"."""
    return [record.extra[side][name] for record in records if name in record.kept(side)]


def summary(records: Sequence[GameRecord]) -> dict[str, Any]:
    """Return the match as the content of a JSON object. Infinite and unknown figures become None."""
    total, distinct, pairs = score.score(records), score.distinct_games(records), score.pairs_that_count(records)
    return {
        "games": total.games,
        "wins": total.wins,
        "draws": total.draws,
        "losses": total.losses,
        **_rounded(elo.figures(score.games_that_count(records))),
        "terminations": score.terminations(records),
        "at_fault": {side: score.forfeits(records, side) for side in "AB"},
        "times": phases.summary(records),
        "duplicates": total.games - distinct,
        "effective_games": distinct,
        "pairs": {
            "counts": score.pair_counts(records),
            "effective": sum(pairs),
            **_rounded(elo.figures(pairs)),
        },
    }


def _rounded(figures: Mapping[str, elo.Figure]) -> dict[str, Any]:
    """Return the figures rounded: a likelihood to 4 decimals, all others to 2."""
    return {name: _round(value, 4 if name == "los" else 2) for name, value in figures.items()}


def _round(value: elo.Figure, digits: int) -> Any:
    if isinstance(value, list):
        return [_round(part, digits) for part in value]
    return None if value is None else round(value, digits)
