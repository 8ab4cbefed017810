"""`python -m judge match A B`: many games on paired boards, and which player is the stronger."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from judge.commands import arguments, paired_run
from judge.commands.exits import exit_status, replay_command, resume_advice
from judge.reports import match as report
from protocol.records.record import GameRecord


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m judge match",
        description="Play games in pairs: each board twice, with the first move swapped. " + arguments.PLAYERS_HELP,
        epilog=arguments.EXIT_HELP + " A match with a VOID game in it exits with 3.",
    )
    paired_run.add_options(parser)
    parser.add_argument(
        "--games", type=arguments.count, required=True, metavar="N", help="so many games, two on each board"
    )
    arguments.add_record_options(parser, "match")
    options = parser.parse_args(words)
    records, seed, path = paired_run.run(
        parser,
        options,
        "match",
        line=lambda records: report.running_score(records, options.games),
        on_record=lambda record: False,
        replay_void=True,
    )
    _conclude(records, options, seed, path)
    return exit_status(records)


def _conclude(records: Sequence[GameRecord], options: argparse.Namespace, seed: int, path: Path) -> None:
    console = Console(highlight=False)
    if len(records) < options.games:
        console.print(f"stopped: {len(records)} of {options.games} games were played")
        print(resume_advice(path), flush=True)
    for table in report.tables(records) if records else []:
        console.print(table)
    if records:
        console.print(report.sample_in_words(records), soft_wrap=True)
        console.print(f"replay: {replay_command(path, 1)}", soft_wrap=True, markup=False)
    if options.json:
        outcome = {**report.summary(records), "seed": seed, "record": str(path)}
        print(json.dumps(outcome, allow_nan=False), flush=True)
