"""The network: a value for the side to move from what lies in each column. Kernels.

Sixteen channels of every column go down through its free cells, from the top to the floor: each cell passes a part
of them on, its gate, and adds a step of its own, so that a cell can undo all that lies above it. That is how a column
of this game works: who may not play in a cell does not get those above. Gates and steps come from tables by the cell's
codes and bucket. The sums over all columns, and a few numbers of the whole board, make the value through one layer
more. What arrives at a column's floor depends on its own codes and two numbers only: a cache of columns has most of it.

Every number is clipped to 0 .. 1; no libm and no fused arithmetic, so every machine computes the same bits.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import at_least, at_most, load_means, same_for_all, store_floats, total
from bot.kernels.machine import float32_array_at, uint16_array_at, uint64_array_at

from ..rules.board import MAX_COLUMNS
from ..rules.position import HASH_MULTIPLIER
from .columns import bucket_of, code_at, codes_in, describe_board, free_in, row_of
from .layout import (
    BIAS,
    CACHED_OFFSET,
    CHANNELS,
    FIRST,
    FIRST_BIAS,
    FREE_CELL,
    GATES,
    HIDDEN,
    KEY_WORDS,
    KEYS_OFFSET,
    MOVER,
    NUMBERS,
    OPPONENT,
    PLANES,
    PLANES_OFFSET,
    SECOND,
    SLOT_BITS,
    SLOTS,
    STEPS,
    SUMS_OFFSET,
    TOPS,
    WEIGHTS_OFFSET,
)

# Bits of a key that codes leave free, as a column has at most 12 cells.
IN_COLUMN_AT, PARITY_AT = np.uint64(60), np.uint64(44)
SLOT_AT = np.uint64(64 - SLOT_BITS)


class Network(NamedTuple):
    """Views of the network's memory."""

    planes: object  # uint16[PLANES]
    sums: object  # float32[CHANNELS]
    weights: object  # float32[NUMBERS]
    keys: object  # uint64[KEY_WORDS * SLOTS]
    cached: object  # float32[SLOTS * CHANNELS]


@kernel
def network_at(address):
    """The Network over the memory at `address`."""
    return Network(
        uint16_array_at(address + PLANES_OFFSET, PLANES),
        float32_array_at(address + SUMS_OFFSET, CHANNELS),
        float32_array_at(address + WEIGHTS_OFFSET, NUMBERS),
        uint64_array_at(address + KEYS_OFFSET, KEY_WORDS * SLOTS),
        float32_array_at(address + CACHED_OFFSET, SLOTS * CHANNELS),
    )


@kernel
def row_at(weights, place):
    """A row of CHANNELS weights from a place on."""
    return load_means(weights, place, CHANNELS)


@kernel
def clipped(values):
    """Between 0 and 1."""
    least = same_for_all(np.float32(0), values)
    return at_least(at_most(values, same_for_all(np.float32(1), values)), least)


@kernel
def pass_down(weights, own_codes, opponent_codes, in_column, parity):
    """The channels that arrive at the floor of a column with so many free cells and these codes."""
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
    """pass_down for a column of the board, from the cache where that has it.

    One move changes the codes of few columns, and the leaves of one search have most of their columns in common.
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
    """The value (float32, between -1 and 1) of a state for its side to move."""
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
