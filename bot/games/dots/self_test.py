"""Tests whether the kernels of this game can be used. Running a kernel first compiles it if needed.

Standard library only, Python 3.8 syntax.
"""

import ctypes

from bot.kernels.memory_block import calibrate
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import PROVEN_DRAW

from .alphabeta_engine import AlphaBetaEngine
from .config import PRESETS
from .plain import safe_move, start_position
from .solver_engine import SolverEngine
from .turn_decoder import STACK_BYTES
from .uct_engine import UctEngine

_PERFT_DEPTH = 3
# After so many safe turns, a board of 4 x 5 boxes consists only of chains.
_TURNS_TO_CHAINS = 24


def self_test(kernels):
    """Run every entry point of `kernels`, a module or an object, for a moment. Returns a checksum of the results.

    The checksum is the same for all correct engines.
    """
    late = start_position(4, 5)
    for _ in range(_TURNS_TO_CHAINS):
        late = late.play(safe_move(late))
    engine = AlphaBetaEngine(kernels, PRESETS["alphabeta"])
    decisions = [engine.think(position, iterations=500) for position in (start_position(3, 3), late)]
    solved = [SolverEngine(kernels, 1).solve(position) for position in (start_position(2, 2), late)]
    for name in ("default", "uct", "amaf"):
        tree = UctEngine(kernels, PRESETS[name]._replace(engine="uct"), PROCESS_MB + SMALLEST_SEARCH_MB, seed=1)
        first = tree.think(late, iterations=64)
        tree.prove_move(first.move, PROVEN_DRAW)
        tree.time_rollouts(late, 5)
        decisions += [first, tree.think(late, iterations=64), tree.think(start_position(3, 3), iterations=64)]
    stack = ctypes.create_string_buffer(start_position(2, 2).to_bytes(), STACK_BYTES)
    address = ctypes.addressof(stack)
    numbers = [
        number for decision in decisions for number in (decision.move, round(decision.value * 1e6), decision.nodes)
    ]
    numbers += [number for solution in solved for number in (solution.lower, solution.turn, solution.nodes)]
    numbers += [
        kernels.perft(address, _PERFT_DEPTH, 1),
        kernels.perft(address, _PERFT_DEPTH, 0),
        calibrate(kernels, 500),
    ]
    found = 0
    for number in numbers:
        found = (found * 1000003 + number) & 0xFFFFFFFF
    return found
