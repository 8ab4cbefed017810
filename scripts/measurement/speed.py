"""`scripts/measure speed COMMAND ..`: how fast the bot's programs are, and that what they count and solve is right.

  engines       native engines against numba's kernels, in turns within one process
  start-up      from the start of the bundle's process to its first search iteration, beyond a bare interpreter
  first-moves   first moves of the bundle with busy loops beside it: none may be late
  perft         reversi's games of 1, 2, .. plies from the start, beside their known numbers
  ffo           reversi's FFO endgames, beside their known scores
  dots          the solver of dots and boxes: the value of a board, or the time that random positions take
The bundle is the one that scripts/build_bundle has made.
"""

import contextlib
import ctypes
import mmap
import os
import random
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bot.backends import native, native_build
from bot.backends.compiled import JIT, Kernels
from bot.games import adapter_of
from bot.games.dots.notation import name_of
from bot.games.dots.plain import start_position
from bot.games.dots.solver_engine import SYMMETRY_FROM_EMPTY, SolverEngine
from bot.games.reversi import memory as layout
from bot.games.reversi.plain import Position
from bot.shell.guard import Budget
from bot.shell.session import DEFAULT_FIRST_MARGIN_S
from bundle.archive import default_target
from bundle.games import WITHOUT_SITE_PACKAGES, first_messages, unpack
from checkout import CHECKOUT
from judge.statistics.score import percentile
from measurement.choices import safely_drawn
from measurement.commands import option, run
from measurement.kept import MeasureError
from measurement.positions import load_kernels
from measurement.strength import boxes
from option_types import count, quantity, seconds
from protocol.games.connect_four import ReplyDecoder

ENGINE_ROUNDS, ENGINE_ITERATIONS, MEMORY_MB = 15, 100_000, 800
START_RUNS = 60
PATIENCE_S = 5.0
# main.py's own way but for the search, which ends with its first iteration, so that the reply's way out is all that is
# added.
FIRST_ITERATION = (
    "import sys; sys.path.insert(0, sys.argv.pop()); import main; "
    "main.end(main.main(main.GAME, main.FOLDER, iterations=1))"
)
# Games of 1, 2, .. plies from the start of 8x8, a double pass being an end.
PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800, 1939886636, 18429641748)
# That start, as bit 8 * row + column.
FIRST_MOVERS, SECOND_MOVERS, EVERY_SQUARE = 0x0000000810000000, 0x0000001008000000, 2**64 - 1
ENDGAMES = CHECKOUT / "tests" / "positions" / "ffo.txt"


def engines(options):
    """Every round searches the same positions; processor time, so that a neighbour's work does not count."""
    adapter, names = adapter_of(options.game), native.runnable()
    native_build.build(names, options.game)
    kernels = {JIT: Kernels(options.game, JIT).obtain()}
    kernels.update((name, Kernels(options.game, name).load()) for name in names)
    players = {
        name: adapter.make_engine(loaded, adapter.preset("default"), MEMORY_MB, 1) for name, loaded in kernels.items()
    }
    rounds = []
    for number in range(options.rounds + 1):
        order = list(players) if number % 2 else list(players)[::-1]
        rounds.append({name: _searched_s(players[name], adapter) for name in order})
    for name in names:
        ratios = sorted(found[JIT] / found[name] for found in rounds[1:])  # the first round touches the memory
        print(f"{name}: {statistics.median(ratios):.3f} of numba's speed ({ratios[0]:.3f} .. {ratios[-1]:.3f})")
    return 0


def _searched_s(engine, adapter):
    started = time.process_time()
    for position in adapter.bench_positions()[:3]:
        engine.think(position, iterations=ENGINE_ITERATIONS)
    return time.process_time() - started


def start_up(options):
    """Starts with the bundle's byte code, then without it and without a place for new one."""
    with _bundle(options) as bundle:
        for way in ("with byte code", "without, read-only"):
            found = sorted(_beyond_bare_s(bundle) for _ in range(options.count))
            low, middle, high = (1000 * percentile(found, part) for part in (10, 50, 90))
            print(f"{way}: {middle:.1f} ms (10 % {low:.1f}, 90 % {high:.1f}, {len(found)} pairs)", flush=True)
            for folder in bundle.rglob("__pycache__"):
                shutil.rmtree(folder)
    return 0


@contextlib.contextmanager
def _bundle(options):
    if not options.bundle.exists():
        raise MeasureError(f"{options.bundle} is not there: run scripts/build_bundle")
    with tempfile.TemporaryDirectory() as place:
        yield unpack(options.bundle, place)


def _beyond_bare_s(bundle):
    # -B: as in a read-only folder, nothing is written that the next run would find.
    python = [sys.executable, "-B", *WITHOUT_SITE_PACKAGES, "-c"]
    bare = _run_s([*python, "pass"])
    return _run_s([*python, FIRST_ITERATION, str(bundle)]) - bare


def _run_s(command):
    started = time.perf_counter()
    done = subprocess.run(command, input=first_messages(), capture_output=True)
    if done.returncode:
        raise MeasureError(f"{command}: status {done.returncode}, {done.stderr.decode()}")
    return time.perf_counter() - started


def first_moves(options):
    """Seconds from process start to reply beside busy loops in sessions of their own: full shares for all."""
    loop = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(loop, start_new_session=True) for _ in range(options.loops)]
    try:
        with _bundle(options) as bundle:
            words = [str(bundle / "main.py"), "--limit", str(options.limit)]
            command = [sys.executable, *WITHOUT_SITE_PACKAGES, *words]
            found = sorted(_first_move_s(command, options.limit + PATIENCE_S) for _ in range(options.count))
    finally:
        for process in loops:
            process.kill()
            process.wait()
    soft = Budget(options.limit, DEFAULT_FIRST_MARGIN_S).soft
    late = sum(moment > options.limit for moment in found)
    middle, rare, worst = (1000 * (found[int(part * (len(found) - 1))] - soft) for part in (0.5, 0.999, 1))
    print(
        f"limit {options.limit:g} s: {len(found)} first moves, {late} late; past the soft deadline ({soft:g} s) by "
        f"{middle:.1f} ms (p50), {rare:.1f} ms (p99.9), {worst:.1f} ms (worst); soonest {found[0]:.3f} s"
    )
    return 1 if late else 0


def _first_move_s(command, patience_s):
    started = time.monotonic()
    bot = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        bot.stdin.write(first_messages())
        bot.stdin.flush()
        decoder = ReplyDecoder()
        while decoder.next_reply() is None:
            left = started + patience_s - time.monotonic()
            if left <= 0 or not select.select([bot.stdout], [], [], left)[0]:
                return float("inf")
            decoder.feed(os.read(bot.stdout.fileno(), 4096))
        return time.monotonic() - started
    finally:
        bot.kill()
        bot.communicate()


def perft(options):
    """Count the games of each length; 1 where a count is not the known one."""
    kernels = load_kernels("reversi")
    room = mmap.mmap(-1, layout.TABLE_OFFSET)
    words, root = memoryview(room).cast("Q"), layout.FRAMES_OFFSET // 8
    words[layout.BOARD] = EVERY_SQUARE
    words[root + layout.OWN], words[root + layout.OPPONENT] = FIRST_MOVERS, SECOND_MOVERS
    wrong = 0
    for depth, known in enumerate(PERFT[: options.depth], start=1):
        started = time.perf_counter()
        games = kernels.perft(ctypes.addressof(ctypes.c_char.from_buffer(room)), depth)
        elapsed_s = time.perf_counter() - started
        wrong += games != known
        expected = "" if games == known else f", expected {known:,}"
        print(f"perft {depth}: {games:,} games, {elapsed_s:.2f} s{expected}", flush=True)
    return 1 if wrong else 0


def ffo(options):
    """Solve the endgames of those numbers, each with an empty table; 1 where a score is not the known one."""
    adapter, kernels = adapter_of("reversi"), load_kernels("reversi")
    total_s, wrong = 0.0, 0
    lines = [line.split() for line in ENDGAMES.read_text("ascii").splitlines() if not line.startswith("#")]
    for number, mover, drawn, expected in lines:
        if options.first <= int(number) <= options.last:
            engine = adapter.make_engine(kernels, adapter.preset("default"), MEMORY_MB, 1)
            solution = engine.solve(_drawn(mover, drawn), exact=True)
            total_s += solution.elapsed_s
            wrong += solution.score != int(expected)
            searched = f"{solution.elapsed_s:.2f} s, {solution.nodes / 1e6:.1f} M positions"
            print(f"FFO {number}: {solution.score:+d} in {searched} (known: {expected})", flush=True)
    print(f"{total_s:.1f} s in all")
    return 1 if wrong else 0


def _drawn(mover, drawn):
    """The Position of 64 marks, for the side to move."""
    own = opponent = 0
    for index, mark in enumerate(drawn):
        bit = 1 << 16 * (index // 8) + index % 8
        own |= bit * (mark == mover)
        opponent |= bit * (mark not in (mover, "-"))
    return Position(8, own, opponent)


def dots(options):
    """Solve a whole board, or random positions, each with an empty table; 1 if one was not solved in time."""
    kernels = load_kernels("dots")
    if options.board:
        engine = SolverEngine(kernels, options.table_mb, SYMMETRY_FROM_EMPTY)
        solution = engine.solve(start_position(*options.board), budget_s=options.limit)
        value = f"{solution.lower:+d}" if solution.lower == solution.upper else f"{solution.lower:+d} or more"
        print(
            f"{options.board[0]}x{options.board[1]}: {value} boxes for the first player, by {name_of(solution.turn)}; "
            f"{solution.elapsed_s:.1f} s, {solution.nodes / 1e6:.1f} M positions"
        )
        return 0 if solution.lower == solution.upper else 1
    engine, generator, solutions = SolverEngine(kernels, options.table_mb), random.Random(options.seed), []
    for _ in range(options.count):
        position = safely_drawn(generator, *options.size, options.free)
        if position is None:
            raise MeasureError(f"no safe play leaves {options.free} free edges")
        engine.forget()
        solutions.append(engine.solve(position, budget_s=options.limit))
    times = [solution.elapsed_s for solution in solutions]
    nodes, solved = sum(each.nodes for each in solutions), sum(each.lower == each.upper for each in solutions)
    print(
        f"{solved} of {options.count} solved; median {statistics.median(times):.3f} s, worst {max(times):.3f} s, "
        f"{nodes / options.count / 1e6:.2f} M positions each, {nodes / sum(times) / 1e6:.2f} M/s"
    )
    return 0 if solved == options.count else 1


BUNDLE = option("--bundle", Path, default_target("connect_four"), "FILE")
COMMANDS = {
    "engines": (engines, (option("--game", default="connect_four"), option("--rounds", count, ENGINE_ROUNDS))),
    "start-up": (start_up, (BUNDLE, option("--count", count, START_RUNS))),
    "first-moves": (
        first_moves,
        (
            BUNDLE,
            option("--limit", seconds, 1.0, "S", "a move"),
            option("--count", count, 1000),
            option("--loops", quantity, 4, text="busy ones"),
        ),
    ),
    "perft": (perft, (option("--depth", count, 11, text=f"at most {len(PERFT)}"),)),
    "ffo": (ffo, (option("--first", int, 40, text="40 to 59"), option("--last", int, 44))),
    "dots": (
        dots,
        (
            option("--board", boxes, letter="RxC", text="a whole one in place of random positions"),
            option("--size", boxes, (5, 5), "RxC", "of random positions"),
            option("--free", quantity, 38, text="edges that random safe play leaves"),
            option("--count", count, 100, text="positions"),
            option("--seed", quantity, 1),
            option("--limit", seconds, 60.0, "S", "a position"),
            option("--table-mb", count, 256, "MB"),
        ),
    ),
}


def main(words):
    """Run the command; returns the exit status."""
    return run("speed", __doc__, COMMANDS, words)
