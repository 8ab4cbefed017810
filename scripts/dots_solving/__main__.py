"""`scripts/solve_dots`: the exact value of an empty board by its size, or the time that random positions take."""

import argparse
import random
import statistics
import sys
import time
from pathlib import Path

from rich.console import Console

from bot.backends.compiled import Kernels, KernelsUnavailable
from bot.games.dots.board import DEFAULT_SIZE, edge_count
from bot.games.dots.notation import name_of
from bot.games.dots.plain import start_position
from bot.games.dots.solver_engine import SYMMETRY_FROM_EMPTY, SolverEngine
from dots_solving.kept_table import KeptTable, KeptTableError
from dots_solving.safe_play import safely_drawn
from dots_solving.sizes import board_of_boxes
from option_types import count, quantity, seconds
from stopping import stop_like_ctrl_c

TABLE_MB, WHOLE_BOARD_TABLE_MB = 256, 1024
SLICE_S = 1.0
QUIET_S = 60.0  # between two lines where there is no terminal
KEEP_S = 300.0  # between two times that what was learnt is written
NO_LIMIT = 1 << 62


def main(words):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(words)
    if options.what == "random":
        free = edge_count(*options.size)
        if options.free > free:
            print(f"solve_dots: --free {options.free}: the board has {free} edges", file=sys.stderr)
            return 2
    try:
        kernels = Kernels("dots").obtain(report=lambda text: print(text, file=sys.stderr))
    except KernelsUnavailable as error:
        print(f"solve_dots: {error}", file=sys.stderr)
        return 1
    if options.what == "random":
        return _time_positions(kernels, options)
    stop_like_ctrl_c()
    try:
        return _solve_board(kernels, options.what, options.table_mb or WHOLE_BOARD_TABLE_MB, options.keep)
    except (KeptTableError, OSError) as error:
        print(f"solve_dots: {error}", file=sys.stderr)
        return 2


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/solve_dots", description=__doc__.partition(": ")[2])
    parser.add_argument(
        "what",
        type=_board_or_random,
        metavar="RxC|random",
        help="rows x columns of boxes, or random positions as the options say",
    )
    parser.add_argument(
        "--size", type=board_of_boxes, default=DEFAULT_SIZE, metavar="RxC", help="of random positions (default 5x5)"
    )
    parser.add_argument(
        "--free", type=quantity, default=38, metavar="N", help="free edges that random safe play leaves (default 38)"
    )
    parser.add_argument("--count", type=count, default=100, metavar="N", help="positions (default 100)")
    parser.add_argument("--seed", type=quantity, default=1, metavar="N", help="default 1")
    parser.add_argument("--limit", type=seconds, default=60.0, metavar="S", help="seconds for a position (default 60)")
    parser.add_argument(
        "--table-mb", type=count, metavar="MB", help=f"default {TABLE_MB}, for a whole board {WHOLE_BOARD_TABLE_MB}"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep what is learnt of a whole board in FILE, and go on from there"
    )
    return parser


def _board_or_random(text):
    return text if text == "random" else board_of_boxes(text)


def _solve_board(kernels, size, table_mb, keep):
    """Solve the empty board; 0 once its value is known, 130 where that was interrupted.

    keep: Path of the file that keeps the table, or None.
    """
    engine = SolverEngine(kernels, table_mb, SYMMETRY_FROM_EMPTY)
    engine.ask(start_position(*size))
    kept = KeptTable(keep, size, engine) if keep else None
    if kept and kept.load():
        print(f"going on with {keep}", file=sys.stderr, flush=True)
    console = Console(stderr=True)
    started = spoke = wrote = time.monotonic()
    nodes = 0
    try:
        with console.status("solving") as status:
            while not engine.is_done():
                nodes += engine.go_on(SLICE_S, NO_LIMIT)
                now = time.monotonic()
                text = _progress(engine.bounds(nodes, now - started))
                status.update(text)
                if not console.is_terminal and now - spoke >= QUIET_S:
                    print(text, file=sys.stderr, flush=True)
                    spoke = now
                if kept and now - wrote >= KEEP_S:
                    kept.save()
                    wrote = time.monotonic()
    except KeyboardInterrupt:
        print(_progress(engine.bounds(nodes, time.monotonic() - started)), flush=True)
        if kept:
            kept.save()
            print(f"kept in {keep}: the same command goes on", file=sys.stderr)
        return 130
    if kept:
        kept.save()
    solution = engine.bounds(nodes, time.monotonic() - started)
    print(
        f"{size[0]}x{size[1]}: {solution.lower:+d} boxes for the first player, by {name_of(solution.turn)}; "
        f"{solution.elapsed_s:.1f} s, {nodes / 1e6:.1f} M positions",
        flush=True,
    )
    return 0


def _progress(solution):
    return (
        f"between {solution.lower:+d} and {solution.upper:+d}; {solution.elapsed_s:.0f} s, "
        f"{solution.nodes / 1e6:.1f} M positions"
    )


def _time_positions(kernels, options):
    """Solve the positions, each with an empty table, and print what they took; 0 if all were solved."""
    engine = SolverEngine(kernels, options.table_mb or TABLE_MB)
    generator = random.Random(options.seed)
    console = Console(stderr=True)
    solutions = []
    with console.status("solving") as status:
        for number in range(options.count):
            position = safely_drawn(generator, *options.size, options.free)
            if position is None:
                print(f"solve_dots: no safe play leaves {options.free} free edges", file=sys.stderr)
                return 2
            engine.forget()
            solutions.append(engine.solve(position, budget_s=options.limit))
            status.update(f"{number + 1} of {options.count}, {solutions[-1].elapsed_s:.2f} s")
    times = [solution.elapsed_s for solution in solutions]
    nodes = sum(solution.nodes for solution in solutions)
    solved = sum(solution.lower == solution.upper for solution in solutions)
    typical = statistics.median(times)
    speed = nodes / sum(times)
    print(
        f"{solved} of {options.count} solved; median {typical:.3f} s, worst {max(times):.3f} s, "
        f"{nodes / options.count / 1e6:.2f} M positions each, {speed / 1e6:.2f} M/s",
        flush=True,
    )
    return 0 if solved == options.count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
