"""Dots and boxes as search/uct/child_blocks/search.py asks for it: moves are turns of rules/turns.py or single edges.
Kernels.

A move's code is a turn's code, 0 .. 255, or, where moves are single edges, SINGLE_EDGE + the edge's number. What moves
there are is one of the rules of layout.py.
"""

import numpy as np

from bot.kernels.arithmetic import mixed
from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count

from ..rules import turns
from ..rules.boxes import complete, edges_around, with_three, with_two
from ..solver import solve_within
from .layout import DOUBLE_CROSS_MOVES, LEAF_EDGES, LEAF_NODES, MERGED, ONE_OF_EQUALS, RULES, SINGLE_EDGE, SOLVER
from .rollout import lowest_edge, rollout, safe_edges, without_chain

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

load_root, store = turns.load_root, turns.store

_NONE = np.uint64(0)
_NO_EDGE = -1
_SHORT = 2  # a chain of two boxes is opened in its middle, so that no double-cross is possible
# Odd multipliers of the position's hash, and what keeps an empty word from counting for nothing.
_HORIZONTAL_KEY, _VERTICAL_KEY = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)
_MARGIN_KEY = np.uint64(0xDA942042E4DD58B5)
_VERTICAL_OFFSET = np.uint64(0x632BE59BD9B4E019)


@kernel
def list_moves(state, tree):
    """(moves written to tree.moves, how many of them are to be tried first)."""
    rules = tree.control[RULES]
    if not rules & MERGED:
        horizontal, vertical, _, horizontal_mask, vertical_mask, _ = state
        count = turns.list_edges(horizontal_mask & ~horizontal, vertical_mask & ~vertical, tree.moves, 0)
        for place in range(count):
            tree.moves[place] += SINGLE_EDGE
        return count, count
    if rules & ONE_OF_EQUALS:
        return list_unequal(state, tree, rules & DOUBLE_CROSS_MOVES)
    count = turns.list_turns(state, tree.moves, 0)
    if count != 0 and tree.moves[count - 1] & turns.DOUBLE_CROSS and not rules & DOUBLE_CROSS_MOVES:
        count -= 1
    return count, count


@kernel
def list_unequal(state, tree, with_double_cross):
    """`list_moves` without turns that do the same as one listed; openings last, cheapest first, unless all are such.

    The border edges of one box do the same, and so do those of one chain, but for a chain of two, where only the edge
    between them is listed.
    """
    horizontal, vertical, _, horizontal_mask, vertical_mask, boxes = state
    if horizontal == horizontal_mask and vertical == vertical_mask:
        return 0, 0
    count = 0
    across, beside, taken = turns.take_all(horizontal, vertical, boxes)
    if across == horizontal_mask and beside == vertical_mask:
        tree.moves[count] = turns.NOTHING_LEFT
        count += 1
    if taken >= 2 and with_double_cross:
        edge, _, _ = turns.double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            tree.moves[count] = edge | turns.DOUBLE_CROSS
            count += 1
    safe_across, safe_beside = safe_edges(across, beside, horizontal_mask, vertical_mask, boxes)
    first = count
    safe_across, safe_beside = without_equal_borders(safe_across, safe_beside, boxes)
    count += turns.list_edges(safe_across, safe_beside, tree.moves, count)
    openings = list_chain_moves(across, beside, horizontal_mask, vertical_mask, boxes, tree, count)
    return openings, openings if count == first else count


@kernel
def without_equal_borders(across, beside, boxes):
    """The edges of two words, but of the border edges of one box only the first: above, left, below, right."""
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
    """Write one edge for each chain that can be opened behind tree.moves[:count], the cheapest first; the new count.

    Of what is more than a chain, as a loop with a tail, all edges are listed that give all of it away.
    """
    threatened, owned = with_two(horizontal, vertical, boxes), complete(horizontal, vertical, boxes)
    across, beside = edges_around(threatened)
    across &= horizontal_mask & ~horizontal
    beside &= vertical_mask & ~vertical
    first = count
    while across | beside != _NONE:
        chosen = edge = lowest_edge(across, beside)
        all_across, all_beside = turns.draw(horizontal, vertical, edge)
        all_across, all_beside, length = turns.take_all(all_across, all_beside, boxes)
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
    """Of the edges of a chain of two the one that leaves both boxes to be taken at once; `edge` where there is none."""
    across, beside = all_across & ~horizontal, all_beside & ~vertical
    while across | beside != _NONE:
        candidate = lowest_edge(across, beside)
        opened_across, opened_beside = turns.draw(horizontal, vertical, candidate)
        if bit_count(with_three(opened_across, opened_beside, boxes)) == _SHORT:
            return candidate
        across, beside = across & ~opened_across, beside & ~opened_beside
    return edge


@kernel
def play(state, move):
    """(state after a move, whether the same side moves again)."""
    if move < SINGLE_EDGE:
        return turns.play_turn(state, move), 0
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    owned = bit_count(complete(horizontal, vertical, boxes))
    horizontal, vertical = turns.draw(horizontal, vertical, move - SINGLE_EDGE)
    taken = bit_count(complete(horizontal, vertical, boxes)) - owned
    if taken == 0:
        return (horizontal, vertical, -margin, horizontal_mask, vertical_mask, boxes), 0
    return (horizontal, vertical, margin + taken, horizontal_mask, vertical_mask, boxes), 1


@kernel
def amaf_key(move):
    """An edge's number, DOUBLE_CROSS with it where it closes one."""
    return move & (SINGLE_EDGE - 1)


@kernel
def position_hash(state):
    """uint64 of the edges and the margin."""
    horizontal, vertical, margin, _, _, _ = state
    word = (
        horizontal * _HORIZONTAL_KEY ^ (vertical + _VERTICAL_OFFSET) * _VERTICAL_KEY ^ np.uint64(margin) * _MARGIN_KEY
    )
    return mixed(word)


@kernel
def can_reach(state, target):
    """Whether every edge of a state is drawn in the other."""
    return state[0] & ~target[0] == _NONE and state[1] & ~target[1] == _NONE


@kernel
def known_result(state):
    """(known, margin): the boxes that are left, if any, cannot change the result."""
    horizontal, vertical, margin, _, _, boxes = state
    left = bit_count(boxes & ~complete(horizontal, vertical, boxes))
    return left == 0 or abs(margin) > left, margin


@kernel
def solve_leaf(state, tree):
    """(known, margin) by the exact solver, where few enough edges are free; of the margin only the sign is exact."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, _ = state
    free = bit_count(horizontal_mask & ~horizontal) + bit_count(vertical_mask & ~vertical)
    solver = tree.control[SOLVER]
    if solver == 0 or free > tree.control[LEAF_EDGES]:
        return False, margin
    known, value = solve_within(solver, horizontal, vertical, -margin - 1, -margin + 1, tree.control[LEAF_NODES])
    return known, margin + value
