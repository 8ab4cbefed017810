"""Tests whether the kernels and the data files of this game can be used. Running a kernel first compiles it if needed.

Standard library only, Python 3.8 syntax.
"""

from bot.kernels.memory_block import calibrate
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import PROVEN_DRAW

from .alphabeta_engine import AlphaBetaEngine
from .config import DEFAULT
from .network_weights import NETWORK_FILE
from .plain import empty_position
from .policy_weights import POLICY_FILE
from .solver_engine import SolverEngine
from .uct_engine import UctEngine
from .weights_file import WeightsError


def self_test(kernels):
    """Run every entry point of `kernels`, a module or an object, for a moment. Returns a checksum of the results.

    The checksum is the same for all correct engines.
    """
    position = empty_position(9, 10, (0, 4))
    weights = NETWORK_FILE.small(), POLICY_FILE.small()
    engine = UctEngine(kernels, DEFAULT, PROCESS_MB + SMALLEST_SEARCH_MB, 1, *weights)
    decision = engine.think(position, iterations=64)
    engine.prove_move(decision.move, PROVEN_DRAW)
    again = engine.think(position, iterations=64)  # the proven move stays proven in the kept tree
    _, plies = engine.time_rollouts(position, 5)
    static_value, _ = engine.static_values(position)
    priors = engine.priors(position)
    looked = AlphaBetaEngine(kernels, DEFAULT).think(position, iterations=60)
    solution = SolverEngine(kernels, 1).solve(empty_position(4, 4), nodes=60)
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
        *(round(prior * 1e6) for prior in priors.values()),
        looked.move,
        round(looked.value * 1e6),
        looked.nodes,
        solution.nodes,
        calibrate(kernels, 500),
    ):
        found = (found * 1000003 + number) & 0xFFFFFFFF
    return found


def fault_in_data():
    """Returns a short text that says why the data files of this game cannot be used, or "" if they can be used."""
    for file, command in ((NETWORK_FILE, "scripts/train_connect_four"), (POLICY_FILE, "scripts/train_policy")):
        try:
            file.stored()
        except WeightsError as error:
            return f"{error}; git restores the file, {command} learns it anew"
    return ""
