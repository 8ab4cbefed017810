"""Entry points of the connect-four engine: each takes the address of a search memory (search/uct/edge_nodes/layout.py).

They are all the compiled code that the rest of the bot calls, with integers in and one integer out, so that it
cannot tell how they were compiled.
"""

import numpy as np

from bot.kernels.kernel import entry_point
from bot.kernels.machine import take_steps
from bot.search.alphabeta import make_alphabeta, memory_at
from bot.search.uct.control import MAX_ITERATIONS
from bot.search.uct.edge_nodes.search import make_uct
from bot.search.uct.edge_nodes.tree import tree_at

from . import alphabeta as alphabeta_game
from . import solver, uct
from .network import evaluate, network_at
from .uct_engine import NETWORK, ROLLOUT_POLICY, WHOLE_VALUE

_prepare_root, _search, _prove_move = make_uct(uct)
_alphabeta = make_alphabeta(alphabeta_game)


@entry_point
def prepare_root(address, kept_root):
    """Take over the position written in memory as the root; the node kept for it, or 0 where it starts fresh.

    kept_root: its node in the kept tree, PROBE_ROOT, or 0 to forget the tree. control[BUDGET_NS] bounds the time
    spent on keeping it.
    """
    return _prepare_root(tree_at(address), kept_root)


@entry_point
def search(address):
    """Iterate on the prepared root within control[BUDGET_NS] and control[MAX_ITERATIONS]; returns the iterations."""
    return _search(tree_at(address))


@entry_point
def prove_move(address, edge, score):
    """Close an edge of the root with a proven score that was found elsewhere; returns 0."""
    _prove_move(tree_at(address), edge, score)
    return 0


@entry_point
def rollouts(address):
    """control[MAX_ITERATIONS] rollouts from the position in memory; the sum of their values."""
    tree = tree_at(address)
    state = uct.load_root(tree.position, 0)
    total = 0
    policy = np.int64(tree.game_words[ROLLOUT_POLICY])
    for _ in range(tree.control[MAX_ITERATIONS]):
        value, _ = uct.rollout(state, -1, policy, tree.game_words)
        total += value
    return total


@entry_point
def static_value(address):
    """The network's value of the position in memory, without a search; WHOLE_VALUE stands for a win."""
    tree = tree_at(address)
    network = network_at(np.int64(tree.game_words[NETWORK]))
    return np.int64(evaluate(network, uct.load_root(tree.position, 0)) * WHOLE_VALUE)


@entry_point
def alphabeta(address):
    """Alpha-beta on the position in the memory of search/alphabeta_engine.py, within the limits written there; 0."""
    _alphabeta(memory_at(address))
    return 0


@entry_point
def solve(address):
    """Begin or go on with the question in the memory of solver_engine.py; the positions visited by this call."""
    return solver.solve_in(solver.memory_at(address))


@entry_point
def steps(address, count):
    """The calibration, kernels/machine.py: the machine's speed."""
    return take_steps(address, count)
