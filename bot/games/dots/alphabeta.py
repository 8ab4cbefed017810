"""What bot/search/alphabeta.py needs from dots and boxes: whole turns (rules.py), and two kinds of leaf value. Kernels.

If every free edge gives boxes away, the search tries only one edge of each chain. list_chain_moves says why.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit

from .board import BOXES, VERTICAL
from .rules import (
    DOUBLE_CROSS,
    NOTHING_IS_RUNNING,
    chain_of,
    complete,
    double_cross,
    draw,
    edges_around,
    list_edges,
    load_root,
    play_turn,
    store,
    take_all,
    with_three,
    with_two,
)

__all__ = ["can_win", "leaf_value", "list_moves", "load_root", "play", "store"]


# The value of chains in a position in which nothing can be taken, and the edges that open chains
# ---------------------------------------------------------------------------------------------
#
# A long chain has three boxes or more. The side that takes it may leave its last two boxes (four of a loop) to the
# other side, which then has to open the next chain. A chain without ends is a loop. It has as many free edges as boxes.
#
# Sources: the long chain rule and control, Berlekamp, The Dots-and-Boxes Game, 2000; the value of chains alone, Buzzard
# and Ciere, arXiv 1305.2156.


LEFT_OF_CHAIN = 2  # boxes that are left to the other side to keep control
LEFT_OF_LOOP = 4
_NONE = np.uint64(0)
_ONE = np.uint64(1)
# Each long chain or loop is one byte of two words: its number of boxes, and a bit that is set for a loop. 49 boxes have
# at most 16 long chains and loops.
_BYTE = np.uint64(0xFF)
_IS_LOOP = 0x80
_BYTES_A_WORD = 8


@kernel
def survey(two, free_across, free_beside):
    """Returns (number of chains of one box, number of chains of two, low, high, number of long chains and loops).

    Each byte of the words `low` and `high` is a long chain or loop. `two` are the boxes with two edges drawn.
    `free_across` and `free_beside` are the free horizontal and vertical edges.
    """
    ones, twos, count = 0, 0, 0
    low, high = _NONE, _NONE
    while two != _NONE:
        chain, _ = chain_of(two & (~two + _ONE), two, free_across, free_beside)
        two &= ~chain
        size = bit_count(chain)
        if size == 1:
            ones += 1
        elif size == LEFT_OF_CHAIN:
            twos += 1
        else:
            across, beside = edges_around(chain)
            is_loop = bit_count(across & free_across) + bit_count(beside & free_beside) == size
            entry = np.uint64(size | _IS_LOOP if is_loop else size)
            if count < _BYTES_A_WORD:
                low |= entry << np.uint64(8 * count)
            else:
                high |= entry << np.uint64(8 * (count - _BYTES_A_WORD))
            count += 1
    return ones, twos, low, high, count


@kernel
def entry_at(low, high, place):
    """Returns (number of boxes, whether it is a loop) of the chain in byte `place` of the words `low` and `high`."""
    word = low if place < _BYTES_A_WORD else high
    entry = np.int64((word >> np.uint64(8 * (place % _BYTES_A_WORD))) & _BYTE)
    return entry & ~_IS_LOOP, entry & _IS_LOOP != 0


@kernel
def cost_of_long_chains(low, high, count):
    """Returns the net boxes that a side loses if it has to open the long chains. The shortest one is opened first.

    The chain that is opened last costs all its boxes. With each chain before it, the side that takes the chain has a
    choice: it takes all of it and has to open the next chain, or it leaves some boxes so that the other side has to
    open the next chain.
    """
    cost, used = 0, 0
    for _ in range(count):
        best, longest, best_is_loop = 0, -1, False
        for place in range(count):
            size, is_loop = entry_at(low, high, place)
            if not (used >> place) & 1 and size > longest:
                best, longest, best_is_loop = place, size, is_loop
        used |= 1 << best
        left = LEFT_OF_LOOP if best_is_loop else LEFT_OF_CHAIN
        cost = longest - left + abs(cost - left)
    return cost


@kernel
def turns_are_odd(low, high, count, edges, boxes):
    """Returns whether the number of turns left is such that the side to move has to open the first long chain.

    `edges` and `boxes` are the numbers of free edges and of boxes that are not complete. Every free edge ends a turn,
    except the edges that take boxes. One edge takes the last two boxes of a long chain, which saves an edge in every
    long chain but the last one. In a loop two edges are saved, which changes nothing.
    """
    chains = 0
    for place in range(count):
        _, is_loop = entry_at(low, high, place)
        chains += not is_loop
    return (edges - boxes + max(chains - 1, 0)) & 1 != 0


@kernel
def quiet_value(horizontal, vertical, horizontal_mask, vertical_mask, boxes):
    """Returns an estimate (int64) of the net boxes that the side to move still wins. No box may be takeable.

    If every edge gives boxes away, the chains are opened, the shortest first, and the estimate is exact, except where
    chains meet. If an edge is still safe, the side that will have to open the long chains loses their cost, or at least
    one box.
    """
    free_across, free_beside = horizontal_mask & ~horizontal, vertical_mask & ~vertical
    edges = bit_count(free_across) + bit_count(free_beside)
    if edges == 0:
        return 0
    two = with_two(horizontal, vertical, boxes)
    ones, twos, low, high, count = survey(two, free_across, free_beside)
    cost = cost_of_long_chains(low, high, count)
    across, beside = edges_around(two)
    if free_across & ~across == _NONE and free_beside & ~beside == _NONE:
        for _ in range(twos):
            cost = LEFT_OF_CHAIN - cost
        for _ in range(ones):
            cost = 1 - cost
        return -cost
    boxes_left = bit_count(boxes & ~complete(horizontal, vertical, boxes))
    return -max(cost, 1) if turns_are_odd(low, high, count, edges, boxes_left) else max(cost, 1)


@kernel
def list_chain_moves(horizontal, vertical, horizontal_mask, vertical_mask, boxes, codes, offset):
    """Write one edge of every chain to int16 codes[offset:], shorter chains first. Returns the number of edges.

    No box may be takeable. Whichever edge opens a chain, the opponent can take and leave the same boxes. A chain of two
    boxes is the exception: the edge between its boxes leaves the opponent no choice. So that edge is written.
    """
    free_across, free_beside = horizontal_mask & ~horizontal, vertical_mask & ~vertical
    two = with_two(horizontal, vertical, boxes)
    first, size = offset, _next_size(two, free_across, free_beside, 0)
    while size:
        left = two
        while left != _NONE:
            chain, _ = chain_of(left & (~left + _ONE), two, free_across, free_beside)
            left &= ~chain
            if bit_count(chain) == size:
                codes[offset] = _opening_edge(chain, free_across, free_beside)
                offset += 1
        size = _next_size(two, free_across, free_beside, size)
    return offset - first


@kernel
def _next_size(two, free_across, free_beside, size):
    """Returns the number of boxes in the smallest chain that has more than `size` boxes; 0 if there is none."""
    least = 0
    left = two
    while left != _NONE:
        chain, _ = chain_of(left & (~left + _ONE), two, free_across, free_beside)
        left &= ~chain
        found = bit_count(chain)
        if found > size and (least == 0 or found < least):
            least = found
    return least


@kernel
def _opening_edge(chain, free_across, free_beside):
    """Returns the number of the edge that opens a chain.

    If the chain has two boxes, this is the edge between them, else its lowest free edge.
    """
    across, beside = edges_around(chain)
    if bit_count(chain) == LEFT_OF_CHAIN:
        across, beside = chain & chain << 8, chain & chain << 1
    across, beside = across & free_across, beside & free_beside
    return lowest_bit(across) if across != _NONE else VERTICAL + lowest_bit(beside)


# The kernels that the search calls
# ---------------------------------


_NO_EDGE = -1

play = play_turn


@kernel
def can_win(state):
    """Returns False: no turn wins at once, because boxes are counted at the end."""
    return False


@kernel
def list_moves(state, control, moves, offset):
    """Write the codes of the turns worth trying to moves[offset:].

    Returns their number, which is 0 at the end of the game. First come turns that take all boxes and then draw an edge
    that gives nothing away, then a double-cross, then turns that take all boxes and then open a chain, with one edge
    for each chain, shorter ones first.
    """
    horizontal, vertical, _, horizontal_mask, vertical_mask, boxes = state
    if horizontal == horizontal_mask and vertical == vertical_mask:
        return 0
    all_across, all_beside, taken = take_all(horizontal, vertical, boxes)
    if all_across == horizontal_mask and all_beside == vertical_mask:
        moves[offset] = NOTHING_IS_RUNNING
        count = 1
    else:
        across, beside = edges_around(with_two(all_across, all_beside, boxes))
        count = list_edges(
            horizontal_mask & ~all_across & ~across, vertical_mask & ~all_beside & ~beside, moves, offset
        )
    if taken >= LEFT_OF_CHAIN:
        edge, _, _ = double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            moves[offset + count] = edge | DOUBLE_CROSS
            count += 1
    return count + list_chain_moves(
        all_across, all_beside, horizontal_mask, vertical_mask, boxes, moves, offset + count
    )


@kernel
def leaf_value(state, evaluation, ply):
    """Returns the value (int64) of a position for the side to move, in boxes.

    BOXES    the boxes of the side to move less the boxes of the other side
    CHAINS   that difference after everything takeable has been taken, plus quiet_value() of the rest; or, if that is
             more, the value after the last boxes have been left to the other side, which then has to go on
    """
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    if evaluation == BOXES:
        return margin
    all_across, all_beside, taken = take_all(horizontal, vertical, boxes)
    rest = quiet_value(all_across, all_beside, horizontal_mask, vertical_mask, boxes)
    if taken >= LEFT_OF_CHAIN and rest < -LEFT_OF_CHAIN:
        edge, across, beside = double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            across, beside = draw(across, beside, edge)
            left = bit_count(with_three(across, beside, boxes))
            return margin + taken + max(rest, -rest - 2 * left)
    return margin + taken + rest
