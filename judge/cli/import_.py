"""`python -m judge import FILE...`: judges games that other programs logged and turns them into records."""

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from judge import files, terminal
from judge.cli import arguments, completers, number_types
from judge.cli.exits import replay_command
from judge.cli.parser import Parser, add_old_name
from judge.formats import match_detail, match_detail_view
from judge.formats.imported import ImportedFile, problem_lines, read_file
from judge.formats.reading import LARGEST_BYTES, MOST_PROBLEMS, Problem, Source
from judge.formats.registry import FORMATS, MATCH
from judge.language import _, in_language, recorded, shown
from judge.play.screen import result_in_words
from judge.runs import record_file
from judge.viewer import RecordedPositions
from protocol.records.record import GameRecord, RecordError, append_records, read_records

DEFAULT_RECORD = Path("records") / "import.jsonl"
# Our bot's guard answers so many seconds after the beginning of a turn: the limit of 3 s less half the margin of 0.4 s.
THRESHOLD_S = 2.8
MOST_LINES = 20  # the most lines on the problems of a file that are printed; JSON lists all problems
INCOMPLETE = 1  # the exit status if some of the content is wrong


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status, 0 or INCOMPLETE."""
    parser = _parser()
    options = parser.parse_args(argv)
    path = options.record or (None if options.show else DEFAULT_RECORD)
    contents, replay = _read(parser, options, path)
    with in_language("en") if options.json else contextlib.nullcontext():  # JSON is always in English
        files = [read_file(log, data, options.format, replay, options.names) for log, data in contents]
    console = terminal.console()
    if not sys.stdout.isatty():
        console.width = 160
    shown_files: list[dict[str, Any]] = []
    for file in files:
        if options.show:
            shown_files.append(_show(file, options, replay, console))
        elif not options.json and file.format is not None:
            print(file.in_words())
    appended = [] if path is None else _append(files, path)
    if options.json:
        _print_json(files, appended, path, shown_files if options.show else None)
    elif path is not None and appended:
        _print_appended(appended, path)
    sys.stdout.flush()
    for file in files:
        for line in problem_lines(file, MOST_LINES):
            print(line, file=sys.stderr)
    return INCOMPLETE if any(not problem.is_note for file in files for problem in file.problems) else 0


def _parser() -> Parser:
    parser = Parser(
        "import",
        description=arguments.paragraph(
            _("Read games that other programs logged, judge them again, and append them to a record file."),
            _("The program recognizes the format of a file by its content. It reads these formats: {formats}.").format(
                formats=", ".join(FORMATS)
            ),
        ),
        epilog=_(
            "Exit status: 0 if everything could be read and agrees with the rules of the game, 1 if not (sound games "
            "are recorded anyway), 2 for bad arguments or files."
        ),
    )
    parser.add_argument("logs", type=Path, nargs="+", metavar="FILE", completer=completers.complete_path)
    help_text = _("the record file to which the games are appended (default: {value}, or none with --show)")
    record = parser.add_argument(
        "--record",
        type=arguments.record_path,
        metavar="FILE",
        completer=completers.complete_record_file,
        help=help_text.format(value=DEFAULT_RECORD),
    )
    add_old_name(parser, "--replay", record)
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        metavar="NAME",
        help=_("read the files as files of the format NAME, whatever they look like"),
    )
    parser.add_argument(
        "--names",
        nargs=2,
        metavar=("A", "B"),
        help=_("the names of the players in the record, A first (default: the names in the file)"),
    )
    parser.add_argument(
        "--moves",
        type=Path,
        metavar="REPLAY",
        completer=completers.complete_path,
        help=_(
            "if FILE is a match detail: the replay of the same match, which has the last move (FILE lacks it, "
            "because no bot is sent it)"
        ),
    )
    parser.add_argument("--show", action="store_true", help=_("print everything that the files contain"))
    parser.add_argument(
        "--threshold",
        type=number_types.seconds,
        metavar="S",
        help=_("with --show: count the turns of a match that took more than S seconds (default: {value})").format(
            value=THRESHOLD_S
        ),
    )
    parser.add_argument(
        "--stdin",
        nargs=2,
        metavar=("SEAT", "OUT"),
        help=_("with --show: write the bytes that seat 0 or 1 of a match was sent to the new file OUT"),
    )
    parser.add_argument("--json", action="store_true", help=_("print JSON instead of text"))
    return parser


def _read(
    parser: Parser, options: argparse.Namespace, record_path: Path | None
) -> tuple[list[tuple[Path, bytes]], tuple[Path, bytes] | None]:
    """Return ([(path, content)] of the files to import, (path, content) of the file of --moves).

    Without --moves the second item is None. `record_path` is the record file to which games will be appended, or None.
    Ends the program with a message if options conflict, if files cannot be read, or if the record file is no record
    file or is to be imported itself.
    """
    needs_show = _("{option} needs {other}")
    if options.threshold is not None and not options.show:
        parser.error(needs_show.format(option="--threshold", other="--show"))
    if options.stdin is not None:
        seat, out = options.stdin
        if seat not in ("0", "1"):
            parser.error(_("--stdin: {text!r} is no seat, expected 0 or 1").format(text=seat))
        if not options.show:
            parser.error(needs_show.format(option="--stdin", other="--show"))
        if os.path.lexists(out):
            parser.error(_("{path} exists already, and is not overwritten").format(path=out))
    if len(options.logs) > 1 and (options.stdin is not None or options.moves is not None):
        parser.error(_("--stdin and --moves can only be used with a single FILE"))
    try:
        if record_path is not None and record_path.exists():
            read_records(record_path)  # raises an error if it is no record file
            if any(path.samefile(record_path) for path in options.logs):
                message = _("{path} is the record file to which the games are appended; it cannot be imported")
                parser.error(message.format(path=record_path))
        contents = [(path, files.content(path, LARGEST_BYTES)) for path in options.logs]
        replay = None if options.moves is None else (options.moves, files.content(options.moves, LARGEST_BYTES))
    except (OSError, RecordError) as error:
        parser.error(record_file.in_words(error))
    return contents, replay


def _show(
    file: ImportedFile, options: argparse.Namespace, replay: tuple[Path, bytes] | None, console: Console
) -> dict[str, Any]:
    """Print the content of `file`, unless the user asked for JSON, and return the content as a JSON object.

    `replay` is (path, content) of the file of --moves, or None without that option. With --stdin the bytes that a seat
    was sent are written to the file that the option names.
    """
    content: dict[str, Any] = {"file": str(file.path), "format": file.format and file.format.name}
    if file.format is not None and file.format.name == MATCH:
        source = None if replay is None else Source(replay[1])
        threshold_s = THRESHOLD_S if options.threshold is None else options.threshold
        try:
            detail = match_detail.read_detail(file.source, source, "" if replay is None else str(replay[0]))
        except RecordError:  # the reason is among the file's problems already
            return content
        if options.record is None:  # problems that matter only to a record are dropped
            file.problems, file.left_out = detail.problems[:MOST_PROBLEMS], max(0, len(detail.problems) - MOST_PROBLEMS)
        facts = match_detail_view.facts(detail, threshold_s)
        if not options.json:
            match_detail_view.show(facts, console)
        if options.stdin is not None:
            _write_stdin(detail.stdins, int(options.stdin[0]), options.stdin[1], file.problems)
        return {**content, **facts}
    if not options.json:
        if file.format is not None:
            print(file.in_words())
        for place, record in file.records:
            _show_game(place, record, console)
    content["games"] = [{"place": place, **_game_as_json(record)} for place, record in file.records]
    return content


def _show_game(place: str, record: GameRecord, console: Console) -> None:
    """Print a game: players, moves, last position and result. `place` is where the game stands in its file."""
    try:
        positions = RecordedPositions(record)
    except ValueError as error:  # an imported game was judged; a record of ours may have been edited
        console.print(
            _("this game cannot be shown: {error}").format(error=terminal.printable(shown(str(error)))), soft_wrap=True
        )
        return
    game = positions.game
    names = [terminal.printable(player.name) for player in record.players]
    heading = _("{place}: side A {first} against side B {second}, {mover} moves first, {board}").format(
        place=shown(place) or "-",
        first=names[0],
        second=names[1],
        mover=record.first,
        board=game.read_board(record.board).in_words(),
    )
    console.print(heading, soft_wrap=True)
    moves = " ".join(terminal.printable(str(move.move)) for move in record.moves)
    console.print(moves, soft_wrap=True)
    console.print(game.rendering(positions.position(positions.last)))
    console.print(result_in_words(record), soft_wrap=True)


def _game_as_json(record: GameRecord) -> dict[str, Any]:
    """Return what --json prints about a game."""
    return {
        "game": record.game,
        **record.board,
        "first": record.first,
        "moves": [move.move for move in record.moves],
        "winner": record.winner,
        "termination": record.termination.value,
        "at_fault": record.at_fault,
    }


def _write_stdin(stdins: list[bytes | None], seat: int, out: str, problems: list[Problem]) -> None:
    """Write what `seat` was sent to the new file `out`. If that fails, the failure is added to `problems`.

    `stdins` has what each seat was sent, None for a seat whose input the file lacks.
    """
    data = stdins[seat] if seat < len(stdins) else None
    if data is None:
        problems.append(
            Problem("--stdin", recorded("the file does not contain what seat {seat} was sent").format(seat=seat))
        )
        return
    try:
        files.write_new(out, data)
    except OSError as error:
        problems.append(Problem("--stdin", str(error)))


def _append(files: list[ImportedFile], path: Path) -> list[tuple[int, GameRecord]]:
    """Append the records of the files to the record file `path`. Returns (number in the record file, record) of each.

    The records of one imported file are appended together or not at all. If that fails, the failure is added to the
    problems of the imported file, and the records of the remaining files are not appended.
    """
    appended: list[GameRecord] = []
    for file in files:
        records = [record for _place, record in file.records]
        try:
            if records:
                append_records(path, records)
        except (OSError, RecordError) as error:
            file.problems.append(
                Problem("", recorded("{path} could not be written: {error}").format(path=path, error=error))
            )
            break
        appended += records
    return list(zip(_numbers_in_file(appended, path), appended, strict=True)) if appended else []


def _print_appended(appended: list[tuple[int, GameRecord]], path: Path) -> None:
    """Print the number and the result of each game in `appended`, which were appended to the record file `path`."""
    for number, record in appended:
        print(_("game {number}: {result}").format(number=number, result=result_in_words(record)))
    print(_("record: {path}").format(path=path))
    print(_("replay: {command}").format(command=replay_command(path, appended[-1][0])))


def _numbers_in_file(appended: list[GameRecord], path: Path) -> list[int]:
    """Return the numbers that the records `appended`, which were just appended, have in the record file `path`.

    The numbers may have gaps, because other programs may have appended games in between.
    """
    records = read_records(path)[0]
    numbers: list[int] = []
    index = len(records)
    for record in reversed(appended):
        index = next(earlier for earlier in reversed(range(index)) if records[earlier] == record)
        numbers.insert(0, index + 1)
    return numbers


def _print_json(
    files: list[ImportedFile],
    appended: list[tuple[int, GameRecord]],
    path: Path | None,
    shown_files: list[dict[str, Any]] | None,
) -> None:
    """Print the results as JSON.

    With --show `shown_files` has the content of each file, and a line is printed for each file. Otherwise `shown_files`
    is None, and one line is printed about all files and about `appended`, which has (number in the record file `path`,
    record) of each game that was appended.
    """
    if shown_files is not None:
        for file, content in zip(files, shown_files, strict=True):
            sentences = [
                f"{problem.place}: {problem.text}" if problem.place else problem.text
                for problem in file.problems
                if not problem.is_note
            ]
            print(terminal.json_line({**content, "problems": sentences, "problems_left_out": file.left_out}))
        return
    games = [{"number": number, **_game_as_json(record)} for number, record in appended]
    problems = [
        {"file": str(file.path), "place": problem.place, "problem": problem.text, "note": problem.is_note}
        for file in files
        for problem in file.problems
    ]
    formats = {str(file.path): file.format and file.format.name for file in files}
    content = {
        "record": str(path),
        "formats": formats,
        "games": games,
        "problems": problems,
        "problems_left_out": sum(file.left_out for file in files),
    }
    print(terminal.json_line(content))
