"""`dropfour sprt NEW OLD`: plays pairs until one of two hypotheses on the strength of NEW, player A, is accepted."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from judge import terminal
from judge.cli import arguments, llr, number_types, playing
from judge.cli.parser import Parser
from judge.language import _
from judge.reports import circumstances, verdict
from judge.reports import match as report
from judge.runs.ledger import ResumeError
from judge.statistics import sprt
from judge.statistics.sprt import Hypotheses, SequentialTest
from judge.terminal import printable
from protocol.records.record import GameRecord

DEFAULT_GAMES = 20000  # the default of --games
BAR_CELLS = 11  # the width, in characters, of the bar that shows the LLR between its bounds


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "sprt",
        ("--elo0", "--elo1", "--games", "--free-start", *arguments.COMMON),
        description=arguments.paragraph(
            _("Play pairs of games until it is clear whether NEW is stronger than OLD by elo0 or by elo1."),
            arguments.players_help(),
        ),
        epilog=arguments.paragraph(
            arguments.exit_help_of_runs(), _("The exit status is 0 with a verdict and without one.")
        ),
    )
    playing.add_pair_options(parser)
    llr.add_hypotheses(parser, (0.0, 30.0))
    parser.add_argument(
        "--games",
        type=number_types.count,
        default=DEFAULT_GAMES,
        metavar="MAX",
        help=_("end without a verdict after MAX games (default: {number})").format(number=DEFAULT_GAMES),
    )
    arguments.add_record_options(parser, "sprt")
    options = parser.parse_args(argv)
    test = SequentialTest(llr.from_options(parser, options))
    run = playing.play_pairs(
        parser,
        options,
        playing.RunView(
            line=lambda records: _state_in_words(test, records),
            to_play=lambda: _games_to_come(test, options.games),
            on_record=lambda record: test.add(record) is not None,
        ),
        replay_void=False,  # a later result would change the order of the pairs
        extra_fields={sprt.SPRT_KEY: sprt.as_json(test.hypotheses)},
        check=lambda records: _check_hypotheses(test.hypotheses, records, options.record),
    )
    status = run.end()
    _print_results(test, run, options)
    return status


def _check_hypotheses(hypotheses: Hypotheses, records: Sequence[GameRecord], path: object) -> None:
    """Raise ResumeError if one of `records` belongs to a test of other hypotheses.

    Prints a note if some of the games were played without hypotheses. `path` is the record file, which messages name.
    """
    earlier = [sprt.recorded_hypotheses([record]) for record in records]
    others = [recorded for recorded in earlier if recorded is not None and recorded != hypotheses]
    name = printable(str(path))
    if others:
        message = _(
            "{path} holds games of a test of {recorded}, but this command tests {own}: hypotheses that are chosen "
            "after the games prove nothing; begin anew with another --record"
        )
        reason = message.format(
            path=name, recorded=_hypotheses_as_options(others[-1]), own=_hypotheses_as_options(hypotheses)
        )
        raise ResumeError(reason)
    without = earlier.count(None)
    if without:
        note = _("note: {number} games in {path} were played without hypotheses; they count in this test all the same")
        print(note.format(number=without, path=name), file=sys.stderr, flush=True)


def _hypotheses_as_options(hypotheses: Hypotheses) -> str:
    """Return the hypotheses as options of the command, such as "--elo0 0 --elo1 30"."""
    options = sprt.as_json(hypotheses).items()
    return " ".join(f"--{name} {value if isinstance(value, str) else f'{value:g}'}" for name, value in options)


def _games_to_come(test: SequentialTest, most: int) -> float | None:
    """Return an estimate of how many more games must be played until the verdict.

    `most` is the largest number of games in all, so that the estimate is at most `most` less the games played. The
    estimate follows from how the likelihood ratio has moved so far. Returns None while that is not known.
    """
    if test.pairs < report.FEWEST_PAIRS or test.pairs_to_come is None:
        return None
    return min(2 * test.pairs_to_come, most - 2 * test.pairs)


def llr_bar(figure: float, bounds: tuple[float, float]) -> str:
    """Return a bar of BAR_CELLS characters that reaches from 0 to `figure` on a scale from bounds[0] to bounds[1]."""
    lower, upper = bounds
    cell_of_figure, cell_of_zero = (
        round((min(max(value, lower), upper) - lower) / (upper - lower) * (BAR_CELLS - 1)) for value in (figure, 0.0)
    )
    first, last = sorted((cell_of_figure, cell_of_zero))
    return "".join("|" if cell == cell_of_zero else "█" if first <= cell <= last else "·" for cell in range(BAR_CELLS))


def _state_in_words(test: SequentialTest, records: Sequence[GameRecord]) -> str:
    """Return the state of the test in one line: games, Elo and LLR."""
    to_come = _games_to_come(test, sys.maxsize)
    total = "" if to_come is None else f"/~{len(records) + verdict.rounded_up(to_come)}"
    games = _("{played} games").format(played=f"{len(records)}{total}")
    figures = f"Elo {report.strength_in_words(test.counts).elo}  LLR {test.llr:+.2f}"
    return f"{games}  {figures} H0 {llr_bar(test.llr, test.hypotheses.bounds)} H1"


def _print_results(test: SequentialTest, run: playing.PairedRun, options: argparse.Namespace) -> None:
    """Print the games, the test's state and what follows from it."""
    console, records = terminal.console(), run.records
    lower, upper = test.hypotheses.bounds
    if records:
        run.print_results(console, test.records, options.verbose)
    not_counted = len(records) - len(test.records)
    if not_counted:
        left_out = _(
            "{number} games do not count: they ended after the verdict, are VOID, or lack the other game of their pair"
        )
        print(left_out.format(number=not_counted))
    standing = _(
        "H0: {elo0:g} {unit}, H1: {elo1:g}; LLR {llr:.2f}, bounds {lower:.2f} and {upper:.2f}: {verdict}"
    ).format(
        elo0=options.elo0,
        elo1=options.elo1,
        unit=verdict.unit_of(test.hypotheses),
        llr=test.llr,
        lower=lower,
        upper=upper,
        verdict=_("{hypothesis} accepted").format(hypothesis=test.verdict) if test.verdict else _("no verdict"),
    )
    console.print(standing, soft_wrap=True)
    if test.verdict is None:
        print(run.hint(*([f"--games {2 * options.games}"] if len(records) >= options.games else [])), flush=True)
    if records:
        console.print(verdict.of_test(test, test.records or records), style="bold", soft_wrap=True)
    if options.json:
        print(terminal.json_line(_results_as_json(test, options, run)), flush=True)


def _results_as_json(test: SequentialTest, options: argparse.Namespace, run: playing.PairedRun) -> dict[str, Any]:
    """Return what --json prints."""
    summary = report.summary(test.records)
    pairs = summary.pop("pairs")
    return {
        **summary,
        **pairs,  # these ratings replace the ratings from single games, which are less precise
        **circumstances.summary(run.records, run.void_attempts),
        "pairs": test.pairs,
        "llr": round(test.llr, 4),
        "bounds": [round(bound, 4) for bound in test.hypotheses.bounds],
        "verdict": test.verdict,
        **{name: getattr(options, name) for name in ("elo0", "elo1", "alpha", "beta", "model")},
        "seed": run.config.seed,
        "record": str(run.config.record),
    }
