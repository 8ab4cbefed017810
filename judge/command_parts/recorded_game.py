"""What commands share that look at one game of a record file: `judge replay` and `judge repro`."""

import argparse
import sys
from pathlib import Path

from judge.command_line import arguments
from judge.language import _
from protocol.records.record import GameRecord, RecordError, read_records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FILE and --game, which chosen() reads."""
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--game", type=arguments.count, metavar="K", help=_("the file's K-th game, from 1 (default: the last)")
    )


def chosen(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[GameRecord, int]:
    """(record, its number in the file). Ends the program with a message where there is no such game."""
    try:
        records, torn_lines = read_records(options.file)
    except (OSError, RecordError) as error:
        parser.error(str(error))
    if torn_lines:
        note = _("note: {path} ends in a torn line, which is left out")
        print(note.format(path=options.file), file=sys.stderr)
    if not records:
        parser.error(_("{path} holds no game").format(path=options.file))
    number = options.game or len(records)
    if number > len(records):
        message = _("--game {number}: {path} holds {total} games")
        parser.error(message.format(number=number, path=options.file, total=len(records)))
    return records[number - 1], number
