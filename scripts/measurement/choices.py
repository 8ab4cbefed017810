"""How many of the bot's turns at dots and boxes win on, where the exact solver says that the position is won.

Positions from random safe play are solved until so many are won for the side to move: a lost one would be a question
without a wrong answer. The bot is asked for its turn in each, a new engine for each, and the positions after its turn
and after a random safe edge are solved.
"""

import itertools
import random

from rich.console import Console
from rich.progress import track

from bot.games import adapter_of
from bot.games.dots.board import turn_of
from bot.games.dots.notation import name_of
from bot.games.dots.plain import numbers_of, safe_edges, start_position
from bot.games.dots.solver_engine import SolverEngine, deciding_window
from measurement.kept import MeasureError, Run, file_name
from measurement.positions import answered, load_kernels, settings_of

ADAPTER = adapter_of("dots")
TABLE_MB = 1024
MOST_TRIES = 10000


def main(options):
    """Ask the bot for a turn where it can win, and solve what comes of it."""
    settings, kernels = settings_of(options.preset, ADAPTER), load_kernels("dots")
    solver = SolverEngine(kernels, TABLE_MB)

    def answer(number):
        position = drawn(number, options)
        engine = ADAPTER.make_engine(kernels, settings, ADAPTER.DEFAULT_MEMORY_MB, options.seed)
        decision = engine.think(position, budget_s=options.budget)
        generator = random.Random(f"{options.seed} {number} edge")
        chance = turn_of([generator.choice(numbers_of(safe_edges(position)) or position.legal_edges())])
        return {
            "candidate": number,
            "edges": name_of(turn_of(numbers_of(position.edges))),
            "turn": name_of(decision.move),
            "kept": solver.outcome_after(position, decision.move) == "win",
            "random_kept": solver.outcome_after(position, chance) == "win",
            "proven": decision.proven,
            "iterations": decision.iterations,
            "elapsed_s": round(decision.elapsed_s, 4),
        }

    size = "x".join(map(str, options.size))
    asked = {
        "preset": options.preset,
        "size": list(options.size),
        "free": options.free,
        "count": options.count,
        "budget_s": options.budget,
        "memory_mb": ADAPTER.DEFAULT_MEMORY_MB,
        "seed": options.seed,
    }
    name = file_name("choices", options.preset, size, f"{options.free}-free", f"{options.budget:g}s")
    run = Run("choices", name, asked, options)
    run.require_new()
    won = itertools.islice((n for n in itertools.count() if is_won(solver, drawn(n, options))), options.count)
    candidates = [*track(won, "positions that are won", options.count, console=Console(stderr=True), transient=True)]
    return answered(run, ("candidate",), {(n,): n for n in candidates}, answer, summary_of, _in_words)


def drawn(number, options):
    """The numbered Position, the same in every run with these options. Raises MeasureError."""
    position = safely_drawn(random.Random(f"{options.seed} {number}"), *options.size, options.free)
    if position is None:
        raise MeasureError(f"no safe play leaves {options.free} free edges on {'x'.join(map(str, options.size))}")
    return position


def safely_drawn(generator, rows, columns, free):
    """A Position after random safe edges that leave so many free; None where play hardly ever gets that far.

    rows, columns: of boxes; generator: random.Random.
    """
    for _ in range(MOST_TRIES):
        position = start_position(rows, columns)
        while position.free_edges() > free and (safe := numbers_of(safe_edges(position))):
            position, _ = position.draw(generator.choice(safe))
        if position.free_edges() <= free:
            return position
    return None


def is_won(solver, position):
    """Whether the side to move gets more boxes from here on."""
    return solver.solve(position, window=deciding_window(position)).lower > 0


def summary_of(answers):
    """Counts as a JSON object."""
    return {
        "asked": len(answers),
        "kept": sum(answer["kept"] for answer in answers),
        "random_kept": sum(answer["random_kept"] for answer in answers),
        "proven": sum(answer["proven"] is not None for answer in answers),
        "slowest_s": max(answer["elapsed_s"] for answer in answers),
    }


def _in_words(summary):
    asked = summary["asked"]
    yield (
        f"{summary['kept']} of {asked} turns keep the win ({summary['kept'] / asked:.1%}), "
        f"{summary['random_kept']} of {asked} random safe edges; {summary['proven']} called proven"
    )
