"""The rules of dots and boxes as kernels: boxes and their edges, whole turns, chains, and the number of games.

A state is the tuple (horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes). `horizontal` and `vertical`
are the drawn edges. `margin` is the number of boxes of the side to move less the number of boxes of the other side. The
masks are all edges of the board, and `boxes` are all its boxes. All are uint64, except for the margin, which is int64;
board.py shows the bits. Turns alternate, so values are negamax.

A turn's code is int64 = edge | double_cross << 7, 0..255:

    edge                  take every takeable box, then draw that edge; NOTHING_IS_RUNNING if no edge is left to draw
    edge | DOUBLE_CROSS   take all but two boxes of one chain (or but four of a loop, if no chain offers two), then draw
                          the edge that leaves these boxes to the other side

Taking boxes later, or leaving other boxes, is never better. It makes no difference which chain the two boxes belong to:
what remains is the same position beside a pair of boxes (Berlekamp, The Dots-and-Boxes Game, 2000; Buzzard and Ciere
2013).

A box with two edges drawn can only be taken together with its chain. The chain is all boxes with two edges drawn that
can be reached from the box through free edges. A chain stands alone if both its ends are the board's border; other ends
are boxes with fewer edges drawn.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, int16_array_at, lowest_bit, uint16_array_at

from .board import EDGE_BITS, VERTICAL
from .turn_decoder import CODES_OFFSET, DEEPEST, HALVES, MOST_CODES

NOTHING_IS_RUNNING = (1 << EDGE_BITS) - 1  # no board has an edge of this number
DOUBLE_CROSS = 1 << EDGE_BITS
MOST_TURNS = 113  # the most turns of a position: one for each edge of the largest board, and one double-cross
STATE_HALVES = 24  # number of uint16 in a stored state
_NO_EDGE = -1
_NONE = np.uint64(0)
_ONE, _EIGHT = np.uint64(1), np.uint64(8)
_WORD_HALVES = 4  # number of uint16 in a uint64
_LAST_BOX = 63


@kernel
def complete(horizontal, vertical, boxes):
    """Returns the boxes in `boxes` that have all four edges drawn.

    `horizontal` and `vertical` are words of drawn edges.
    """
    return horizontal & (horizontal >> 8) & vertical & (vertical >> 1) & boxes


@kernel
def with_three(horizontal, vertical, boxes):
    """Returns the boxes in `boxes` that one more edge completes."""
    below, right = horizontal >> 8, vertical >> 1
    both_across, one_across = horizontal & below, horizontal ^ below
    both_beside, one_beside = vertical & right, vertical ^ right
    return (both_across & one_beside | both_beside & one_across) & boxes


@kernel
def with_two(horizontal, vertical, boxes):
    """Returns the boxes in `boxes` that have two edges drawn. One more edge lets the other side take such a box."""
    below, right = horizontal >> 8, vertical >> 1
    both_across, some_across = horizontal & below, horizontal | below
    both_beside, some_beside = vertical & right, vertical | right
    one_each = (horizontal ^ below) & (vertical ^ right)
    return (both_across & ~some_beside | both_beside & ~some_across | one_each) & boxes


@kernel
def edges_around(of_boxes):
    """Returns (horizontal, vertical): all edges of the boxes in `of_boxes`."""
    return of_boxes | of_boxes << 8, of_boxes | of_boxes << 1


@kernel
def load_root(positions, offset):
    """Returns the state that Position.to_bytes or `store` has written to uint16 positions[offset:]."""
    return (
        _load_word(positions, offset),
        _load_word(positions, offset + _WORD_HALVES),
        np.int64(_load_word(positions, offset + 2 * _WORD_HALVES)),
        _load_word(positions, offset + 3 * _WORD_HALVES),
        _load_word(positions, offset + 4 * _WORD_HALVES),
        _load_word(positions, offset + 5 * _WORD_HALVES),
    )


@kernel
def _load_word(positions, offset):
    word = _NONE
    for part in range(_WORD_HALVES):
        word |= np.uint64(positions[offset + part]) << np.uint64(16 * part)
    return word


@kernel
def store(state, positions, offset):
    """Write a state to positions[offset:] as uint16[STATE_HALVES]."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    _store_word(horizontal, positions, offset)
    _store_word(vertical, positions, offset + _WORD_HALVES)
    _store_word(np.uint64(margin), positions, offset + 2 * _WORD_HALVES)
    _store_word(horizontal_mask, positions, offset + 3 * _WORD_HALVES)
    _store_word(vertical_mask, positions, offset + 4 * _WORD_HALVES)
    _store_word(boxes, positions, offset + 5 * _WORD_HALVES)


@kernel
def _store_word(word, positions, offset):
    for part in range(_WORD_HALVES):
        positions[offset + part] = np.uint16((word >> np.uint64(16 * part)) & np.uint64(0xFFFF))


@kernel
def take_all(horizontal, vertical, boxes):
    """Returns (horizontal, vertical, number of boxes taken) after everything takeable has been taken."""
    before = bit_count(complete(horizontal, vertical, boxes))
    takeable = with_three(horizontal, vertical, boxes)
    while takeable != _NONE:
        across, beside = edges_around(takeable)
        horizontal |= across
        vertical |= beside
        takeable = with_three(horizontal, vertical, boxes)
    return horizontal, vertical, bit_count(complete(horizontal, vertical, boxes)) - before


@kernel
def draw(horizontal, vertical, edge):
    """Returns (horizontal, vertical) after the edge with the number `edge` is drawn."""
    if edge >= VERTICAL:
        return horizontal, vertical | _ONE << np.uint64(edge - VERTICAL)
    return horizontal | _ONE << np.uint64(edge), vertical


@kernel
def free_edge_of(horizontal, vertical, box, but):
    """Returns the lowest free edge of a box, leaving out the edge `but`.

    Returns _NO_EDGE if there is no other free edge. `box` is a bit number.
    """
    for edge in (box, box + 8, VERTICAL + box, VERTICAL + box + 1):
        if edge != but and not is_drawn(horizontal, vertical, edge):
            return edge
    return _NO_EDGE


@kernel
def is_drawn(horizontal, vertical, edge):
    """Returns whether an edge is drawn."""
    if edge >= VERTICAL:
        return (vertical >> np.uint64(edge - VERTICAL)) & _ONE != _NONE
    return (horizontal >> np.uint64(edge)) & _ONE != _NONE


@kernel
def box_across(edge, box, boxes):
    """Returns the box on the other side of an edge, or _NO_EDGE if there is no box on the other side.

    `edge` is an edge of `box`. Boxes are bit numbers.
    """
    if edge >= VERTICAL:
        other = box - 1 if edge - VERTICAL == box else box + 1
    else:
        other = box - 8 if edge == box else box + 8
    if other < 0 or other > _LAST_BOX or (boxes >> np.uint64(other)) & _ONE == _NONE:
        return _NO_EDGE
    return other


@kernel
def walk(horizontal, vertical, boxes, end):
    """Returns (length, closed, members) of the takeable chain that begins with the box `end`.

    The box `end` must have three edges drawn. `length` is the chain's number of boxes. `closed` says whether its last
    box has three edges drawn too, as in an opened loop. `members` is the word of its boxes.
    """
    three, two = with_three(horizontal, vertical, boxes), with_two(horizontal, vertical, boxes)
    box, edge, length = end, _NO_EDGE, 1
    members = _ONE << np.uint64(end)
    while True:
        edge = free_edge_of(horizontal, vertical, box, edge)
        beyond = box_across(edge, box, boxes)
        if beyond == _NO_EDGE:
            return length, False, members
        here = _ONE << np.uint64(beyond)
        if three & here != _NONE:
            return length + 1, True, members | here
        if two & here == _NONE:
            return length, False, members
        box, length, members = beyond, length + 1, members | here


@kernel
def take_others(horizontal, vertical, boxes, end):
    """Returns (horizontal, vertical) after everything takeable has been taken, except the chain of the box `end`."""
    while True:
        _, _, members = walk(horizontal, vertical, boxes, end)
        takeable = with_three(horizontal, vertical, boxes) & ~members
        if takeable == _NONE:
            return horizontal, vertical
        # Take one box at a time, because each box that is taken where three chains meet may join another chain to the
        # chain of `end`.
        across, beside = edges_around(takeable & (~takeable + _ONE))
        horizontal |= across
        vertical |= beside


@kernel
def leave_last(horizontal, vertical, boxes, end, length, closed):
    """Returns (horizontal, vertical, closing edge) after taking a chain except for its last boxes.

    `end`, `length` and `closed` describe the chain as in walk(). Two boxes are left, or four if the chain is closed, so
    `length` must be at least that. The closing edge, which leaves them to the other side, is not drawn yet.
    """
    box, edge = end, _NO_EDGE
    # The closing edge of an open chain is at its far end. The closing edge of a closed chain is in the middle of the
    # four boxes.
    steps = length - 2 if closed else length
    take = length - 4 if closed else length - 2
    for step in range(1, steps + 1):
        edge = free_edge_of(horizontal, vertical, box, edge)
        beyond = box_across(edge, box, boxes)
        if step <= take:
            horizontal, vertical = draw(horizontal, vertical, edge)
        box = beyond
    return horizontal, vertical, edge


@kernel
def double_cross(horizontal, vertical, boxes):
    """Returns (closing edge, horizontal, vertical) of the double-cross.

    `horizontal` and `vertical` in the result are the edges before the closing edge is drawn. If no double-cross is
    possible, the closing edge is _NO_EDGE.
    """
    loop_end = _NO_EDGE
    ends = with_three(horizontal, vertical, boxes)
    while ends != _NONE:
        end = lowest_bit(ends)
        ends &= ends - _ONE
        across, beside = take_others(horizontal, vertical, boxes, end)
        length, closed, _ = walk(across, beside, boxes, end)
        if not closed and length >= 2:
            across, beside, edge = leave_last(across, beside, boxes, end, length, False)
            return edge, across, beside
        if closed and length >= 4 and loop_end == _NO_EDGE:
            loop_end = end
    if loop_end == _NO_EDGE:
        return _NO_EDGE, horizontal, vertical
    horizontal, vertical = take_others(horizontal, vertical, boxes, loop_end)
    length, _, _ = walk(horizontal, vertical, boxes, loop_end)
    horizontal, vertical, edge = leave_last(horizontal, vertical, boxes, loop_end, length, True)
    return edge, horizontal, vertical


@kernel
def list_turns(state, codes, offset):
    """Write the codes of a state's turns to int16 codes[offset:]. If there is a double-cross, it is the last one.

    Returns their number, at most MOST_TURNS.
    """
    horizontal, vertical, _, horizontal_mask, vertical_mask, boxes = state
    if horizontal == horizontal_mask and vertical == vertical_mask:
        return 0
    all_across, all_beside, taken = take_all(horizontal, vertical, boxes)
    count = list_edges(horizontal_mask & ~all_across, vertical_mask & ~all_beside, codes, offset)
    if count == 0:
        codes[offset] = NOTHING_IS_RUNNING
        count = 1
    if taken >= 2:
        edge, _, _ = double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            codes[offset + count] = edge | DOUBLE_CROSS
            count += 1
    return count


@kernel
def list_edges(across, beside, edges, offset):
    """Write the numbers of the edges in two words to int16 edges[offset:].

    `across` has horizontal edges and `beside` vertical ones. Horizontal edges come first. Returns how many edges there
    are.
    """
    count = 0
    while across != _NONE:
        edges[offset + count] = lowest_bit(across)
        across &= across - _ONE
        count += 1
    while beside != _NONE:
        edges[offset + count] = VERTICAL + lowest_bit(beside)
        beside &= beside - _ONE
        count += 1
    return count


@kernel
def play_turn(state, code):
    """Returns the state after a turn that list_turns has listed, seen by the other side."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    before = bit_count(complete(horizontal, vertical, boxes))
    edge = code & NOTHING_IS_RUNNING
    if code & DOUBLE_CROSS:
        edge, horizontal, vertical = double_cross(horizontal, vertical, boxes)
    else:
        horizontal, vertical, _ = take_all(horizontal, vertical, boxes)
    taken = bit_count(complete(horizontal, vertical, boxes)) - before
    if edge != NOTHING_IS_RUNNING:
        horizontal, vertical = draw(horizontal, vertical, edge)
    return horizontal, vertical, -(margin + taken), horizontal_mask, vertical_mask, boxes


@kernel
def turn_edges(state, code, edges, offset):
    """Write the edges of a turn to int16 edges[offset:], in the order in which they are drawn.

    `code` must be a turn that list_turns has listed. Returns the number of edges.
    """
    horizontal, vertical, _, _, _, boxes = state
    edge = code & NOTHING_IS_RUNNING
    if code & DOUBLE_CROSS:
        edge, last_across, last_beside = double_cross(horizontal, vertical, boxes)
    else:
        last_across, last_beside, _ = take_all(horizontal, vertical, boxes)
    count = 0
    while horizontal != last_across or vertical != last_beside:
        across, beside = edges_around(with_three(horizontal, vertical, boxes))
        across, beside = across & last_across & ~horizontal, beside & last_beside & ~vertical
        count += list_edges(across, beside, edges, offset + count)
        horizontal |= across
        vertical |= beside
    if edge != NOTHING_IS_RUNNING:
        edges[offset + count] = edge
        count += 1
    return count


@kernel
def chain_of(seed, two, free_across, free_beside):
    """Returns (the boxes of the chain to which the box `seed` belongs, all boxes that the chain's free edges lead to).

    `seed` and `two` are words: one box, and all boxes with two edges drawn. `free_across` and `free_beside` are the
    free edges.
    """
    chain = seed
    while True:
        beyond = (
            (chain << _ONE) & free_beside
            | (chain & free_beside) >> _ONE
            | (chain << _EIGHT) & free_across
            | (chain & free_across) >> _EIGHT
        )
        grown = chain | beyond & two
        if grown == chain:
            return chain, beyond
        chain = grown


@kernel
def after_opening(horizontal, vertical, across, beside, boxes):
    """Returns (horizontal, vertical) after a chain is opened and taken.

    `across` and `beside` are the chain's free edges, which are all drawn. If other boxes become takeable by that, their
    edges are drawn too. This only happens with a box that both ends of the chain lead to, and with boxes that depend on
    it.
    """
    horizontal, vertical = horizontal | across, vertical | beside
    if with_three(horizontal, vertical, boxes) != _NONE:
        horizontal, vertical, _ = take_all(horizontal, vertical, boxes)
    return horizontal, vertical


@kernel
def boxes_left(horizontal, vertical, boxes):
    """Returns how many boxes are not complete."""
    return bit_count(boxes & ~complete(horizontal, vertical, boxes))


@kernel
def taken_and_left(horizontal, vertical, boxes):
    """Take everything takeable. Returns (horizontal, vertical, taken, left).

    `taken` is the number of boxes taken. `left` says how many of these boxes a double-cross could leave to the other
    side: 0, 2 or 4. Let v be the value, for its side to move, of what remains. If `left` is 0, the position is worth
    taken + v, otherwise taken - left + |v + left|.
    """
    across, beside, taken = take_all(horizontal, vertical, boxes)
    left = np.int64(0)
    if taken >= 2:
        edge, last_across, last_beside = double_cross(horizontal, vertical, boxes)
        if edge >= 0:
            _, _, left = take_all(last_across, last_beside, boxes)
    return across, beside, taken, left


@kernel
def free_around(chain, free_across, free_beside):
    """Returns (across, beside): the free horizontal and vertical edges of the boxes in `chain`."""
    across, beside = edges_around(chain)
    return across & free_across, beside & free_beside


@kernel
def stack_at(base):
    """Returns (positions, codes), the arrays of the stack at the address `base`. turn_decoder.py shows them."""
    return (uint16_array_at(base, (DEEPEST + 1) * HALVES), int16_array_at(base + CODES_OFFSET, DEEPEST * MOST_CODES))


@kernel
def count_turn_games(positions, codes, depth):
    """Returns the number of sequences of `depth` turns (1..DEEPEST) from the position at ply 0.

    A game that is over after fewer turns is not counted.
    """
    games, ply = 0, 0
    left = list_turns(load_root(positions, 0), codes, 0)
    codes[MOST_CODES - 1] = left
    while ply >= 0:
        last = (ply + 1) * MOST_CODES - 1
        left = codes[last]
        if ply == depth - 1:
            games += left
            left = 0
        if left == 0:
            ply -= 1
            continue
        codes[last] = left - 1
        state = play_turn(load_root(positions, ply * HALVES), codes[ply * MOST_CODES + left - 1])
        ply += 1
        store(state, positions, ply * HALVES)
        codes[(ply + 1) * MOST_CODES - 1] = list_turns(state, codes, ply * MOST_CODES)
    return games


@kernel
def draw_one(state, edge):
    """Returns the state after one edge, seen by the side to move then.

    The side that completes a box is to move again.
    """
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    across, beside = draw(horizontal, vertical, edge)
    taken = bit_count(complete(across, beside, boxes)) - bit_count(complete(horizontal, vertical, boxes))
    margin = margin + taken if taken else -margin
    return across, beside, margin, horizontal_mask, vertical_mask, boxes


@kernel
def count_edge_games(positions, codes, depth):
    """Returns the number of sequences of `depth` edges (1..DEEPEST) after which the side that began is to move.

    They start from the position at ply 0.
    """
    games, ply = 0, 0
    sides = 0  # bit p: the side to move at ply p, 0 for the side that began
    codes[MOST_CODES - 1] = _list_free(load_root(positions, 0), codes, 0)
    while ply >= 0:
        last = (ply + 1) * MOST_CODES - 1
        left = codes[last]
        if left == 0:
            ply -= 1
            continue
        codes[last] = left - 1
        before = load_root(positions, ply * HALVES)
        state = draw_one(before, codes[ply * MOST_CODES + left - 1])
        has_taken = complete(state[0], state[1], state[5]) != complete(before[0], before[1], before[5])
        side = (sides >> ply & 1) ^ (0 if has_taken else 1)
        if ply == depth - 1:
            games += 1 - side
            continue
        ply += 1
        sides = sides & ~(1 << ply) | side << ply
        store(state, positions, ply * HALVES)
        codes[(ply + 1) * MOST_CODES - 1] = _list_free(state, codes, ply * MOST_CODES)
    return games


@kernel
def _list_free(state, codes, offset):
    return list_edges(state[3] & ~state[0], state[4] & ~state[1], codes, offset)
