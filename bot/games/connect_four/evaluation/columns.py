"""The codes of every column's free cells, from the floor up, and which rows of weights they choose. Kernels.

The codes of a column for one side are a uint64: bit 16 * b + h is bit b of the code of the cell at height h.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import LANE_BITS, down, everywhere, store_lanes, without
from bot.kernels.machine import bit_count, lowest_bit

from ..rules.board import MAX_COLUMNS
from .layout import BUCKETS, CHANNELS, CODES, FREE_AT, HEIGHTS, LANES, MOVER, OPPONENT, SIDE_PLANES
from .lines import line_codes

CODE_MASK = 0xF
# What takes the lowest bits of a uint64's quarters, and a factor that brings them side by side to its bits 48 to 51.
LOWEST_BITS = np.uint64(0x0001_0001_0001_0001)
SIDE_BY_SIDE, SIDE_BY_SIDE_AT = np.uint64(0x0001_0002_0004_0008), np.uint64(48)


@kernel
def closed(cells, below):
    """The cells without the forbidden one's gap; below: all bits under it, in other columns all bits."""
    return (cells & below) | without(down(cells, 1), below)


@kernel
def first_plane_of(side):
    """Where a side's planes begin."""
    return side * SIDE_PLANES * LANES


@kernel
def describe_lines(planes, side, open_cells, stones, free, below):
    """Write the planes of one side's codes in the free cells; free, below: as describe_board has them."""
    first = first_plane_of(side)
    bits = line_codes(open_cells, stones)
    store_lanes(planes, first, closed(bits[0], below) & free)
    store_lanes(planes, first + LANES, closed(bits[1], below) & free)
    store_lanes(planes, first + 2 * LANES, closed(bits[2], below) & free)
    store_lanes(planes, first + 3 * LANES, closed(bits[3], below) & free)


@kernel
def describe_board(planes, state):
    """Write the planes of a state to uint16[PLANES]; the number of free cells."""
    own, opponent, _, _, forbidden, board = state
    below = forbidden + everywhere(0xFFFF)
    free = closed(without(board, own | opponent | forbidden), below)
    describe_lines(planes, MOVER, without(board, opponent | forbidden), own, free, below)
    describe_lines(planes, OPPONENT, without(board, own | forbidden), opponent, free, below)
    store_lanes(planes, FREE_AT, free)
    count = 0
    for column in range(MAX_COLUMNS):
        count += free_in(planes, column)
    return count


@kernel
def free_in(planes, column):
    """The column's number of free cells."""
    return bit_count(np.uint64(planes[FREE_AT + column]))


@kernel
def codes_in(planes, side, column):
    """The codes of the column's free cells for the mover's lines (side 0) or the opponent's (1); it has a free cell."""
    first = first_plane_of(side) + column
    codes = np.uint64(0)
    for bit in range(SIDE_PLANES):
        codes |= np.uint64(planes[first + bit * LANES]) << np.uint64(LANE_BITS * bit)
    # No plane has a bit below the floor, so that none moves into another's place.
    return codes >> np.uint64(lowest_bit(np.uint64(planes[FREE_AT + column])))


@kernel
def code_at(codes, height):
    """The code (0 .. 11) of the cell at that height."""
    bits = codes >> np.uint64(height) & LOWEST_BITS
    return np.int64(bits * SIDE_BY_SIDE >> SIDE_BY_SIDE_AT) & CODE_MASK


@kernel
def bucket_of(height, in_column, parity):
    """The bucket (layout.py) of a cell at that height above the floor of a column with so many free cells."""
    return 2 * (HEIGHTS * parity + min(height, HEIGHTS - 1)) + ((in_column - height) & 1)


@kernel
def row_of(side, bucket, code):
    """Where the row of a cell begins among gates or steps."""
    return ((side * BUCKETS + bucket) * CODES + code) * CHANNELS
