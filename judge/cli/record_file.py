"""Functions for commands that read a game from a record file, such as `replay`, or append a game, such as `play`."""

import argparse
import sys
from pathlib import Path

from judge.cli import completers, number_types
from judge.cli.parser import add_old_name
from judge.language import _
from judge.play.screen import result_in_words
from judge.runs import record_file
from judge.terminal import printable
from protocol.records.json_lines import require_appendable
from protocol.records.record import GameRecord, RecordError, read_records


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument FILE and the option --number, which read_chosen_game() reads."""
    parser.add_argument("file", type=Path, metavar="FILE", completer=completers.complete_record_file)
    number = parser.add_argument(
        "--number",
        type=number_types.count,
        metavar="K",
        help=_("the number of the game in the file, from 1 (default: the last game)"),
    )
    add_old_name(parser, "--game", number)


def read_chosen_game(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[GameRecord, int]:
    """Return (the record of the game that FILE and --number choose, the game's number in the file).

    Ends the program with a message if there is no such game.
    """
    records = read_games(parser, options.file)
    number = options.number or len(records)
    if number > len(records):
        message = _("--number {number}: {path} holds {total} games")
        parser.error(message.format(number=number, path=printable(str(options.file)), total=len(records)))
    return records[number - 1], number


def read_games(parser: argparse.ArgumentParser, path: Path) -> list[GameRecord]:
    """Return all games of a record file. Ends the program with a message if there is none or the file is damaged."""
    try:
        records, torn_lines = read_records(path)
    except (OSError, RecordError) as error:
        parser.error(record_file.in_words(error))
    if torn_lines:
        print_torn_line_note(path)
    if not records:
        parser.error(_("{path} holds no game").format(path=printable(str(path))))
    return records


def print_torn_line_note(path: Path) -> None:
    """Print the note that a file ends in a torn line."""
    note = _("note: the last line of {path} is incomplete and was left out")
    print(note.format(path=printable(str(path))), file=sys.stderr, flush=True)


def require_writable(parser: argparse.ArgumentParser, path: Path) -> None:
    """End the program with a message if no record can be appended to the file at `path`.

    Call this function before a game is played.
    """
    try:
        if path.exists():
            read_records(path)
            require_appendable(path)
    except (OSError, RecordError) as error:
        parser.error(record_file.in_words(error))


def append_game(parser: argparse.ArgumentParser, path: Path, record: GameRecord) -> None:
    """Append `record` to the record file `path`.

    If that fails, the record is saved elsewhere, the game's result is printed and the program ends with a message.
    """
    failure = record_file.append(path, record)
    if failure:
        print(result_in_words(record))
        parser.error(failure())
