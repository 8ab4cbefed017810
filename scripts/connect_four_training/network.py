"""The network of bot/games/connect_four/network.py forwards and backwards, for learning.

Where a number is clipped, a small part LEAK of what is asked of it goes on, so that it can come back.
"""

import numpy as np
from numba import njit

from bot.games.connect_four.board import MAX_COLUMNS, MAX_ROWS
from bot.games.connect_four.network_weights import (
    BIAS,
    CHANNELS,
    FIRST,
    FIRST_BIAS,
    FREE_CELL,
    GATES,
    GLOBALS,
    HIDDEN,
    SECOND,
    STEPS,
    TOPS,
)

LEAK = np.float32(0.05)
ZERO, ONE = np.float32(0), np.float32(1)
INPUTS = CHANNELS + GLOBALS
OWN, OPPONENT = 0, 1


@njit(fastmath=True, nogil=True)
def _channels(weights, rows, in_column, parity, raw, channels):
    """Fill channels[height] and, before they are clipped, raw[height] of a column; channels[in_column] is the top."""
    for channel in range(CHANNELS):
        channels[in_column, channel] = weights[TOPS + (2 * in_column + parity) * CHANNELS + channel]
    for height in range(in_column - 1, -1, -1):
        own, opponent = np.int64(rows[height, OWN]) * CHANNELS, np.int64(rows[height, OPPONENT]) * CHANNELS
        for channel in range(CHANNELS):
            gate = weights[GATES + own + channel] + weights[GATES + opponent + channel]
            step = weights[STEPS + own + channel] + weights[STEPS + opponent + channel]
            value = gate * channels[height + 1, channel] + step
            raw[height, channel] = value
            channels[height, channel] = min(max(value, ZERO), ONE)


@njit(fastmath=True, nogil=True)
def _column_gradient(weights, rows, in_column, parity, raw, channels, asked, gradient):
    """Add to the gradient what is asked of a column's channels at its floor, which changes `asked`."""
    for height in range(in_column):
        own, opponent = np.int64(rows[height, OWN]) * CHANNELS, np.int64(rows[height, OPPONENT]) * CHANNELS
        for channel in range(CHANNELS):
            slope = asked[channel]
            if raw[height, channel] <= ZERO or raw[height, channel] >= ONE:
                slope *= LEAK
            of_gate = slope * channels[height + 1, channel]
            gradient[STEPS + own + channel] += slope
            gradient[STEPS + opponent + channel] += slope
            gradient[GATES + own + channel] += of_gate
            gradient[GATES + opponent + channel] += of_gate
            asked[channel] = slope * (weights[GATES + own + channel] + weights[GATES + opponent + channel])
    for channel in range(CHANNELS):
        gradient[TOPS + (2 * in_column + parity) * CHANNELS + channel] += asked[channel]


@njit(fastmath=True, nogil=True)
def learn_from(weights, rows, free, target, importance, chosen, gradient, values):
    """Add the gradient of the chosen positions' errors; the sum of these, squared and weighed.

    rows, free: of Features; values: float32[len(chosen)], what the network says of each. An empty gradient: only that.
    """
    raw = np.zeros((MAX_COLUMNS, MAX_ROWS, CHANNELS), np.float32)
    channels = np.zeros((MAX_COLUMNS, MAX_ROWS + 1, CHANNELS), np.float32)
    inputs, asked = np.zeros(INPUTS, np.float32), np.zeros(CHANNELS, np.float32)
    asked_of_sums = np.zeros(CHANNELS, np.float32)
    hidden = np.zeros(HIDDEN, np.float32)
    total = 0.0
    for place in range(len(chosen)):
        index = chosen[place]
        inputs[:] = ZERO
        count, odd_columns = 0, 0
        for column in range(MAX_COLUMNS):
            count += np.int64(free[index, column])
            odd_columns += np.int64(free[index, column]) & 1
        parity = count & 1
        for column in range(MAX_COLUMNS):
            in_column = np.int64(free[index, column])
            if in_column != 0:
                _channels(weights, rows[index, column], in_column, parity, raw[column], channels[column])
                for channel in range(CHANNELS):
                    inputs[channel] += channels[column, 0, channel]
        inputs[CHANNELS], inputs[CHANNELS + 1] = parity, count * np.float32(FREE_CELL)
        inputs[CHANNELS + 2], inputs[CHANNELS + 3] = odd_columns, odd_columns & 1
        worth = weights[BIAS]
        for unit in range(HIDDEN):
            hidden[unit] = weights[FIRST_BIAS + unit]
        for number in range(INPUTS):
            for unit in range(HIDDEN):
                hidden[unit] += inputs[number] * weights[FIRST + number * HIDDEN + unit]
        for unit in range(HIDDEN):
            worth += min(max(hidden[unit], ZERO), ONE) * weights[SECOND + unit]
        values[place] = worth / (ONE + abs(worth))
        error = values[place] - target[index]
        total += error * error * importance[index]
        if len(gradient) == 0:
            continue
        slope = 2 * error * importance[index] / ((ONE + abs(worth)) * (ONE + abs(worth)))
        gradient[BIAS] += slope
        for unit in range(HIDDEN):
            gradient[SECOND + unit] += slope * min(max(hidden[unit], ZERO), ONE)
            of_unit = slope * weights[SECOND + unit]
            if hidden[unit] <= ZERO or hidden[unit] >= ONE:
                of_unit *= LEAK
            gradient[FIRST_BIAS + unit] += of_unit
            hidden[unit] = of_unit
        for number in range(INPUTS):
            of_input = ZERO
            for unit in range(HIDDEN):
                gradient[FIRST + number * HIDDEN + unit] += inputs[number] * hidden[unit]
                of_input += weights[FIRST + number * HIDDEN + unit] * hidden[unit]
            if number < CHANNELS:
                asked_of_sums[number] = of_input
        for column in range(MAX_COLUMNS):
            in_column = np.int64(free[index, column])
            if in_column != 0:
                asked[:] = asked_of_sums
                _column_gradient(
                    weights,
                    rows[index, column],
                    in_column,
                    parity,
                    raw[column],
                    channels[column],
                    asked,
                    gradient,
                )
    return total
