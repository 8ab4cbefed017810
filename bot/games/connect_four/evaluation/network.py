"""The network: a value for the position and a logit for every column, from tables of what lies in each column. Kernels.

Every free cell has a code: how far each side has come with a line through it (lines.py), 0 to 3. A table row is chosen
by the codes of a cell and the one above it, by its height above the floor, and by whether an even number of cells is
free from it on: so the network knows whose turn it will be. A column's rows are added up, and a layer each follows for
the column, for the board, and for the two answers.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.edge_vectors import at_least, at_most, channels_of, load_means, same_for_all, store_floats, total
from bot.kernels.kernel import kernel
from bot.kernels.lanes import down, everywhere, load_lanes, store_lanes, without
from bot.kernels.machine import (
    bit_count,
    float32_array_at,
    int16_array_at,
    int64_array_at,
    lowest_bit,
    uint16_array_at,
    uint64_array_at,
)

from ..rules.lines import reachable_cells
from ..rules.position import winning_cells
from .layout import (
    BOARD_BIAS,
    BOARD_CHANNELS,
    BOARD_FIRST,
    BOARD_GLOBALS,
    BOARD_OFFSET,
    BOARD_SECOND,
    BUCKETS,
    CHANNELS,
    CODE_PAIRS,
    CODES_OFFSET,
    COLUMNS,
    COLUMNS_AT,
    CONSTANTS,
    DENSE_NUMBERS,
    DENSE_OFFSET,
    FIRST_OFFSET,
    FREE_OFFSET,
    HEIGHTS,
    INT16_NUMBERS,
    ONE,
    POLICY_BOARD,
    POLICY_FIRST,
    POLICY_SECOND,
    SECOND,
    SECOND_BIAS,
    SECOND_OFFSET,
    TABLES_OFFSET,
    VALUE,
)
from .lines import line_cells

LANES = 16


class Network(NamedTuple):
    """Views of the network's memory."""

    planes: object  # uint16[80]
    codes: object  # uint64[12]
    free: object  # int64[12]
    first: object  # float32[192]
    second: object  # float32[192]
    board: object  # float32[32]
    tables: object  # int16, tables and columns
    dense: object  # float32


@kernel
def network_at(address):
    """The Network over the memory at `address`."""
    return Network(
        uint16_array_at(address, 5 * LANES),
        uint64_array_at(address + CODES_OFFSET, COLUMNS),
        int64_array_at(address + FREE_OFFSET, COLUMNS),
        float32_array_at(address + FIRST_OFFSET, COLUMNS * CHANNELS),
        float32_array_at(address + SECOND_OFFSET, COLUMNS * CHANNELS),
        float32_array_at(address + BOARD_OFFSET, BOARD_CHANNELS),
        int16_array_at(address + TABLES_OFFSET, INT16_NUMBERS),
        float32_array_at(address + DENSE_OFFSET, DENSE_NUMBERS),
    )


@kernel
def nibbles(bits):
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
def progress(stones, blocked, board, threats, reachable):
    """(high, low) bits of how far the side with those stones has come in the free cells: 0 no open line, 1 an open
    line, 2 one with two stones, 3 one with three."""
    cells, twos = line_cells(without(board, blocked), stones)
    wins = threats & reachable
    twos = twos & reachable
    return twos | wins, without(cells & reachable, twos) | wins


@kernel
def describe_columns(network, state):
    """Write codes and free cells of every column; the number of free cells."""
    own, opponent, floor, _, forbidden, board = state
    free = without(board, own | opponent | forbidden)
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    reachable = reachable_cells(free, own_threats, opponent_threats)
    below = forbidden + everywhere(0xFFFF)
    own_high, own_low = progress(own, opponent | forbidden, board, own_threats, reachable)
    opponent_high, opponent_low = progress(opponent, own | forbidden, board, opponent_threats, reachable)
    store_lanes(network.planes, 0, closed(floor, below))
    store_lanes(network.planes, LANES, closed(opponent_low, below))
    store_lanes(network.planes, 2 * LANES, closed(opponent_high, below))
    store_lanes(network.planes, 3 * LANES, closed(own_low, below))
    store_lanes(network.planes, 4 * LANES, closed(own_high, below))
    # The floor is the lowest free cell, so bits above it count the free ones.
    count = 0
    store_lanes(network.planes, 0, closed(free, below))
    for column in range(COLUMNS):
        cells = np.uint64(network.planes[column])
        in_column = bit_count(cells)
        network.free[column] = in_column
        if in_column:
            count += in_column
            start = np.uint64(lowest_bit(cells))
            codes = np.uint64(0)
            for plane in range(4):
                bits = np.uint64(network.planes[(plane + 1) * LANES + column]) >> start
                codes |= nibbles(bits) << np.uint64(plane)
            network.codes[column] = codes
    return count


@kernel
def bucket(height, in_column):
    """Which of the tables a cell at that height above the floor of a column with so many free cells uses."""
    return 2 * min(height, HEIGHTS - 1) + ((in_column - height) & 1)


@kernel
def first_layer(network, free):
    """Add up every column's rows."""
    weights = network.tables
    for column in range(COLUMNS):
        in_column = network.free[column]
        if in_column:
            codes = network.codes[column]
            added = load_lanes(weights, COLUMNS_AT + (2 * in_column + (free & 1)) * CHANNELS)
            for height in range(in_column):
                pair = np.int64(codes & np.uint64(CODE_PAIRS - 1))
                added = added + load_lanes(weights, (bucket(height, in_column) * CODE_PAIRS + pair) * CHANNELS)
                codes >>= np.uint64(4)
            store_floats(network.first, column * CHANNELS, clipped(channels_of(added), np.float32(ONE)))


@kernel
def clipped(values, one):
    """Between 0 and `one`, then in units of it."""
    most = same_for_all(one, values)
    return at_least(at_most(values, most), same_for_all(np.float32(0), values)) / most


@kernel
def evaluate(network, state, logits):
    """Write a logit for each column that is not full to float32 `logits`; the position's value, -1..1, for the mover."""
    free = describe_columns(network, state)
    first_layer(network, free)
    dense, first, second = network.dense, network.first, network.second
    bias = load_means(dense, SECOND_BIAS, 16)
    zero = same_for_all(np.float32(0), bias)
    first_sum, second_sum = zero, zero
    odd, playable = 0, 0
    for column in range(COLUMNS):
        in_column = network.free[column]
        if in_column:
            odd += in_column & 1
            playable += 1
            values = bias
            for channel in range(CHANNELS):
                factor = same_for_all(first[column * CHANNELS + channel], bias)
                values = values + factor * load_means(dense, SECOND + channel * CHANNELS, 16)
            values = clipped(values, np.float32(1))
            store_floats(second, column * CHANNELS, values)
            second_sum = second_sum + values
            first_sum = first_sum + load_means(first, column * CHANNELS, 16)
    board = network.board
    store_floats(board, 0, first_sum)
    store_floats(board, CHANNELS, second_sum)
    low, high = load_means(dense, BOARD_BIAS, 16), load_means(dense, BOARD_BIAS + CHANNELS, 16)
    for channel in range(2 * CHANNELS):
        factor = same_for_all(board[channel], bias)
        low = low + factor * load_means(dense, BOARD_FIRST + channel * BOARD_CHANNELS, 16)
        high = high + factor * load_means(dense, BOARD_FIRST + channel * BOARD_CHANNELS + CHANNELS, 16)
    for place, number in enumerate((free & 1, free, odd, playable)):
        factor = same_for_all(np.float32(number), bias)
        low = low + factor * load_means(dense, BOARD_GLOBALS + place * BOARD_CHANNELS, 16)
        high = high + factor * load_means(dense, BOARD_GLOBALS + place * BOARD_CHANNELS + CHANNELS, 16)
    low, high = clipped(low, np.float32(1)), clipped(high, np.float32(1))
    worth = total(low * load_means(dense, VALUE, 16) + high * load_means(dense, VALUE + CHANNELS, 16))
    worth += dense[CONSTANTS]
    store_floats(board, 0, low)
    store_floats(board, CHANNELS, high)
    context = load_means(dense, POLICY_SECOND, 16)
    for channel in range(BOARD_CHANNELS):
        factor = same_for_all(board[channel], bias)
        context = context + factor * load_means(dense, POLICY_BOARD + channel * CHANNELS, 16)
    from_first = load_means(dense, POLICY_FIRST, 16)
    for column in range(COLUMNS):
        if network.free[column]:
            logits[column] = total(
                load_means(first, column * CHANNELS, 16) * from_first
                + load_means(second, column * CHANNELS, 16) * context
            )
    return worth / (np.float32(1) + abs(worth))
