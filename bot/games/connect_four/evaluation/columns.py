"""The codes of every column's free cells, from the floor up, and which rows of weights they choose. Kernels."""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import down, everywhere, store_lanes, without
from bot.kernels.machine import bit_count, lowest_bit

from .layout import BUCKETS, CHANNELS, CODES, COLUMNS, FREE_AT, HEIGHTS, LANES, SIDE_PLANES
from .lines import line_codes

CODE_BITS = 4
CODE_MASK = np.uint64((1 << CODE_BITS) - 1)


@kernel
def spread(bits):
    """Sixteen bits as the lowest ones of sixteen nibbles (uint64)."""
    wide = np.uint64(bits)
    wide = (wide | wide << np.uint64(24)) & np.uint64(0x000000FF000000FF)
    wide = (wide | wide << np.uint64(12)) & np.uint64(0x000F000F000F000F)
    wide = (wide | wide << np.uint64(6)) & np.uint64(0x0303030303030303)
    return (wide | wide << np.uint64(3)) & np.uint64(0x1111111111111111)


@kernel
def closed(cells, below):
    """The cells without the forbidden one's gap; below: all bits under it, in other columns all bits."""
    return (cells & below) | without(down(cells, 1), below)


@kernel
def describe_board(planes, state):
    """Write the planes of a state to uint16[PLANES]; the number of free cells."""
    own, opponent, _, _, forbidden, board = state
    below = forbidden + everywhere(0xFFFF)
    bits = line_codes(without(board, opponent | forbidden), own)
    store_lanes(planes, 0 * LANES, closed(bits[0], below))
    store_lanes(planes, 1 * LANES, closed(bits[1], below))
    store_lanes(planes, 2 * LANES, closed(bits[2], below))
    store_lanes(planes, 3 * LANES, closed(bits[3], below))
    bits = line_codes(without(board, own | forbidden), opponent)
    store_lanes(planes, 4 * LANES, closed(bits[0], below))
    store_lanes(planes, 5 * LANES, closed(bits[1], below))
    store_lanes(planes, 6 * LANES, closed(bits[2], below))
    store_lanes(planes, 7 * LANES, closed(bits[3], below))
    store_lanes(planes, FREE_AT, closed(without(board, own | opponent | forbidden), below))
    count = 0
    for column in range(COLUMNS):
        count += free_in(planes, column)
    return count


@kernel
def free_in(planes, column):
    """The column's number of free cells."""
    return bit_count(np.uint64(planes[FREE_AT + column]))


@kernel
def codes_in(planes, side, column):
    """The codes of the column's free cells for the mover's lines (side 0) or the opponent's (1), a nibble each, the
    floor's lowest; the column has a free cell."""
    first = side * SIDE_PLANES * LANES + column
    floor = np.uint64(lowest_bit(np.uint64(planes[FREE_AT + column])))
    codes = np.uint64(0)
    for bit in range(SIDE_PLANES):
        codes |= spread(np.uint64(planes[first + bit * LANES]) >> floor) << np.uint64(bit)
    return codes


@kernel
def bucket_of(height, in_column, parity):
    """The bucket (layout.py) of a cell at that height above the floor of a column with so many free cells."""
    return 2 * (HEIGHTS * parity + min(height, HEIGHTS - 1)) + ((in_column - height) & 1)


@kernel
def row_of(side, bucket, codes, height):
    """Where the row of a cell with that height begins among gates or steps."""
    code = np.int64(codes >> np.uint64(CODE_BITS * height) & CODE_MASK)
    return ((side * BUCKETS + bucket) * CODES + code) * CHANNELS
