"""Entry points of the dots-and-boxes engines: each takes the address of a search memory.

They are all the compiled code that the rest of the bot calls, with integers in and one integer out, so that it
cannot tell how they were compiled.
"""

from bot.kernels.kernel import entry_point
from bot.kernels.machine import int16_array_at, take_steps, uint16_array_at
from bot.search.alphabeta import make_alphabeta, memory_at
from bot.search.uct.child_blocks.search import make_uct
from bot.search.uct.child_blocks.tree import tree_at
from bot.search.uct.control import MAX_ITERATIONS

from . import alphabeta as alphabeta_game
from . import rules, uct
from .rules import count_edge_games, count_turn_games, stack_at
from .solver import solve_in
from .turn_decoder import MOST_EDGES, POSITION_BYTES

_alphabeta = make_alphabeta(alphabeta_game)
_prepare_root, _search, _prove_move = make_uct(uct)


@entry_point
def prepare_root(address, keep):
    """Take over the position written in the memory of search/uct/child_blocks/layout.py as the root; the node that the
    kept tree had of it, or 0 where it starts fresh, as it does with keep 0. control[BUDGET_NS] bounds the time for
    keeping it.
    """
    return _prepare_root(tree_at(address), keep)


@entry_point
def search(address):
    """Iterate on the prepared root within control[BUDGET_NS] and control[MAX_ITERATIONS]; returns the iterations."""
    return _search(tree_at(address))


@entry_point
def prove_move(address, move, score):
    """Give a move at the root a proven score that was found elsewhere; returns 0."""
    _prove_move(tree_at(address), move, score)
    return 0


@entry_point
def rollouts(address):
    """control[MAX_ITERATIONS] rollouts from the position in memory; the sum of their margins."""
    tree = tree_at(address)
    state = rules.load_root(tree.position, 0)
    total = 0
    for _ in range(tree.control[MAX_ITERATIONS]):
        margin, _ = uct.rollout(state, tree)
        total += margin
    return total


@entry_point
def turn_edges(address, code):
    """Write the edges of a turn of the position in memory behind it (turn_decoder.py draws both); how many."""
    positions = uint16_array_at(address, rules.STATE_HALVES)
    edges = int16_array_at(address + POSITION_BYTES, MOST_EDGES)
    return rules.turn_edges(rules.load_root(positions, 0), code, edges, 0)


@entry_point
def perft(address, depth, in_turns):
    """Games of so many turns, merged as rules.py has them, or (in_turns 0) those of so many edges after which the
    side is to move that began. address: of the position, with room for turn_decoder.py's stack behind it.
    """
    positions, codes = stack_at(address)
    if in_turns:
        return count_turn_games(positions, codes, depth)
    return count_edge_games(positions, codes, depth)


@entry_point
def alphabeta(address):
    """Alpha-beta on the position in the memory of search/alphabeta_engine.py, within the limits written there; 0."""
    _alphabeta(memory_at(address))
    return 0


@entry_point
def solve(address):
    """Begin or go on with the question in the memory of solver_engine.py; the positions visited by this call."""
    return solve_in(address)


@entry_point
def steps(address, count):
    """The calibration, kernels/machine.py: the machine's speed."""
    return take_steps(address, count)
