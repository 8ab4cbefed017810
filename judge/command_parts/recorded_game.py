"""What commands share that look at one game of a record file: `judge replay` and `judge repro`."""

import argparse
import sys
from pathlib import Path

from judge.command_line import arguments
from protocol.records.record import GameRecord, RecordError, read_records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FILE and --game, which chosen() reads."""
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--game", type=arguments.count, metavar="K", help="the file's K-th game, from 1 (default: the last)"
    )


def chosen(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[GameRecord, int]:
    """(record, its number in the file). Ends the program with a message where there is no such game."""
    try:
        records, torn_lines = read_records(options.file)
    except (OSError, RecordError) as error:
        parser.error(str(error))
    if torn_lines:
        print(f"note: {options.file} ends in a torn line, which is left out", file=sys.stderr)
    if not records:
        parser.error(f"{options.file} holds no game")
    number = options.game or len(records)
    if number > len(records):
        parser.error(f"--game {number}: {options.file} holds {len(records)} games")
    return records[number - 1], number
