"""`python -m judge match A B`: plays many games on paired boards and reports which player is stronger."""

import argparse

from judge import terminal
from judge.cli import arguments, number_types, playing
from judge.cli.exits import replay_command
from judge.cli.parser import Parser
from judge.language import _
from judge.reports import circumstances
from judge.reports import match as report


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = Parser(
        "match",
        description=arguments.paragraph(
            _("Play games in pairs: each board twice, with the first move swapped."), arguments.players_help()
        ),
        epilog=arguments.exit_help_of_runs(),
    )
    playing.add_pair_options(parser)
    parser.add_argument(
        "--games", type=number_types.count, required=True, metavar="N", help=_("so many games, two on each board")
    )
    arguments.add_record_options(parser, "match")
    options = parser.parse_args(words)
    run = playing.play_pairs(
        parser,
        options,
        "match",
        line=lambda records: report.running_score(records, options.games),
        on_record=None,
        replay_void=True,
    )
    _conclude(run, options)
    return run.end()


def _conclude(run: playing.PairedRun, options: argparse.Namespace) -> None:
    console, records, path = terminal.console(), run.records, run.config.record
    if len(records) < options.games:
        stopped = _("stopped: {played} of {total} games were played")
        console.print(stopped.format(played=len(records), total=options.games))
        print(run.advice(), flush=True)
    for table in report.tables(records) if records else []:
        console.print(table)
    if records:
        console.print(report.sample_in_words(records), soft_wrap=True)
        playing.tell_conditions(console, records, run.void_attempts)
        playing.tell_forfeits_and_prints(console, records, path)
        console.print(_("result: {results}").format(results=report.results_of_a(records)), soft_wrap=True)
        if not any(record.at_fault for record in records):  # else failing games have lines of their own
            console.print(_("replay: {command}").format(command=replay_command(path, 1)), soft_wrap=True)
    if options.json:
        of_run = circumstances.summary(records, run.void_attempts)
        outcome = {**report.summary(records), **of_run, "seed": run.config.seed, "record": str(path)}
        print(terminal.json_line(outcome), flush=True)
