"""`python -m judge export FILE`: writes recorded games in the formats of other programs."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from judge import terminal
from judge.cli import completers, number_types, record_file
from judge.cli.parser import Parser, add_old_name
from judge.files import write_new
from judge.formats import csv_table
from judge.formats.registry import LOG, RESULTS, compete_files, saiblo_replays, text_of
from judge.language import _, shown
from judge.play.recheck import disagreements
from protocol.records.record import GameRecord

INCOMPLETE = 1  # the exit status if games were left out
NumberedRecords = list[tuple[int, GameRecord]]
TABLES: dict[str, Callable[[NumberedRecords], str]] = {"games": csv_table.games, "moves": csv_table.moves}


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status, 0 or INCOMPLETE."""
    parser = Parser(
        "export",
        description=_(
            "Write recorded games in another format: Saiblo's replays, with a file for each game; the output of "
            "Compete and its result file; a CSV table; or text that `import` reads."
        ),
        epilog=_(
            "Exit status: 0 if all games were written, 1 if some cannot be written in this format, 2 for bad arguments "
            "or files."
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE", completer=completers.complete_record_file)
    parser.add_argument("--format", choices=("saiblo", "compete", "csv", "text"), required=True)
    number_option = parser.add_argument(
        "--number",
        type=number_types.count,
        metavar="K",
        help=_("the number of a game in the file, from 1 (default: all games)"),
    )
    add_old_name(parser, "--game", number_option)
    parser.add_argument(
        "--lines",
        choices=tuple(TABLES),
        help=_("with --format csv: whether each line describes a game or a move (default: games)"),
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="OUT",
        completer=completers.complete_path,
        help=_("the new file to write (default: the terminal); for compete and for several Saiblo replays, a folder"),
    )
    options = parser.parse_args(argv)
    if options.lines and options.format != "csv":
        parser.error(_("{option} needs {other}").format(option="--lines", other="--format csv"))
    records = _records(parser, options)
    files, refused = _files_to_write(parser, options, records)
    for number, reason in refused:
        line = _("{path}, game {number}: {error}").format(path=options.file, number=number, error=shown(reason))
        print(terminal.printable(line), file=sys.stderr)
    _write(parser, options.output, files)
    return INCOMPLETE if refused else 0


def _records(parser: Parser, options: argparse.Namespace) -> NumberedRecords:
    """Return (number, record) of each game that the options choose. Ends the program with a message without any."""
    if options.number is None:
        return list(enumerate(record_file.read_games(parser, options.file), start=1))
    record, number = record_file.read_chosen_game(parser, options)
    return [(number, record)]


def _files_to_write(
    parser: Parser, options: argparse.Namespace, records: NumberedRecords
) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Return ({file name: text of the file}, [(number, reason)] of the games that are left out).

    If the result is a single file, its name is "" and --output is the path of the file. Otherwise --output is the
    folder of the files. Ends the program with a message if several files are to be written and --output is missing.
    """
    sound, refused = _split_by_rules(records)
    if options.format == "csv":
        return {"": TABLES[options.lines or "games"](sound)}, refused
    if options.format == "text":
        return {"": "".join(text_of(record) for _number, record in sound)}, refused
    if options.format == "compete":
        if options.output is None:
            names = f"{LOG}, {RESULTS}"
            parser.error(_("--format compete writes {names}: name a folder for them with --output").format(names=names))
        files, left_out = compete_files(sound)
    else:
        files, left_out = saiblo_replays(sound)
        if len(records) == 1:
            files = {"": "".join(files.values())} if files else {}  # one file, or none if the game is left out
        elif options.output is None:
            parser.error(
                _(
                    "each game is written to a file of its own: name a folder with --output, or choose one game "
                    "with --number"
                )
            )
    return files, sorted([*refused, *left_out])


def _split_by_rules(records: NumberedRecords) -> tuple[NumberedRecords, list[tuple[int, str]]]:
    """Return (the games that agree with the rules, [(number, reason)] of the games that do not agree)."""
    faults = {number: disagreements(record) for number, record in records}
    refused = [(number, sentences[0]) for number, sentences in faults.items() if sentences]
    return [(number, record) for number, record in records if not faults[number]], refused


def _write(parser: Parser, output: Path | None, texts: dict[str, str]) -> None:
    """Write new files, or print their texts if `output` is None.

    `texts` is {name of a file: its text}. The name is relative to the folder `output`; it is "" if `output` itself is
    the file's path. Ends the program with a message if one of the files exists already or cannot be written.
    """
    if output is None:
        for text in texts.values():
            sys.stdout.write(text)
        return
    paths = {output / name if name else output: text for name, text in texts.items()}
    try:
        for path in paths:
            if path.exists():
                parser.error(_("{path} exists already, and is not overwritten").format(path=path))
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            # A player's name may contain a lone surrogate, which is written as its escape sequence.
            write_new(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        parser.error(str(error))
