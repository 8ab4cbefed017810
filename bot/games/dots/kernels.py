"""Entry points of the dots-and-boxes engines. Most take the address of a search's memory.

The rest of the bot calls no other compiled code. Arguments and results are integers, so that callers cannot tell how an
entry point was compiled.
"""

from bot.kernels.kernel import entry_point
from bot.kernels.machine import int16_array_at, take_steps, uint16_array_at
from bot.search.alphabeta import make_alphabeta, memory_at
from bot.search.uct.control import MAX_ITERATIONS
from bot.search.uct.wide_tree.search import make_uct
from bot.search.uct.wide_tree.tree import tree_at

from . import alphabeta as alphabeta_game
from . import rules, uct
from .rules import count_edge_games, count_turn_games, stack_at
from .solver import solve_in
from .turn_decoder import MOST_EDGES, POSITION_BYTES

_alphabeta = make_alphabeta(alphabeta_game)
_prepare_root, _search, _prove_move = make_uct(uct)


@entry_point
def prepare_root(address, keep):
    """Make the position in the memory at `address` the tree's root. search/uct/wide_tree/layout.py shows the memory.

    Returns the node that the kept tree had for the position, or 0 if a new tree was made. If `keep` is 0, a new tree is
    always made. control[BUDGET_NS] limits the time that is spent on keeping the tree.
    """
    return _prepare_root(tree_at(address), keep)


@entry_point
def search(address):
    """Iterate from the prepared root within control[BUDGET_NS] and control[MAX_ITERATIONS].

    Returns the number of iterations done.
    """
    return _search(tree_at(address))


@entry_point
def prove_move(address, move, score):
    """Enter a proven score that was found elsewhere for a move at the root. Returns 0."""
    _prove_move(tree_at(address), move, score)
    return 0


@entry_point
def rollouts(address):
    """Run control[MAX_ITERATIONS] rollouts from the position in the memory. Returns the sum of their margins."""
    tree = tree_at(address)
    state = rules.load_root(tree.position, 0)
    total = 0
    for _ in range(tree.control[MAX_ITERATIONS]):
        margin, _ = uct.rollout(state, tree)
        total += margin
    return total


@entry_point
def turn_edges(address, code):
    """Write the edges of a turn behind the position at `address`. Returns their number.

    `code` is one of the position's turns. turn_decoder.py shows where the position and the edges lie.
    """
    positions = uint16_array_at(address, rules.STATE_HALVES)
    edges = int16_array_at(address + POSITION_BYTES, MOST_EDGES)
    return rules.turn_edges(rules.load_root(positions, 0), code, edges, 0)


@entry_point
def perft(address, depth, in_turns):
    """Returns the number of games of `depth` whole turns, which are counted as rules.py lists them.

    If `in_turns` is 0, returns instead the number of games of `depth` edges after which the side that began is to move.
    `address` is the address of a stack (turn_decoder.py), which begins with the position.
    """
    positions, codes = stack_at(address)
    if in_turns:
        return count_turn_games(positions, codes, depth)
    return count_edge_games(positions, codes, depth)


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
    return solve_in(address)


@entry_point
def steps(address, count):
    """Runs `count` steps of the calibration, take_steps() of kernels/machine.py, on the counters at `address`.

    Returns the first counter after them.
    """
    return take_steps(address, count)
