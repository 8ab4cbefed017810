"""`scripts/bench_bundle`: start-up, first moves on a full machine, and the speed of native engines."""

import argparse
import sys
import tempfile
from pathlib import Path

from bot.backends import native
from bundle import engine_speed, first_moves, start_up
from bundle.archive import default_target
from bundle.games import unpack
from option_types import count, quantity, seconds


def main(words):
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/bench_bundle", description=__doc__.partition(": ")[2])
    parser.add_argument(
        "--bundle",
        type=Path,
        default=default_target("connect_four"),
        metavar="FILE",
        help="the zip that scripts/build_bundle has made (default: dist/dropfour-saiblo.zip)",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("start-up", help="process start to first search iteration, beside a bare interpreter")
    moves = commands.add_parser("first-moves", help="first moves with busy loops beside them: none may be late")
    moves.add_argument("--limit", type=seconds, default=1.0, metavar="S", help="seconds a move (default 1)")
    moves.add_argument("--count", type=count, default=1000, metavar="N", help="default 1000")
    moves.add_argument("--loops", type=quantity, default=4, metavar="N", help="busy loops beside them (default 4)")
    commands.add_parser("speed", help="native engines against numba, in turns")
    options = parser.parse_args(words)
    if options.command != "speed" and not options.bundle.exists():
        parser.error(f"{options.bundle} is not there: run scripts/build_bundle")
    with tempfile.TemporaryDirectory() as place:
        return _COMMANDS[options.command](options, Path(place))


def _start_up(options, place):
    for line in start_up.describe(start_up.measure(unpack(options.bundle, place))):
        print(line)
    return 0


def _first_moves(options, place):
    found = first_moves.measure(unpack(options.bundle, place), options.limit, options.count, options.loops)
    print(first_moves.describe(options.limit, found))
    return 1 if found[-1] > options.limit else 0


def _speed(options, place):
    for line in engine_speed.describe(engine_speed.measure(native.runnable())):
        print(line)
    return 0


_COMMANDS = {"start-up": _start_up, "first-moves": _first_moves, "speed": _speed}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
