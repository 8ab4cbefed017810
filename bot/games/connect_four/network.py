"""The network: computes a value for the side to move from what lies in each column. Kernels.

For each side a cell has a code of four bits, which says how many stones the side has in the lines of four through the
cell. A line is open for a side as long as none of its cells is the opponent's, forbidden or off the board. In a cell, a
direction has a pair if the best open line through the cell in that direction has two stones, and a triple if it has
three.

    0           no open line
    1 .. 3      open lines: none, one, or several of them have a single stone, and none has more
    4 .. 7      a pair in the row, in the column, in a diagonal, in several directions
    8 .. 11     a triple: 8 + the number of directions with a pair, 2 at most, + 1 if several have a triple

`line_codes` computes the codes of all cells at once. The codes of a column for one side are then a uint64, from the
floor up: bit 16 * b + h is bit b of the code of the cell at height h.

Sixteen channels of every column go down through its free cells, from the top to the floor. Each cell multiplies them by
its gate and adds its step, so that a cell can undo all that lies above it. This follows the rules of the game: a side
that cannot play in a cell does not get the cells above it. Gates and steps come from tables, by the cell's codes and
bucket (network_weights.py). The sums over all columns and a few numbers of the whole board make the value, through one
more layer. What arrives at a column's floor depends only on the column's codes and two numbers, and a cache of columns
holds most of it.

Channels are clipped to 0 .. 1. There is no libm and no fused arithmetic, so every machine computes the same bits.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    LANE_BITS,
    at_least,
    at_most,
    down,
    everywhere,
    load_means,
    same_for_all,
    sideways,
    store_floats,
    store_lanes,
    total,
    up,
    without,
)
from bot.kernels.machine import bit_count, float32_array_at, lowest_bit, uint16_array_at, uint64_array_at

from .board import MAX_COLUMNS
from .network_weights import (
    BIAS,
    BUCKETS,
    CACHED_OFFSET,
    CHANNELS,
    CODES,
    FIRST,
    FIRST_BIAS,
    FREE_AT,
    FREE_CELL,
    GATES,
    HEIGHTS,
    HIDDEN,
    KEY_WORDS,
    KEYS_OFFSET,
    LANES,
    MOVER,
    NUMBERS,
    OPPONENT,
    PLANES,
    PLANES_OFFSET,
    SECOND,
    SIDE_PLANES,
    SLOT_BITS,
    SLOTS,
    STEPS,
    SUMS_OFFSET,
    TOPS,
    WEIGHTS_OFFSET,
)
from .rules import HASH_MULTIPLIER


def _make_direction(ahead, back):
    """Returns the kernel lines_through for one direction.

    ahead(cells) returns three sets: the cells from which one, two and three steps in the direction lead to a cell of
    `cells`. back(cells) does the same for steps in the opposite direction.
    """

    @kernel
    def lines_through(open0, stones0):
        """Returns the sets (open, once, twice, pair, triple) of cells.

        `open0` are the cells that may belong to an open line, and `stones0` the side's stones. A cell is in `open` if
        it lies in an open line, in `pair` if it lies in an open line with two stones, and in `triple` if it lies in an
        open line with three stones. It is in `once` if it lies in at least one open line with a single stone, and in
        `twice` if it lies in several.
        """
        open1, open2, open3 = ahead(open0)
        stones1, stones2, stones3 = ahead(stones0)
        line = open0 & open1 & open2 & open3
        odd_first, both_first = stones0 ^ stones1, stones0 & stones1
        odd_last, both_last = stones2 ^ stones3, stones2 & stones3
        ones = without(line & (odd_first ^ odd_last), both_first | both_last)
        twos = line & ((odd_first & odd_last) | without(both_first ^ both_last, odd_first | odd_last))
        threes = line & ((both_first & odd_last) | (odd_first & both_last))
        ones1, ones2, ones3 = back(ones)
        once = ones | ones1
        twice = ones & ones1
        twice = twice | (once & ones2)
        once = once | ones2
        twice = twice | (once & ones3)
        once = once | ones3
        line1, line2, line3 = back(line)
        twos1, twos2, twos3 = back(twos)
        threes1, threes2, threes3 = back(threes)
        return (
            line | line1 | line2 | line3,
            once,
            twice,
            twos | twos1 | twos2 | twos3,
            threes | threes1 | threes2 | threes3,
        )

    return lines_through


@kernel
def _right(cells):
    return sideways(cells, -1), sideways(cells, -2), sideways(cells, -3)


@kernel
def _left(cells):
    return sideways(cells, 1), sideways(cells, 2), sideways(cells, 3)


@kernel
def _above(cells):
    return down(cells, 1), down(cells, 2), down(cells, 3)


@kernel
def _below(cells):
    return up(cells, 1), up(cells, 2), up(cells, 3)


@kernel
def _right_above(cells):
    return down(sideways(cells, -1), 1), down(sideways(cells, -2), 2), down(sideways(cells, -3), 3)


@kernel
def _left_below(cells):
    return up(sideways(cells, 1), 1), up(sideways(cells, 2), 2), up(sideways(cells, 3), 3)


@kernel
def _right_below(cells):
    return up(sideways(cells, -1), 1), up(sideways(cells, -2), 2), up(sideways(cells, -3), 3)


@kernel
def _left_above(cells):
    return down(sideways(cells, 1), 1), down(sideways(cells, 2), 2), down(sideways(cells, 3), 3)


_horizontal = _make_direction(_right, _left)
_vertical = _make_direction(_above, _below)
_rising = _make_direction(_right_above, _left_below)
_falling = _make_direction(_right_below, _left_above)


@kernel
def _two_of(first, second, third, fourth):
    """Returns the cells that are in at least two of the four sets."""
    return (first & second) | (third & fourth) | ((first | second) & (third | fourth))


@kernel
def line_codes(open_cells, stones):
    """Returns the four bits of every cell's code as four Lanes, the lowest bit first.

    `open_cells` are the cells of the board that are neither forbidden nor the opponent's. `stones` are the stones of
    the side whose codes are computed.
    """
    open0, once0, twice0, pair0, triple0 = _horizontal(open_cells, stones)
    open1, once1, twice1, pair1, triple1 = _vertical(open_cells, stones)
    open2, once2, twice2, pair2, triple2 = _rising(open_cells, stones)
    open3, once3, twice3, pair3, triple3 = _falling(open_cells, stones)
    twice = twice0 | twice1 | twice2 | twice3 | _two_of(once0, once1, once2, once3)
    once = once0 | once1 | once2 | once3
    triple = triple0 | triple1 | triple2 | triple3
    triples = _two_of(triple0, triple1, triple2, triple3)
    pair0, pair1 = without(pair0, triple0), without(pair1, triple1)
    pair2, pair3 = without(pair2, triple2), without(pair3, triple3)
    pair = pair0 | pair1 | pair2 | pair3
    pairs = _two_of(pair0, pair1, pair2, pair3)
    single = without(pair, pairs)
    quiet = without(open0 | open1 | open2 | open3, triple | pair)
    quiet_low, quiet_high = twice | without(quiet, once), once
    pair_low, pair_high = pairs | pair1, pairs | pair2 | pair3
    triple_low, triple_high = single ^ triples, pairs | (single & triples)
    pair = without(pair, triple)
    return (
        (triple & triple_low) | (pair & pair_low) | (quiet & quiet_low),
        (triple & triple_high) | (pair & pair_high) | (quiet & quiet_high),
        pair,
        triple,
    )


CODE_MASK = 0xF
# LOWEST_BITS masks the lowest bit of each quarter of a uint64. A multiplication by SIDE_BY_SIDE brings these four bits
# to bits 48 to 51.
LOWEST_BITS = np.uint64(0x0001_0001_0001_0001)
SIDE_BY_SIDE, SIDE_BY_SIDE_AT = np.uint64(0x0001_0002_0004_0008), np.uint64(48)


@kernel
def closed(cells, below):
    """Returns `cells` without the gap of the forbidden cell: in its column, the cells above it move down by one.

    `below` holds all bits under the forbidden cell in its column, and all bits in the other columns.
    """
    return (cells & below) | without(down(cells, 1), below)


@kernel
def first_plane_of(side):
    """Returns the index in the planes at which the planes of `side`, MOVER or OPPONENT, begin."""
    return side * SIDE_PLANES * LANES


@kernel
def describe_lines(planes, side, open_cells, stones, free, below):
    """Write the planes of the codes that `side` has in the free cells.

    `free` are the free cells after closed(), and `below` is its argument. The other arguments are as in line_codes.
    """
    first = first_plane_of(side)
    bits = line_codes(open_cells, stones)
    store_lanes(planes, first, closed(bits[0], below) & free)
    store_lanes(planes, first + LANES, closed(bits[1], below) & free)
    store_lanes(planes, first + 2 * LANES, closed(bits[2], below) & free)
    store_lanes(planes, first + 3 * LANES, closed(bits[3], below) & free)


@kernel
def describe_board(planes, state):
    """Write the planes of a state to uint16[PLANES]. Returns the number of free cells."""
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
    """Returns the number of free cells in a column. describe_board must have written `planes`."""
    return bit_count(np.uint64(planes[FREE_AT + column]))


@kernel
def codes_in(planes, side, column):
    """Returns the codes (uint64) of a column's free cells, of which there must be at least one.

    `side` is MOVER or OPPONENT.
    """
    first = first_plane_of(side) + column
    codes = np.uint64(0)
    for bit in range(SIDE_PLANES):
        codes |= np.uint64(planes[first + bit * LANES]) << np.uint64(LANE_BITS * bit)
    # No plane has a bit below the floor, so the shift moves no bit of one plane into another.
    return codes >> np.uint64(lowest_bit(np.uint64(planes[FREE_AT + column])))


@kernel
def code_at(codes, height):
    """Returns the code (0 .. 11) of the cell at `height` above the floor."""
    bits = codes >> np.uint64(height) & LOWEST_BITS
    return np.int64(bits * SIDE_BY_SIDE >> SIDE_BY_SIDE_AT) & CODE_MASK


@kernel
def bucket_of(height, in_column, parity):
    """Returns the bucket (network_weights.py) of the cell at `height` in a column with `in_column` free cells.

    `parity` is 1 if the board has an odd number of free cells, else 0.
    """
    return 2 * (HEIGHTS * parity + min(height, HEIGHTS - 1)) + ((in_column - height) & 1)


@kernel
def row_of(side, bucket, code):
    """Returns the index, among the gates or the steps, of the first weight for a side, bucket and code."""
    return ((side * BUCKETS + bucket) * CODES + code) * CHANNELS


# The places in a key of two numbers, in bits that the codes leave free, because a column has at most 12 cells.
IN_COLUMN_AT, PARITY_AT = np.uint64(60), np.uint64(44)
SLOT_AT = np.uint64(64 - SLOT_BITS)


class Network(NamedTuple):
    """The arrays of the network's memory (network_weights.py)."""

    planes: object  # uint16[PLANES]
    sums: object  # float32[CHANNELS]
    weights: object  # float32[NUMBERS]
    keys: object  # uint64[KEY_WORDS * SLOTS]
    cached: object  # float32[SLOTS * CHANNELS]


@kernel
def network_at(address):
    """Returns the Network over the memory at `address`."""
    return Network(
        uint16_array_at(address + PLANES_OFFSET, PLANES),
        float32_array_at(address + SUMS_OFFSET, CHANNELS),
        float32_array_at(address + WEIGHTS_OFFSET, NUMBERS),
        uint64_array_at(address + KEYS_OFFSET, KEY_WORDS * SLOTS),
        float32_array_at(address + CACHED_OFFSET, SLOTS * CHANNELS),
    )


@kernel
def row_at(weights, place):
    """Returns the CHANNELS weights that begin at weights[place], as a vector."""
    return load_means(weights, place, CHANNELS)


@kernel
def clipped(values):
    """Returns a vector of the values, each limited to 0 .. 1."""
    least = same_for_all(np.float32(0), values)
    return at_least(at_most(values, same_for_all(np.float32(1), values)), least)


@kernel
def pass_down(weights, own_codes, opponent_codes, in_column, parity):
    """Returns the channels (a vector) that arrive at the floor of a column with `in_column` free cells.

    `own_codes` and `opponent_codes` are the codes (uint64) of the column's free cells for each side. `parity` is 1 if
    the board has an odd number of free cells, else 0.
    """
    channels = row_at(weights, TOPS + (2 * in_column + parity) * CHANNELS)
    height = in_column - 1
    while height >= 0:
        bucket = bucket_of(height, in_column, parity)
        own = row_of(MOVER, bucket, code_at(own_codes, height))
        opponent = row_of(OPPONENT, bucket, code_at(opponent_codes, height))
        gate = row_at(weights, GATES + own) + row_at(weights, GATES + opponent)
        step = row_at(weights, STEPS + own) + row_at(weights, STEPS + opponent)
        channels = clipped(gate * channels + step)
        height -= 1
    return channels


@kernel
def column_channels(network, column, in_column, parity):
    """Returns what pass_down returns for a column of the board. The cache of columns is looked up first.

    One move changes the codes of few columns, and the leaves of one search have most of their columns in common.
    `parity` is 1 if the board has an odd number of free cells, else 0.
    """
    keys, cached = network.keys, network.cached
    own_codes, opponent_codes = codes_in(network.planes, MOVER, column), codes_in(network.planes, OPPONENT, column)
    own_key = own_codes | np.uint64(in_column) << IN_COLUMN_AT | np.uint64(parity) << PARITY_AT
    slot = np.int64((own_key * HASH_MULTIPLIER ^ opponent_codes) * HASH_MULTIPLIER >> SLOT_AT)
    first, second = KEY_WORDS * slot, KEY_WORDS * slot + 1
    if keys[first] != own_key or keys[second] != opponent_codes:
        keys[first], keys[second] = own_key, opponent_codes
        store_floats(cached, slot * CHANNELS, pass_down(network.weights, own_codes, opponent_codes, in_column, parity))
    return row_at(cached, slot * CHANNELS)


@kernel
def evaluate(network, state):
    """Returns the network's value of a state for its side to move (float32, between -1 and 1)."""
    weights, sums = network.weights, network.sums
    free = describe_board(network.planes, state)
    parity = free & 1
    low, high = row_at(weights, FIRST_BIAS), row_at(weights, FIRST_BIAS + CHANNELS)
    summed = same_for_all(np.float32(0), low)
    odd_columns = 0
    for column in range(MAX_COLUMNS):
        in_column = free_in(network.planes, column)
        if in_column != 0:
            odd_columns += in_column & 1
            summed = summed + column_channels(network, column, in_column, parity)
    store_floats(sums, 0, summed)
    for channel in range(CHANNELS):
        factor, place = same_for_all(sums[channel], low), FIRST + channel * HIDDEN
        low = low + factor * row_at(weights, place)
        high = high + factor * row_at(weights, place + CHANNELS)
    board = np.float32(parity), np.float32(free) * np.float32(FREE_CELL), np.float32(odd_columns)
    for channel, number in enumerate((board[0], board[1], board[2], np.float32(odd_columns & 1))):
        factor, place = same_for_all(number, low), FIRST + (CHANNELS + channel) * HIDDEN
        low = low + factor * row_at(weights, place)
        high = high + factor * row_at(weights, place + CHANNELS)
    low, high = clipped(low), clipped(high)
    worth = total(low * row_at(weights, SECOND) + high * row_at(weights, SECOND + CHANNELS)) + weights[BIAS]
    return worth / (np.float32(1) + abs(worth))
