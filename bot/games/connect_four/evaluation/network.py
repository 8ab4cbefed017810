"""The network: a value for the side to move from what lies in each column. Kernels.

Sixteen channels of every column go down through its free cells, from the top to the floor: each cell passes a part
of them on, its gate, and adds a step of its own, so that a cell can undo all that lies above it. That is how a column
of this game works: who may not play in a cell does not get those above. Gates and steps come from tables by the cell's
codes and bucket. The sums over all columns, and a few numbers of the whole board, make the value through one layer
more.

Every number is clipped to 0 .. 1; no libm and no fused arithmetic, so every machine computes the same bits.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.edge_vectors import at_least, at_most, load_means, same_for_all, store_floats, total
from bot.kernels.kernel import kernel
from bot.kernels.machine import float32_array_at, uint16_array_at

from .columns import bucket_of, codes_in, describe_board, free_in, row_of
from .layout import (
    BIAS,
    CHANNELS,
    COLUMNS,
    FIRST,
    FIRST_BIAS,
    FREE_CELL,
    GATES,
    HIDDEN,
    NUMBERS,
    PLANES,
    PLANES_OFFSET,
    SECOND,
    STEPS,
    SUMS_OFFSET,
    TOPS,
    WEIGHTS_OFFSET,
)

MOVER, OPPONENT = 0, 1


class Network(NamedTuple):
    """Views of the network's memory."""

    planes: object  # uint16[PLANES]
    sums: object  # float32[CHANNELS]
    weights: object  # float32[NUMBERS]


@kernel
def network_at(address):
    """The Network over the memory at `address`."""
    return Network(
        uint16_array_at(address + PLANES_OFFSET, PLANES),
        float32_array_at(address + SUMS_OFFSET, CHANNELS),
        float32_array_at(address + WEIGHTS_OFFSET, NUMBERS),
    )


@kernel
def row_at(weights, place):
    """Sixteen weights from a place on."""
    return load_means(weights, place, 16)


@kernel
def clipped(values):
    """Between 0 and 1."""
    least = same_for_all(np.float32(0), values)
    return at_least(at_most(values, same_for_all(np.float32(1), values)), least)


@kernel
def column_channels(network, column, in_column, parity):
    """The channels that arrive at the floor of a column with so many free cells."""
    weights, planes = network.weights, network.planes
    own_codes, opponent_codes = codes_in(planes, MOVER, column), codes_in(planes, OPPONENT, column)
    channels = row_at(weights, TOPS + (2 * in_column + parity) * CHANNELS)
    height = in_column - 1
    while height >= 0:
        bucket = bucket_of(height, in_column, parity)
        own, opponent = row_of(MOVER, bucket, own_codes, height), row_of(OPPONENT, bucket, opponent_codes, height)
        gate = row_at(weights, GATES + own) + row_at(weights, GATES + opponent)
        step = row_at(weights, STEPS + own) + row_at(weights, STEPS + opponent)
        channels = clipped(gate * channels + step)
        height -= 1
    return channels


@kernel
def evaluate(network, state):
    """The value (float32, between -1 and 1) of a state for its side to move."""
    weights, sums = network.weights, network.sums
    free = describe_board(network.planes, state)
    parity = free & 1
    low, high = row_at(weights, FIRST_BIAS), row_at(weights, FIRST_BIAS + CHANNELS)
    summed = same_for_all(np.float32(0), low)
    odd_columns = 0
    for column in range(COLUMNS):
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
