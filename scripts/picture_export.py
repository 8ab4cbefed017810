"""`scripts/picture FILE OUT`: the last screen of a recorded game as an SVG file."""

import argparse
import io
import sys
from pathlib import Path

from rich.console import Console, Group

from judge.cli.parser import add_old_name
from judge.games.positions import IllegalMove
from judge.play.screen import last_screen
from judge.runs import record_file
from judge.terminal import sentence
from option_types import count
from protocol.records.record import RecordError, read_records
from whole_file import written_whole

# rich's own template names a font on a server. Whoever looks at the picture has one of these.
FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
TEMPLATE = f"""<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {{width}} {{height}}">
<style>
.{{unique_id}}-matrix {{{{ font-size: {{char_height}}px; font-family: {FONTS}; }}}}
.{{unique_id}}-title {{{{ font-size: 16px; font-weight: bold; font-family: sans-serif; }}}}
{{styles}}
</style>
<defs>
<clipPath id="{{unique_id}}-clip-terminal">
<rect x="0" y="0" width="{{terminal_width}}" height="{{terminal_height}}"/>
</clipPath>
{{lines}}
</defs>
{{chrome}}
<g transform="translate({{terminal_x}}, {{terminal_y}})" clip-path="url(#{{unique_id}}-clip-terminal)">
{{backgrounds}}
<g class="{{unique_id}}-matrix">
{{matrix}}
</g>
</g>
</svg>
"""
COLUMNS = 80  # the usual terminal's


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
    parser.add_argument("--title", default="dropfour play", metavar="TEXT", help="its bar's (default: %(default)s)")
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


def svg(lines, title):
    """The lines (list of rich's Text) in a terminal as wide as the longest, at most COLUMNS; `title` in its bar."""
    width = min(COLUMNS, max(part.cell_len for line in lines for part in line.split("\n")))
    console = Console(
        file=io.StringIO(), record=True, width=width, force_terminal=True, color_system="truecolor", _environ={}
    )
    console.print(Group(*lines))
    drawn = console.export_svg(title=title, code_format=TEMPLATE, unique_id="game")
    return "\n".join(stripped for row in drawn.splitlines() if (stripped := row.strip())) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
