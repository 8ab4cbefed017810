"""`python -m judge export FILE`: writes recorded games in the formats of other programs."""

import argparse
import sys
from collections.abc import Callable, Sequence
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

INCOMPLETE = 1
FORMATS = ("saiblo", "compete", "csv", "text")
Numbered = list[tuple[int, GameRecord]]
TABLES: dict[str, Callable[[Numbered], str]] = {"games": csv_table.games, "moves": csv_table.moves}


def main(words: list[str]) -> int:
    """Run the command with the arguments `words` and return the exit status, 0 or INCOMPLETE."""
    parser = Parser(
        "export",
        description=_(
            "Write recorded games in another form: Saiblo's replays, a file for each game; what Compete prints and its "
            "result file; a CSV table; text that `import` reads."
        ),
        epilog=_(
            "Exit status: 0 if all games were written, 1 if some cannot be in this form, 2 for bad arguments or files."
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE", completer=completers.of_record_file)
    parser.add_argument("--format", choices=FORMATS, required=True)
    number_option = parser.add_argument(
        "--number", type=number_types.count, metavar="K", help=_("the file's K-th game, from 1 (default: all)")
    )
    add_old_name(parser, "--game", number_option)
    parser.add_argument("--lines", choices=tuple(TABLES), help=_("with csv: what a line is (default: games)"))
    parser.add_argument(
        "--output",
        type=Path,
        metavar="OUT",
        completer=completers.of_any_file,
        help=_("a new file (default: the terminal); for compete, and for several replays of Saiblo, a folder"),
    )
    options = parser.parse_args(words)
    if options.lines and options.format != "csv":
        parser.error(_("{option} needs {other}").format(option="--lines", other="--format csv"))
    records = _records(parser, options)
    files, refused = _files(parser, options, records)
    for number, reason in refused:
        line = _("{path}, game {number}: {error}").format(path=options.file, number=number, error=shown(reason))
        print(terminal.printable(line), file=sys.stderr)
    _write(parser, options.output, files)
    return INCOMPLETE if refused else 0


def _records(parser: Parser, options: argparse.Namespace) -> Numbered:
    """Return (number, record) of each game that the options choose. Ends the program if there is no such game."""
    if options.number is None:
        return list(enumerate(record_file.games_of(parser, options.file), start=1))
    record, number = record_file.chosen(parser, options)
    return [(number, record)]


def _files(
    parser: Parser, options: argparse.Namespace, records: Numbered
) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Return ({file name: text of the file}, [(number, reason)] of the games that are left out).

    If the result is a single file, its name is "" and --output is the path of the file. Otherwise --output is the
    folder of the files. Ends the program with a message if several files are to be written and --output is missing.
    """
    sound, refused = _sound(records)
    if options.format == "csv":
        return {"": TABLES[options.lines or "games"](sound)}, refused
    if options.format == "text":
        return {"": "".join(text_of(record) for _number, record in sound)}, refused
    if options.format == "compete":
        if options.output is None:
            names = f"{LOG}, {RESULTS}"
            parser.error(_("compete writes {names}: name their folder with --output").format(names=names))
        files, left_out = compete_files(sound)
    else:
        files, left_out = saiblo_replays(sound)
        if len(records) == 1:
            files = dict.fromkeys([""][: len(files)], "".join(files.values()))
        elif options.output is None:
            parser.error(
                _("each game is a file of its own: name their folder with --output, or one game with --number")
            )
    return files, sorted([*refused, *left_out])


def _sound(records: Sequence[tuple[int, GameRecord]]) -> tuple[Numbered, list[tuple[int, str]]]:
    """Return (the games that agree with the rules, [(number, reason)] of the games that do not agree)."""
    sound: Numbered = []
    refused: list[tuple[int, str]] = []
    for number, record in records:
        faults = disagreements(record)
        if faults:
            refused.append((number, faults[0]))
        else:
            sound.append((number, record))
    return sound, refused


def _write(parser: Parser, output: Path | None, texts: dict[str, str]) -> None:
    """Write the files, or print their texts if `output` is None.

    `texts` maps a file's name to its text. The name is relative to the folder `output`; it is "" if `output` itself is
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
