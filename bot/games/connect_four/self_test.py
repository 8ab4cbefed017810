"""A first run of every entry point (entry_points.py): compiles it, or shows that it works. Standard library only."""

import ctypes

from bot.kernels.calibration_layout import STEP_COUNTERS
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import PROVEN_DRAW

from .alphabeta.engine import AlphaBetaEngine
from .evaluation.weights_file import small_weights
from .plain import empty_position
from .settings import DEFAULT
from .solver.engine import SolverEngine
from .uct.engine import UctEngine


def self_test(kernels):
    """Run every entry point of a module or object for a moment; returns a number that all right engines share."""
    position = empty_position(9, 10, (0, 4))
    engine = UctEngine(kernels, DEFAULT, PROCESS_MB + SMALLEST_SEARCH_MB, 1, weights=small_weights())
    decision = engine.think(position, iterations=64)
    engine.prove_move(decision.move, PROVEN_DRAW)
    again = engine.think(position, iterations=64)  # the settled move stays settled in the kept tree
    _, plies = engine.time_rollouts(position, 5)
    static_value, _ = engine.static_values(position)
    looked = AlphaBetaEngine(kernels, DEFAULT).think(position, iterations=60)
    solution = SolverEngine(kernels, 1).solve(empty_position(4, 4), nodes=60)
    counters = (ctypes.c_int32 * STEP_COUNTERS)()
    found = 0
    for number in (
        decision.move,
        round(decision.value * 1e6),
        decision.nodes,
        again.move,
        round(again.value * 1e6),
        again.nodes,
        plies,
        round(static_value * 1e6),
        looked.move,
        round(looked.value * 1e6),
        looked.nodes,
        solution.nodes,
        kernels.steps(ctypes.addressof(counters), 500),
    ):
        found = (found * 1000003 + number) & 0xFFFFFFFF
    return found
