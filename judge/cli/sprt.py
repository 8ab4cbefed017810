"""`python -m judge sprt A B`: plays pairs until one of two hypotheses on the strength of A is accepted."""

import argparse
from collections.abc import Sequence
from typing import Any

from judge import terminal
from judge.cli import arguments, llr, number_types, playing
from judge.cli.exits import replay_command
from judge.cli.parser import Parser
from judge.language import _
from judge.reports import circumstances
from judge.reports import match as report
from judge.statistics import sprt
from judge.statistics.sprt import SequentialTest
from protocol.records.record import GameRecord

DEFAULT_GAMES = 20000
BAR_CELLS = 31


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = Parser(
        "sprt",
        description=arguments.paragraph(
            _("Play pairs of games until it is clear whether A is stronger than B by elo0 or by elo1."),
            arguments.players_help(),
        ),
        epilog=arguments.paragraph(arguments.exit_help_of_runs(), _("Verdict or none, it exits with 0.")),
    )
    playing.add_pair_options(parser)
    llr.add_hypotheses(parser)
    parser.add_argument(
        "--games",
        type=number_types.count,
        default=DEFAULT_GAMES,
        metavar="MAX",
        help=_("end without a verdict after so many games (default: {number})").format(number=DEFAULT_GAMES),
    )
    arguments.add_record_options(parser, "sprt")
    options = parser.parse_args(words)
    test = SequentialTest(llr.from_options(parser, options))
    run = playing.play_pairs(
        parser,
        options,
        "sprt",
        line=lambda records: _state(test, records),
        on_record=lambda record: test.add(record) is not None,
        also={sprt.KEY: sprt.as_json(test.hypotheses)},
        replay_void=False,  # a later result would change the order of the pairs
    )
    _conclude(test, run, options)
    return run.end()


def bar(figure: float, bounds: tuple[float, float]) -> str:
    """Return a bar of BAR_CELLS characters from 0 to the figure, on a scale between the bounds."""
    lower, upper = bounds
    place, zero = (
        round((min(max(value, lower), upper) - lower) / (upper - lower) * (BAR_CELLS - 1)) for value in (figure, 0.0)
    )
    first, last = min(place, zero), max(place, zero)
    return "".join("|" if cell == zero else "█" if first <= cell <= last else "·" for cell in range(BAR_CELLS))


def _state(test: SequentialTest, records: Sequence[GameRecord]) -> str:
    lower, upper = test.hypotheses.bounds
    pairs = _("{number} pairs {counts}").format(number=test.pairs, counts=test.counts)
    return (
        f"{report.results_of_a(records)}  LLR {test.llr:+.2f}  "
        f"{bar(test.llr, (lower, upper))}  H0 {lower:.2f} {upper:+.2f} H1  {pairs}"
    )


def _conclude(test: SequentialTest, run: playing.PairedRun, options: argparse.Namespace) -> None:
    console, records, path = terminal.console(), run.records, run.config.record
    lower, upper = test.hypotheses.bounds
    for table in report.tables(test.records) if test.records else []:
        console.print(table)
    if test.records:
        console.print(report.sample_in_words(test.records), soft_wrap=True)
    if records:
        playing.tell_conditions(console, records, run.void_attempts)
    playing.tell_forfeits_and_prints(console, records, path)
    beyond = len(records) - len(test.records)
    if beyond:
        left_out = _("{number} games do not count: beyond the verdict, VOID, or without their partner")
        console.print(left_out.format(number=beyond))
    strength = "Elo" if options.model == "logistic" else "nElo"
    standing = _(
        "H0: A is stronger by {elo0:g} {unit}, H1: by {elo1:g}; "
        "LLR {llr:.2f}, bounds {lower:.2f} and {upper:.2f}, {number} pairs {counts}"
    ).format(
        elo0=options.elo0,
        elo1=options.elo1,
        unit=strength,
        llr=test.llr,
        lower=lower,
        upper=upper,
        number=test.pairs,
        counts=test.counts,
    )
    console.print(standing, soft_wrap=True)
    if records:
        console.print(_("result: {results}").format(results=report.results_of_a(records)), soft_wrap=True)
    verdict = _("{hypothesis} accepted").format(hypothesis=test.verdict) if test.verdict else _("no verdict")
    console.print(verdict, style="bold")
    if test.verdict is None:
        ended = len(records) >= options.games
        print(run.advice(_(" and a larger --games") if ended else ""), flush=True)
    if records and not any(record.at_fault for record in records):  # else failing games have lines of their own
        console.print(_("replay: {command}").format(command=replay_command(path, 1)), soft_wrap=True)
    if options.json:
        print(terminal.json_line(_outcome(test, options, run)), flush=True)


def _outcome(test: SequentialTest, options: argparse.Namespace, run: playing.PairedRun) -> dict[str, Any]:
    summary = report.summary(test.records)
    pairs = summary.pop("pairs")
    return {
        **summary,
        **pairs,  # the ratings from pairs are the more precise ones
        **circumstances.summary(run.records, run.void_attempts),
        "pairs": test.pairs,
        "llr": round(test.llr, 4),
        "bounds": [round(bound, 4) for bound in test.hypotheses.bounds],
        "verdict": test.verdict,
        **{name: getattr(options, name) for name in ("elo0", "elo1", "alpha", "beta", "model")},
        "seed": run.config.seed,
        "record": str(run.config.record),
    }
