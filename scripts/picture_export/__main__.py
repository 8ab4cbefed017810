"""`scripts/picture FILE OUT`: the last screen of a recorded game as an SVG file."""

import argparse
import sys
from pathlib import Path

from judge.cli.parser import add_old_name
from judge.games.positions import IllegalMove
from judge.play.screen import last_screen
from judge.runs import record_file
from judge.terminal import sentence
from option_types import count
from picture_export.svg import svg
from protocol.records.record import RecordError, read_records
from whole_file import written_whole

TITLE = "dropfour play"


def main(words):
    """Run the command with its words; returns the exit status. Bad arguments and files end it with argparse's 2."""
    parser = argparse.ArgumentParser(
        prog="scripts/picture",
        description="Write the last screen of a recorded game, as `play` shows it on a terminal, to an SVG file. The "
        "same game gives the same bytes, and nothing in them is loaded from elsewhere.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a record file")
    parser.add_argument("out", type=Path, metavar="OUT", help="the picture to write, such as game.svg")
    number = parser.add_argument(
        "--number", type=count, metavar="K", help="the file's K-th game, from 1 (default: the last)"
    )
    add_old_name(parser, "--game", number)
    parser.add_argument("--title", default=TITLE, metavar="TEXT", help="what its bar says (default: %(default)s)")
    options = parser.parse_args(words)
    try:
        records = read_records(options.file)[0]
        if not records or (options.number or 1) > len(records):
            parser.error(f"{options.file} holds {len(records)} games, expected --number 1 to that number")
        drawn = svg(last_screen(records[(options.number or len(records)) - 1]), options.title)
        with written_whole(options.out) as path:
            path.write_text(drawn, "utf-8")
    except (OSError, RecordError) as error:
        parser.error(record_file.in_words(error))
    except (ValueError, IllegalMove) as error:
        parser.error(sentence(str(error)))
    print(f"{options.out}: {len(drawn.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
