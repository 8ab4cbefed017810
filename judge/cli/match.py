"""`dropfour match NEW OLD`: plays many games on paired boards and reports which player is stronger."""

import argparse

from judge import terminal
from judge.cli import arguments, number_types, playing
from judge.cli.parser import Parser
from judge.language import _
from judge.reports import circumstances, verdict
from judge.reports import match as report


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "match",
        ("--games", "--free-start", *arguments.COMMON),
        description=arguments.paragraph(
            _("Play games in pairs: two games on each board, in which each player moves first once."),
            arguments.players_help(),
        ),
        epilog=arguments.exit_help_of_runs(),
    )
    playing.add_pair_options(parser)
    parser.add_argument(
        "--games",
        type=number_types.count,
        required=True,
        metavar="N",
        help=_("how many games are played, two on each board"),
    )
    arguments.add_record_options(parser, "match")
    options = parser.parse_args(argv)
    run = playing.play_pairs(
        parser,
        options,
        playing.RunView(line=lambda records: report.running_score(records, options.games)),
        replay_void=True,
    )
    status = run.end()
    _print_results(run, options)
    return status


def _print_results(run: playing.PairedRun, options: argparse.Namespace) -> None:
    """Print the results and the verdict of the match, and how to continue it if it is unfinished."""
    console, records = terminal.console(), run.records
    if records:
        run.print_results(console, records, options.verbose)
    if len(records) < options.games:
        stopped = _("stopped: {played} of {total} games were played")
        print(stopped.format(played=len(records), total=options.games))
        print(run.hint(), flush=True)
    if records:
        console.print(verdict.of_match(records), style="bold", soft_wrap=True)
    if options.json:
        of_run = circumstances.summary(records, run.void_attempts)
        outcome = {**report.summary(records), **of_run, "seed": run.config.seed, "record": str(run.config.record)}
        print(terminal.json_line(outcome), flush=True)
