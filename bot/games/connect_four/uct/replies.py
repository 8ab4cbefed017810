"""What rollouts learn while a search lasts: the reply that last won after a stone, for each side and cell. Kernels.

The last good reply with forgetting of Baier and Drake 2010: the winner's replies are kept, one that has lost is
forgotten. Rollouts that know only tactics answer a stone in its own column most often (move_sampling.py); where another
column answers it, as in a pair of odd columns or above a threat, they find that out here.

All of it lies in the search's uint64 control block: a word for each side and column with a nibble for each row, which
is 15 - the reply's column, 0 for none; then the cells of the rollout under way.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import LANE_COUNT, lane_mask, quarter
from bot.kernels.machine import lowest_bit
from bot.search.uct.edge_nodes.layout import CONTROL_FIELDS, ROLLOUT_MEMORY

from ..rules.board import MAX_COLUMNS, MAX_ROWS
from .move_sampling import LANE_NUMBER

REPLIES = ROLLOUT_MEMORY
REPLY_WORDS = 2 * LANE_COUNT
CELLS = REPLIES + REPLY_WORDS
NO_COLUMN = 15  # whose lane is always empty
ROW_BITS = 4
ROW_MASK = (1 << ROW_BITS) - 1
NIBBLE_SHIFT = 2  # a nibble's first bit is its row times four
NIBBLE = np.uint64(15)
assert CELLS + MAX_ROWS * MAX_COLUMNS <= CONTROL_FIELDS


@kernel
def cell_of(stone, key):
    """16 * column + row of a single stone; key: of its column (move_sampling.py), in every lane."""
    column = np.int64(quarter(key, 0)) & LANE_NUMBER
    bits = quarter(stone, 0) | quarter(stone, 1) | quarter(stone, 2)
    return column << ROW_BITS | lowest_bit(bits) & ROW_MASK


@kernel
def reply_to(control, side, cell):
    """The lane of that side's reply to a stone in that cell, an empty one where none is known."""
    word = control[REPLIES + LANE_COUNT * side + (cell >> ROW_BITS)]
    reply = word >> np.uint64((cell & ROW_MASK) << NIBBLE_SHIFT) & NIBBLE
    return lane_mask(NO_COLUMN - np.int64(reply))


@kernel
def learn_replies(control, plies, side, value):
    """Take a rollout of so many plies into account; side: that moved first; value: of the game for it, 1 or -1."""
    for ply in range(1, plies):
        before, played = np.int64(control[CELLS + ply - 1]), np.int64(control[CELLS + ply])
        has_won = (value > 0) == (ply & 1 == 0)
        place = REPLIES + LANE_COUNT * (side ^ (ply & 1)) + (before >> ROW_BITS)
        shift = np.uint64((before & ROW_MASK) << NIBBLE_SHIFT)
        reply = np.uint64(NO_COLUMN - (played >> ROW_BITS))
        word = control[place]
        others = word & ~(NIBBLE << shift)
        if has_won:
            control[place] = others | reply << shift
        elif word >> shift & NIBBLE == reply:
            control[place] = others
