"""Counts games, which shows that edges complete the right boxes and that turns are what they should be: kernels."""

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, int16_array_at, uint16_array_at

from .turn_decoder import CODES_OFFSET, DEEPEST, HALVES, MOST_CODES
from .turns import complete, draw, list_edges, list_turns, load_root, play_turn, store


@kernel
def stack_at(base):
    """(positions, codes) of every ply, in the memory that turn_decoder.py draws."""
    return (uint16_array_at(base, (DEEPEST + 1) * HALVES), int16_array_at(base + CODES_OFFSET, DEEPEST * MOST_CODES))


@kernel
def count_turn_games(positions, codes, depth):
    """Sequences of `depth` turns, 1..DEEPEST, from the position at ply 0; one that ends before is none."""
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
    """The state after one edge, seen by who is to move then: whoever completed a box goes on."""
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    across, beside = draw(horizontal, vertical, edge)
    taken = bit_count(complete(across, beside, boxes)) - bit_count(complete(horizontal, vertical, boxes))
    margin = margin + taken if taken else -margin
    return across, beside, margin, horizontal_mask, vertical_mask, boxes


@kernel
def count_edge_games(positions, codes, depth):
    """Sequences of `depth` edges, 1..DEEPEST, from the position at ply 0, after which who began is to move."""
    games, ply = 0, 0
    sides = 0  # bit p: who is to move at ply p, 0 for the side that began
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
