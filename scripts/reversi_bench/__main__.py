"""`scripts/bench_reversi`: counts games (perft), or solves the FFO endgames.

Every result is compared with the known one.
"""

import argparse
import ctypes
import mmap
import sys
import time

from bot.backends.compiled import Kernels
from bot.games.reversi import adapter
from bot.games.reversi import memory as layout
from bot.games.reversi.plain import Position
from checkout import CHECKOUT
from option_types import count

POSITIONS = CHECKOUT / "tests" / "positions" / "ffo.txt"
# Games of 1, 2, .. plies from the start of 8x8, a double pass being an end.
PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800, 1939886636, 18429641748)
# The start, as bit 8 * row + column.
FIRST_MOVERS, SECOND_MOVERS, EVERY_SQUARE = 0x0000000810000000, 0x0000001008000000, 2**64 - 1
MEMORY_MB = 800


def main(words):
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/bench_reversi", description=__doc__.partition(": ")[2])
    commands = parser.add_subparsers(dest="command", required=True)
    perft = commands.add_parser("perft", help="games of 1, 2, .. plies from the start")
    perft.add_argument("--depth", type=count, default=11, metavar="N", help=f"at most {len(PERFT)} (default 11)")
    ffo = commands.add_parser("ffo", help="endgames with 20 to 30 free squares, exact scores")
    ffo.add_argument("--first", type=int, default=40, metavar="N", help="40 to 59 (default 40)")
    ffo.add_argument("--last", type=int, default=44, metavar="N", help="default 44")
    options = parser.parse_args(words)
    kernels = Kernels(adapter.GAME).obtain(report=lambda text: print(text, file=sys.stderr))
    if options.command == "perft":
        right = [_is_right(kernels, depth) for depth in range(1, min(options.depth, len(PERFT)) + 1)]
        return 0 if all(right) else 1
    return 0 if _solve(kernels, options.first, options.last) else 1


def _is_right(kernels, depth):
    """Count the games of so many plies and say how long it took; whether the count is the known one."""
    room = mmap.mmap(-1, layout.TABLE_OFFSET)
    words = memoryview(room).cast("Q")
    root = layout.FRAMES_OFFSET // 8
    words[layout.BOARD] = EVERY_SQUARE
    words[root + layout.OWN], words[root + layout.OPPONENT] = FIRST_MOVERS, SECOND_MOVERS
    started = time.perf_counter()
    games = kernels.perft(ctypes.addressof(ctypes.c_char.from_buffer(room)), depth)
    seconds = time.perf_counter() - started
    right = games == PERFT[depth - 1]
    print(
        f"perft {depth}: {games:,} games, {seconds:.2f} s" + ("" if right else f", expected {PERFT[depth - 1]:,}"),
        flush=True,
    )
    return right


def _solve(kernels, first, last):
    """Solve the endgames of those numbers, each with an empty table; whether all scores are the known ones."""
    total_s, right = 0.0, True
    for line in POSITIONS.read_text("ascii").splitlines():
        if line.startswith("#"):
            continue
        number, mover, drawn, expected = line.split()
        if not first <= int(number) <= last:
            continue
        engine = adapter.make_engine(kernels, adapter.preset("default"), MEMORY_MB, 1)
        solution = engine.solve(_position(mover, drawn), exact=True)
        total_s += solution.elapsed_s
        right = right and solution.score == int(expected)
        print(
            f"FFO {number}: {solution.score:+d} in {solution.elapsed_s:.2f} s, {solution.nodes / 1e6:.1f} M positions"
            + ("" if solution.score == int(expected) else f", expected {expected}"),
            flush=True,
        )
    print(f"{total_s:.1f} s in all")
    return right


def _position(mover, drawn):
    """The Position of 64 marks, for the side to move."""
    own = opponent = 0
    for index, mark in enumerate(drawn):
        bit = 1 << 16 * (index // 8) + index % 8
        own |= bit * (mark == mover)
        opponent |= bit * (mark not in (mover, "-"))
    return Position(8, own, opponent)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
