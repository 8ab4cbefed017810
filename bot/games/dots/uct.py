"""What search/uct/wide_tree/search.py needs from dots and boxes: its moves, and rollouts. Kernels.

A move is a turn or a single edge (uct_engine.py).

A rollout is played at random or with knowledge of chains. At random, each move is a random edge, or a turn that takes
every box that can be taken and then draws a random edge. With knowledge of chains, each turn takes every box that can
be taken and then draws a random edge that gives nothing away, as long as there is such an edge. The number of these
turns decides which side must open the first chain. From then on nothing is random: the cheapest chain is opened, and
the other side takes all of it or keeps control by a double-cross, whichever leads to more boxes. That choice is exact
for the order in which the chains are opened. Let v be what the rest of the chains is worth to the side that need not
open it. Then a chain of n boxes before that rest is worth

    n - v                   taken whole: the taker has to open the rest
    n - 4 + v               all but two boxes of at least three, by a double-cross: the other side has to open the rest
    n - 8 + v               all but four boxes of a loop, by a double-cross

(Berlekamp, The Dots-and-Boxes Game, 2000; Buzzard and Ciere 2013). The random numbers are xorshift64* (Vigna 2016).
"""

import numpy as np

from bot.kernels.arithmetic import mixed
from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count
from bot.search.uct.control import FLAG_AMAF, FLAGS

from .board import VERTICAL
from .rules import (
    DOUBLE_CROSS,
    NOTHING_IS_RUNNING,
    complete,
    double_cross,
    draw,
    edges_around,
    is_drawn,
    list_edges,
    list_turns,
    load_root,
    play_turn,
    store,
    take_all,
    with_three,
    with_two,
)
from .solver import solve_within
from .uct_engine import (
    CHAINS,
    DOUBLE_CROSS_MOVES,
    LEAF_EDGES,
    LEAF_NODES,
    MERGED,
    ONE_OF_EQUALS,
    RANDOM_STATE,
    RULES,
    SINGLE_EDGE,
    SOLVER,
)

__all__ = [
    "amaf_key",
    "can_reach",
    "list_moves",
    "load_root",
    "play",
    "position_hash",
    "rollout",
    "known_result",
    "solve_leaf",
    "store",
]

_NONE, _ONE = np.uint64(0), np.uint64(1)
_NO_EDGE = -1
_SHORT = 2  # a chain of two boxes is opened in its middle, so that no double-cross is possible
# Odd multipliers for the position's hash, and an offset, so that also an empty word of vertical edges changes the hash.
_HORIZONTAL_KEY, _VERTICAL_KEY = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)
_MARGIN_KEY = np.uint64(0xDA942042E4DD58B5)
_VERTICAL_OFFSET = np.uint64(0x632BE59BD9B4E019)
_MULTIPLIER = np.uint64(2685821657736338717)
_SIDE_SHIFT = 8
# Places in the tree's scratch, int16[512]. The edges to draw from begin at 0. The other places are arrays with one
# number for each chain, in the order in which the chains are opened: its number of boxes, which is later replaced by
# its value together with all chains after it; what a double-cross costs; and the edge that opens the chain.
_LENGTHS, _COSTS, _OPENINGS = 128, 192, 256
_NO_DOUBLE_CROSS = 1000
_CHAIN_COST, _LOOP_COST = 4, 8
_LONGER_THAN_ANY = 1000  # boxes
_LEAST_CHAIN = 3  # boxes: shorter ones are opened so that no double-cross is possible


@kernel
def list_moves(state, tree):
    """Write the moves to tree.moves.

    Returns (the number of moves, how many of them, counted from the first, are to be tried before the others).
    """
    rules = np.int64(tree.game_words[RULES])
    if not rules & MERGED:
        horizontal, vertical, _, horizontal_mask, vertical_mask, _ = state
        count = list_edges(horizontal_mask & ~horizontal, vertical_mask & ~vertical, tree.moves, 0)
        for place in range(count):
            tree.moves[place] += SINGLE_EDGE
        return count, count
    if rules & ONE_OF_EQUALS:
        return list_unequal(state, tree, rules & DOUBLE_CROSS_MOVES)
    count = list_turns(state, tree.moves, 0)
    if count != 0 and tree.moves[count - 1] & DOUBLE_CROSS and not rules & DOUBLE_CROSS_MOVES:
        count -= 1
    return count, count


@kernel
def list_unequal(state, tree, with_double_cross):
    """Do what list_moves does for whole turns, but list only one of several equivalent turns.

    The border edges of one box are equivalent, and so are the edges of one chain. For a chain of two boxes the edge
    between its boxes is listed. Turns that open a chain come last, the cheapest first. They are to be tried last,
    unless there are no safe edges. `with_double_cross` says whether a double-cross is listed.
    """
    horizontal, vertical, _, horizontal_mask, vertical_mask, boxes = state
    if horizontal == horizontal_mask and vertical == vertical_mask:
        return 0, 0
    count = 0
    across, beside, taken = take_all(horizontal, vertical, boxes)
    if across == horizontal_mask and beside == vertical_mask:
        tree.moves[count] = NOTHING_IS_RUNNING
        count += 1
    if taken >= 2 and with_double_cross:
        edge, _, _ = double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            tree.moves[count] = edge | DOUBLE_CROSS
            count += 1
    safe_across, safe_beside = safe_edges(across, beside, horizontal_mask, vertical_mask, boxes)
    first = count
    safe_across, safe_beside = without_equal_borders(safe_across, safe_beside, boxes)
    count += list_edges(safe_across, safe_beside, tree.moves, count)
    openings = list_chain_moves(across, beside, horizontal_mask, vertical_mask, boxes, tree, count)
    return openings, openings if count == first else count


@kernel
def without_equal_borders(across, beside, boxes):
    """Returns (across, beside) with only one border edge of each box: the first in the order above, left, below, right.

    A border edge is an edge of the board's border. `boxes` are all boxes of the board.
    """
    inner = ~boxes
    above = across & boxes & (inner << np.uint64(8) | np.uint64(0xFF))
    left = beside & boxes & (inner << np.uint64(1) | np.uint64(0x0101010101010101))
    below = (across >> np.uint64(8)) & boxes & (inner >> np.uint64(8) | np.uint64(0xFF) << np.uint64(56))
    right = (beside >> np.uint64(1)) & boxes & (inner >> np.uint64(1) | np.uint64(0x8080808080808080))
    beside &= ~(left & above)
    across &= ~((below & (above | left)) << np.uint64(8))
    beside &= ~((right & (above | left | below)) << np.uint64(1))
    return across, beside


@kernel
def list_chain_moves(horizontal, vertical, horizontal_mask, vertical_mask, boxes, tree, count):
    """Write one edge for each chain that can be opened to tree.moves[count:], the cheapest chain first.

    Returns the number of moves in tree.moves after that. If an edge gives more than one chain away, as in a loop with a
    tail, every edge that gives all of it away is listed.
    """
    threatened, owned = with_two(horizontal, vertical, boxes), complete(horizontal, vertical, boxes)
    across, beside = edges_around(threatened)
    across &= horizontal_mask & ~horizontal
    beside &= vertical_mask & ~vertical
    first = count
    while across | beside != _NONE:
        chosen = edge = lowest_edge(across, beside)
        all_across, all_beside = draw(horizontal, vertical, edge)
        all_across, all_beside, length = take_all(all_across, all_beside, boxes)
        if length == _SHORT:
            edge = middle_of(edge, horizontal, vertical, all_across, all_beside, boxes)
        place = count
        while place > first and tree.scratch[place - 1] > length:
            tree.moves[place], tree.scratch[place] = tree.moves[place - 1], tree.scratch[place - 1]
            place -= 1
        tree.moves[place], tree.scratch[place] = edge, length
        count += 1
        across, beside = without_chain(across, beside, chosen, all_across, all_beside, threatened, owned, boxes)
    return count


@kernel
def middle_of(edge, horizontal, vertical, all_across, all_beside, boxes):
    """Returns the edge of a chain of two boxes after which one edge takes both boxes.

    If there is no such edge, returns `edge`, which is an edge of the chain. `all_across` and `all_beside` are the drawn
    edges after the whole chain has been taken.
    """
    across, beside = all_across & ~horizontal, all_beside & ~vertical
    while across | beside != _NONE:
        candidate = lowest_edge(across, beside)
        opened_across, opened_beside = draw(horizontal, vertical, candidate)
        if bit_count(with_three(opened_across, opened_beside, boxes)) == _SHORT:
            return candidate
        across, beside = across & ~opened_across, beside & ~opened_beside
    return edge


@kernel
def play(state, move):
    """Returns (state after a move, seen by the side to move then; 1 if that is the side that made the move, else 0)."""
    if move < SINGLE_EDGE:
        return play_turn(state, move), 0
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    owned = bit_count(complete(horizontal, vertical, boxes))
    horizontal, vertical = draw(horizontal, vertical, move - SINGLE_EDGE)
    taken = bit_count(complete(horizontal, vertical, boxes)) - owned
    if taken == 0:
        return (horizontal, vertical, -margin, horizontal_mask, vertical_mask, boxes), 0
    return (horizontal, vertical, margin + taken, horizontal_mask, vertical_mask, boxes), 1


@kernel
def amaf_key(move):
    """Returns the move's edge, with the bit DOUBLE_CROSS if the move is a double-cross."""
    return move & (SINGLE_EDGE - 1)


@kernel
def position_hash(state):
    """Returns a uint64 hash of the edges and the margin."""
    horizontal, vertical, margin, _, _, _ = state
    word = (
        horizontal * _HORIZONTAL_KEY ^ (vertical + _VERTICAL_OFFSET) * _VERTICAL_KEY ^ np.uint64(margin) * _MARGIN_KEY
    )
    return mixed(word)


@kernel
def can_reach(state, target):
    """Returns whether every edge drawn in `state` is drawn in `target` too."""
    return state[0] & ~target[0] == _NONE and state[1] & ~target[1] == _NONE


@kernel
def known_result(state):
    """Returns (whether the boxes that are left can no longer change the result, margin)."""
    horizontal, vertical, margin, _, _, boxes = state
    left = bit_count(boxes & ~complete(horizontal, vertical, boxes))
    return left == 0 or abs(margin) > left, margin


@kernel
def solve_leaf(state, tree):
    """Returns (known, margin) of a leaf, as far as the exact solver finds out.

    The solver is not asked if too many edges are free. Only the sign of the margin is exact.
    """
    horizontal, vertical, margin, horizontal_mask, vertical_mask, _ = state
    free = bit_count(horizontal_mask & ~horizontal) + bit_count(vertical_mask & ~vertical)
    solver, nodes = np.int64(tree.game_words[SOLVER]), np.int64(tree.game_words[LEAF_NODES])
    if solver == 0 or free > np.int64(tree.game_words[LEAF_EDGES]):
        return False, margin
    known, value = solve_within(solver, horizontal, vertical, -margin - 1, -margin + 1, nodes)
    return known, margin + value


@kernel
def rollout(state, tree):
    """Play a rollout. Returns (margin at the end, number of moves written to tree.trace).

    The margin is for the side to move in `state`. The trace has the edges that AMAF compares: all edges if the rollout
    draws single random edges, otherwise the last edge of each turn.
    """
    rules = np.int64(tree.game_words[RULES])
    if rules & CHAINS:
        return play_chains(state, tree)
    if rules & MERGED:
        return play_random_turns(state, tree)
    return play_random_edges(state, tree)


@kernel
def random_below(tree, count):
    """Returns a random number from 0 to `count` - 1. `count` must be below 2**31."""
    word = tree.game_words[RANDOM_STATE]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    tree.game_words[RANDOM_STATE] = word
    return np.int64(((word * _MULTIPLIER) >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@kernel
def take_random_edge(tree, count):
    """Remove a random edge from the first `count` edges of tree.scratch, and return it.

    The last of these edges takes the place of the removed edge.
    """
    place = random_below(tree, count)
    edge = np.int64(tree.scratch[place])
    tree.scratch[place] = tree.scratch[count - 1]
    return edge


@kernel
def note(tree, place, edge, side):
    """Write a move, `edge` drawn by `side`, to tree.trace[place]. Returns the next place."""
    tree.trace[place] = edge | side << _SIDE_SHIFT
    return place + 1


@kernel
def play_random_edges(state, tree):
    """Do what `rollout` does, by drawing one random edge after another."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    traced = tree.control[FLAGS] & FLAG_AMAF
    count = list_edges(horizontal_mask & ~horizontal, vertical_mask & ~vertical, tree.scratch, 0)
    owned = complete(horizontal, vertical, boxes)
    side, place = 0, 0
    while count > 0:
        edge = take_random_edge(tree, count)
        count -= 1
        if traced:
            place = note(tree, place, edge, side)
        horizontal, vertical = draw(horizontal, vertical, edge)
        after = complete(horizontal, vertical, boxes)
        if after == owned:
            side ^= 1
        else:
            taken = bit_count(after ^ owned)
            margin += -taken if side else taken
            owned = after
    return margin, place


@kernel
def play_random_turns(state, tree):
    """Do what `rollout` does, by turns that take every box that can be taken and then draw a random edge."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    traced = tree.control[FLAGS] & FLAG_AMAF
    count = list_edges(horizontal_mask & ~horizontal, vertical_mask & ~vertical, tree.scratch, 0)
    side, place = 0, 0
    horizontal, vertical, taken = take_all(horizontal, vertical, boxes)
    margin += taken
    while count > 0:
        edge = take_random_edge(tree, count)
        count -= 1
        if is_drawn(horizontal, vertical, edge):
            continue
        if traced:
            place = note(tree, place, edge, side)
        horizontal, vertical = draw(horizontal, vertical, edge)
        side ^= 1
        horizontal, vertical, taken = take_all(horizontal, vertical, boxes)
        margin += -taken if side else taken
    return margin, place


@kernel
def safe_edges(horizontal, vertical, horizontal_mask, vertical_mask, boxes):
    """Returns (horizontal, vertical): the free edges that belong to no box with two or three edges drawn."""
    across, beside = edges_around(with_two(horizontal, vertical, boxes) | with_three(horizontal, vertical, boxes))
    return horizontal_mask & ~(horizontal | across), vertical_mask & ~(vertical | beside)


@kernel
def play_chains(state, tree):
    """Do what `rollout` does, with knowledge of chains."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    traced = tree.control[FLAGS] & FLAG_AMAF
    across, beside, taken = take_all(horizontal, vertical, boxes)
    safe_across, safe_beside = safe_edges(across, beside, horizontal_mask, vertical_mask, boxes)
    if safe_across | safe_beside == _NONE:
        return play_openings(state, across, beside, taken, tree)
    horizontal, vertical = across, beside
    margin += taken
    side, place = 0, 0
    count = list_edges(safe_across, safe_beside, tree.scratch, 0)
    while count > 0:
        edge = take_random_edge(tree, count)
        count -= 1
        # An edge that is no longer safe does not become safe again as long as no chain is opened.
        across, beside = edges_around(with_two(horizontal, vertical, boxes))
        if is_drawn(across, beside, edge):
            continue
        if traced:
            place = note(tree, place, edge, side)
        horizontal, vertical = draw(horizontal, vertical, edge)
        side ^= 1
    count = open_every_chain(horizontal, vertical, horizontal_mask, vertical_mask, boxes, tree, 0)
    rest = value_of_openings(tree, 0, count)
    if traced:
        place = note_openings(tree, place, count, side)
    return margin + (rest if side else -rest), place


@kernel
def play_openings(state, across, beside, taken, tree):
    """Do what `rollout` does for a state in which no edge is safe after everything is taken.

    `across` and `beside` are the drawn edges after everything is taken, and `taken` is the number of boxes taken.
    """
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    count = open_every_chain(across, beside, horizontal_mask, vertical_mask, boxes, tree, 0)
    rest = value_of_openings(tree, 0, count)
    side = 0
    if taken >= 2 and rest > 2:
        edge, last_across, last_beside = double_cross(horizontal, vertical, boxes)
        if edge >= 0:
            last_across, last_beside = draw(last_across, last_beside, edge)
            _, _, left = take_all(last_across, last_beside, boxes)
            if rest > left:
                side = 1
                taken -= 2 * left
    place = 0
    if tree.control[FLAGS] & FLAG_AMAF:
        place = note_openings(tree, 0, count, side)
    return margin + taken + (rest if side else -rest), place


@kernel
def open_every_chain(horizontal, vertical, horizontal_mask, vertical_mask, boxes, tree, first):
    """Open the cheapest chain and take it, again and again until the board is full.

    No box may be takeable, and no edge may be safe. Each chain is noted in tree.scratch, the first one at place `first`
    of each array. Returns the place after the last chain.
    """
    count = first
    while True:
        across, beside = horizontal_mask & ~horizontal, vertical_mask & ~vertical
        if across | beside == _NONE:
            return count
        two, owned = with_two(horizontal, vertical, boxes), complete(horizontal, vertical, boxes)
        best, best_edge, best_across, best_beside = _LONGER_THAN_ANY, -1, horizontal, vertical
        while across | beside != _NONE and best > 1:
            edge = lowest_edge(across, beside)
            opened_across, opened_beside = draw(horizontal, vertical, edge)
            opened_across, opened_beside, length = take_all(opened_across, opened_beside, boxes)
            across, beside = without_chain(across, beside, edge, opened_across, opened_beside, two, owned, boxes)
            if length < best:
                best, best_edge, best_across, best_beside = length, edge, opened_across, opened_beside
        drawn = bit_count(best_across ^ horizontal) + bit_count(best_beside ^ vertical)
        tree.scratch[_LENGTHS + count] = best
        tree.scratch[_COSTS + count] = (
            _NO_DOUBLE_CROSS if best < _LEAST_CHAIN else _LOOP_COST if drawn == best else _CHAIN_COST
        )
        tree.scratch[_OPENINGS + count] = best_edge
        count += 1
        horizontal, vertical = best_across, best_beside


@kernel
def without_chain(across, beside, edge, opened_across, opened_beside, two, owned, boxes):
    """Returns (across, beside), words of edges to try, without the edges that open the same chain as `edge`.

    `opened_across` and `opened_beside` are the drawn edges after `edge` is drawn and everything is taken. `two` and
    `owned` are the boxes that had two and four edges drawn before that.
    """
    if complete(opened_across, opened_beside, boxes) & ~(two | owned) == _NONE:
        return across & ~opened_across, beside & ~opened_beside
    # The edge gives more than one chain away, as in a loop with a tail. Another edge of these chains may give less
    # away.
    return draw_off(across, beside, edge)


@kernel
def draw_off(across, beside, edge):
    """Returns (across, beside) without the edge `edge`."""
    drawn_across, drawn_beside = draw(_NONE, _NONE, edge)
    return across & ~drawn_across, beside & ~drawn_beside


@kernel
def lowest_edge(across, beside):
    """Returns the number of the lowest edge in two words, which must not both be empty."""
    if across != _NONE:
        return np.int64(bit_count((across & (~across + _ONE)) - _ONE))
    return np.int64(VERTICAL + bit_count((beside & (~beside + _ONE)) - _ONE))


@kernel
def value_of_openings(tree, first, count):
    """Returns the net boxes that the noted chains are worth to the side that need not open the first one.

    The chains are noted in tree.scratch at places `first` .. `count` - 1. The length noted for each chain is replaced
    by the value of this chain together with all chains after it.
    """
    rest = np.int64(0)
    for chain in range(count - 1, first - 1, -1):
        length, cost = np.int64(tree.scratch[_LENGTHS + chain]), np.int64(tree.scratch[_COSTS + chain])
        rest = length + max(-rest, rest - cost)
        tree.scratch[_LENGTHS + chain] = rest
    return rest


@kernel
def note_openings(tree, place, count, side):
    """Write the edges that open the `count` noted chains to tree.trace, from `place` on. Returns the place after them.

    `side` opens the first chain. value_of_openings must have been called before.
    """
    for chain in range(count):
        place = note(tree, place, np.int64(tree.scratch[_OPENINGS + chain]), side)
        rest = np.int64(tree.scratch[_LENGTHS + chain + 1]) if chain + 1 < count else 0
        if 2 * rest <= tree.scratch[_COSTS + chain]:
            side ^= 1  # the chain is taken whole, so that the taker opens the next one
    return place
