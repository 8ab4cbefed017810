"""`dropfour view FILE...`: writes recorded games as one page for a browser."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from judge.cli import arguments, completers, number_types
from judge.cli.parser import Parser, add_old_name
from judge.cli.record_file import read_games
from judge.language import _
from judge.processes.descendants import open_in_browser
from judge.review import marks
from judge.review.marks import GameReview
from judge.runs import record_file
from judge.terminal import printable
from judge.web.record_data import Source
from judge.web.record_page import GENERATOR, page
from protocol.records.record import GameRecord, RecordError

SUFFIX = ".html"
PAGE_MARK = f'content="{GENERATOR}"'.encode()  # appears in the first lines of each page that this command writes
READ_BYTES = 1024  # the mark appears within the first so many bytes of a page


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "view",
        description=_(
            "Write recorded games to one page for a browser: the list of games, every position, values and times. It "
            "is a single file that needs no network."
        ),
        epilog=_("Exit status: 0 for a page that was written, 2 for bad arguments or files."),
    )
    parser.add_argument("file", type=Path, nargs="+", metavar="FILE", completer=completers.complete_record_file)
    number_option = parser.add_argument(
        "--number",
        type=number_types.count,
        metavar="K",
        help=_("the number of the game that the page opens with, from 1 and counted over all files (default: 1)"),
    )
    add_old_name(parser, "--game", number_option)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--open", action="store_true", help=_("open the page in the browser"))
    where = _("the file of the page (default: beside FILE, with the ending .html)")
    output = how.add_argument(
        "--output", type=arguments.record_path, metavar="OUT", completer=completers.complete_path, help=where
    )
    add_old_name(how, "--html", output)
    options = parser.parse_args(argv)
    sources = _sources(parser, options.file)
    number = options.number or 1
    if number > len(sources):
        message = _("--number {number}: {path} holds {total} games")
        paths = " ".join(map(str, options.file))
        parser.error(message.format(number=number, path=paths, total=len(sources)))
    out = options.output or _default_page_path(parser, options.file[0])
    if record_file.holds_records(out):
        parser.error(_("{path} is a record file; name another file with --output OUT").format(path=out))
    size = _write_page(parser, out, sources, [path.name for path in options.file], number - 1)
    line = _("the page {path} was written ({size:,} bytes); games in it: {number}")
    print(line.format(path=out, number=len(sources), size=size), flush=True)
    if options.open and not open_in_browser(out.absolute().as_uri()):
        print(_("note: no browser was found; open {path} in a browser").format(path=out), file=sys.stderr)
    return 0


def _sources(parser: argparse.ArgumentParser, paths: Sequence[Path]) -> list[Source]:
    """Return the games of all files. Ends the program with a message if a file has no game or cannot be read."""
    sources = []
    for index, path in enumerate(paths):
        records = read_games(parser, path)
        for number, (record, review) in enumerate(zip(records, _reviews(path, records), strict=True), start=1):
            sources.append(Source(index, number, record, review))
    return sources


def _reviews(path: Path, records: Sequence[GameRecord]) -> Sequence[GameReview | None]:
    """Return a list that has, for each of `records`, the game's review, or None if the game has no review.

    Reviews are read from the review file beside the record file `path`. If the review file is damaged, prints a note
    and returns no reviews.
    """
    try:
        answers, _is_torn = marks.read(marks.review_path(path))
    except (OSError, RecordError) as error:
        note = _("note: the page has no reviews: {error}")
        print(note.format(error=record_file.in_words(error)), file=sys.stderr)
        return [None] * len(records)
    return [marks.review_of(record, answers) for record in records]


def _default_page_path(parser: argparse.ArgumentParser, path: Path) -> Path:
    """Return the path for the page of the record file `path`. It is in the same folder and ends in SUFFIX.

    Ends the program with a message if a file exists there that this command has not written.
    """
    out = path.with_suffix(SUFFIX)
    try:
        with out.open("rb") as file:
            is_ours = PAGE_MARK in file.read(READ_BYTES)
    except FileNotFoundError:
        return out
    except OSError as error:
        parser.error(str(error))
    if not is_ours:
        message = _("{path} exists already and was not written by this command; name another file with --output OUT")
        parser.error(message.format(path=out))
    return out


def _write_page(
    parser: argparse.ArgumentParser, out: Path, sources: Sequence[Source], files: Sequence[str], first: int
) -> int:
    """Write the page to `out` and return its size in bytes. An existing file is replaced once the page is complete.

    `files` are the names of the record files. `first` is the index, from 0, of the game that the page opens with. Ends
    the program with a message if the page cannot be written.
    """
    target = Path(os.path.realpath(out))  # the target of a link is written, not the link
    unfinished = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(page(sources, list(map(printable, files)), first))
        size = unfinished.stat().st_size
        unfinished.replace(target)
    except OSError as error:
        parser.error(str(error))
    finally:
        unfinished.unlink(missing_ok=True)
    return size
