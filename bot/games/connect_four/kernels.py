"""Entry points of the connect-four engine. Most take the address of a search memory (search/uct/narrow_tree/layout.py).

The rest of the bot calls no other compiled code. Arguments and results are integers, so that callers cannot tell how an
entry point was compiled.
"""

import numpy as np

from bot.kernels.kernel import entry_point
from bot.kernels.machine import bit_count, float32_array_at, take_steps
from bot.search.alphabeta import make_alphabeta, memory_at
from bot.search.uct.control import MAX_ITERATIONS
from bot.search.uct.narrow_tree.search import make_uct
from bot.search.uct.narrow_tree.tree import tree_at

from . import alphabeta as alphabeta_game
from . import solver, uct
from .board import MAX_COLUMNS
from .network import evaluate, network_at
from .policy_weights import FACTORS_OFFSET
from .uct_engine import NETWORK, POLICY, ROLLOUT_POLICY, WHOLE_VALUE

_prepare_root, _search, _prove_move = make_uct(uct)
_alphabeta = make_alphabeta(alphabeta_game)


@entry_point
def prepare_root(address, kept_root):
    """Make the position in the memory the tree's root.

    `kept_root` is the node that the kept tree has for the position, PROBE_ROOT to look for that node in the table, or 0
    to forget the tree. Returns the node, or 0 if a new tree was made. control[BUDGET_NS] limits the time that is spent
    on keeping the tree.
    """
    return _prepare_root(tree_at(address), kept_root)


@entry_point
def search(address):
    """Iterate from the prepared root within control[BUDGET_NS] and control[MAX_ITERATIONS].

    Returns the number of iterations done.
    """
    return _search(tree_at(address))


@entry_point
def prove_move(address, edge, score):
    """Close an edge of the root with a proven score that was found elsewhere. Returns 0."""
    _prove_move(tree_at(address), edge, score)
    return 0


@entry_point
def rollouts(address):
    """Run control[MAX_ITERATIONS] rollouts from the position in the memory. Returns the sum of their values."""
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
    """Returns WHOLE_VALUE times the network's value of the position in the memory, without a search."""
    tree = tree_at(address)
    network = network_at(np.int64(tree.game_words[NETWORK]))
    return np.int64(evaluate(network, uct.load_root(tree.position, 0)) * WHOLE_VALUE)


@entry_point
def prior(address, column):
    """Returns WHOLE_VALUE times the policy's prior of a column in the position in the memory, without a search."""
    tree = tree_at(address)
    state = uct.load_root(tree.position, 0)
    _, legal, _ = uct.assess(state, tree.game_words)
    factors = float32_array_at(np.int64(tree.game_words[POLICY]) + FACTORS_OFFSET, MAX_COLUMNS)
    uct.write_factors(state, legal, tree.game_words, np.float32(1), factors, 0)
    return np.int64(factors[column] / np.float32(bit_count(np.uint64(legal))) * WHOLE_VALUE)


@entry_point
def alphabeta(address):
    """Search the position in the memory at `address` by alpha-beta, within the limits written there. Returns 0.

    search/alphabeta_engine.py shows the layout of the memory. The results are written there too.
    """
    _alphabeta(memory_at(address))
    return 0


@entry_point
def solve(address):
    """Start or continue to solve the question in the memory at `address`, whose layout solver_engine.py shows.

    Returns the number of positions that this call has visited.
    """
    return solver.solve_in(solver.memory_at(address))


@entry_point
def steps(address, count):
    """Runs `count` steps of the calibration, take_steps() of kernels/machine.py, on the counters at `address`.

    Returns the first counter after them.
    """
    return take_steps(address, count)
