"""The policy: how likely each column is the move that a long search chooses. Kernels.

For every column it looks at four stones: one of each side in the floor, and one of each side in the cell above. Each
makes new winning cells; how many and of what kind is the number of a row in a table. With rows for the codes of the
column's lowest free cells (network.py), for the number of its free cells and for its distance from the edge, these rows
add up to the column's channels. A hidden layer sees the channels of the column, of two neighbours on each side, and of
all columns together, and makes one number. A softmax over the columns worth searching makes priors of these numbers.

Channels are clipped to 0 .. 1. There is no libm and no fused arithmetic, so every machine computes the same bits.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.arithmetic import natural_exp
from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    count_bits,
    down,
    lane_mask,
    load_means,
    nonzero_lanes,
    overlap,
    same_for_all,
    store_floats,
    total,
    up,
    without,
)
from bot.kernels.machine import bit_count, float32_array_at, uint16_array_at

from .board import MAX_COLUMNS
from .network import clipped, code_at, codes_in, describe_board, free_in
from .network_weights import CODES, MOVER, OPPONENT, PLANES
from .policy_weights import (
    BIAS,
    CELLS,
    CHANNELS,
    CODE_PAIRS,
    COUNTS,
    CREATED,
    EDGE,
    FREE,
    HIDDEN,
    INNER,
    INNER_OFFSET,
    KINDS,
    NUMBERS,
    OUT,
    OWN,
    PLANES_OFFSET,
    REACH,
    SIDES,
    SKIP,
    TABLE,
    WEIGHTS_OFFSET,
    WHOLE,
)
from .rules import winning_cells

HALF = HIDDEN // 2  # a hidden layer is two vectors


class View(NamedTuple):
    """What the policy sees of a whole position; the planes of describe_board belong to it."""

    own: object  # Lanes, as are the other sets of cells
    opponent: object
    own_threats: object  # free winning cells
    opponent_threats: object
    free: object  # the free cells, of which the next four sets are parts
    floor: object
    above: object
    even: object  # the free cells above these with an even number of free cells below them
    odd: object
    parity: object  # 1 if the board has an odd number of free cells, else 0
    last: object  # the number of the last column


@kernel
def view_of(planes, state):
    """Returns the View of a state and writes its planes to uint16[PLANES]."""
    own, opponent, floor, above, forbidden, board = state
    parity = describe_board(planes, state) & 1
    free = without(board, own | opponent | forbidden)
    odd_up_to = free ^ up(free, 1)  # becomes: whether a column has an odd number of free cells up to this one
    odd_up_to = odd_up_to ^ up(odd_up_to, 2)
    odd_up_to = odd_up_to ^ up(odd_up_to, 4)
    odd_up_to = odd_up_to ^ up(odd_up_to, 8)
    high = without(free, floor | above)
    return View(
        own,
        opponent,
        winning_cells(own) & free,
        winning_cells(opponent) & free,
        free,
        floor,
        above,
        high & odd_up_to,
        without(high, odd_up_to),
        parity,
        bit_count(np.uint64(nonzero_lanes(board))) - 1,
    )


@kernel
def up_to_two(cells):
    """Returns the number of cells, or 2 if there are more."""
    return min(count_bits(cells), 2)


@kernel
def kind_of(view, stones, threats, other_threats, cell):
    """Returns the number (0 .. KINDS - 1) that describes the winning cells which one more stone in `cell` makes.

    `threats` are the winning cells of the side that has `stones`, and `other_threats` those of the other side.
    """
    new = without(winning_cells(stones | cell) & view.free, threats)
    kind = up_to_two(new & view.floor) + 3 * up_to_two(new & view.above)
    kind += 9 * up_to_two(new & view.even) + 27 * up_to_two(new & view.odd)
    mine = threats | new
    if overlap(new, up(mine, 1) | down(mine, 1)):  # two of them, one above the other
        kind += COUNTS
    if overlap(new, up(other_threats, 1)):  # the other side wins before this cell can be played in
        kind += 2 * COUNTS
    if overlap(new, other_threats):
        kind += 4 * COUNTS
    return kind


@kernel
def cell_row(codes, height, in_column, parity):
    """Returns the row of the cell at `height`, counted from the first row for that height.

    `codes` are the column's codes for the mover and for the opponent, and `in_column` is the number of its free cells.
    """
    if height >= in_column:
        return CODE_PAIRS
    bucket = 2 * parity + ((in_column - height) & 1)
    return (bucket * CODES + code_at(codes[0], height)) * CODES + code_at(codes[1], height)


@kernel
def rows_of(planes, view, column):
    """Returns the numbers of the SEEN rows of a column that is not full."""
    in_column, lane = free_in(planes, column), lane_mask(column)
    codes = codes_in(planes, MOVER, column), codes_in(planes, OPPONENT, column)
    low, high = view.floor & lane, view.above & lane
    own, opponent = view.own_threats, view.opponent_threats
    return (
        CELLS + cell_row(codes, 0, in_column, view.parity),
        CELLS + (CODE_PAIRS + 1) + cell_row(codes, 1, in_column, view.parity),
        CELLS + 2 * (CODE_PAIRS + 1) + cell_row(codes, 2, in_column, view.parity),
        CELLS + 3 * (CODE_PAIRS + 1) + cell_row(codes, 3, in_column, view.parity),
        CREATED + kind_of(view, view.own, own, opponent, low),
        CREATED + KINDS + kind_of(view, view.opponent, opponent, own, low),
        CREATED + 2 * KINDS + kind_of(view, view.own, own, opponent, high),
        CREATED + 3 * KINDS + kind_of(view, view.opponent, opponent, own, high),
        FREE + in_column,
        EDGE + min(column, view.last - column),
    )


@kernel
def add_row(hidden, number, weights, row):
    """Returns `hidden`, two vectors, plus `number` times the HIDDEN weights that begin at weights[row]."""
    low, high = hidden
    factor = same_for_all(number, low)
    return low + factor * load_means(weights, row, HALF), high + factor * load_means(weights, row + HALF, HALF)


@kernel
def write_factors(state, legal, address, share, factors, offset):
    """Write what each column's even prior is multiplied by to float32 factors[offset:][:MAX_COLUMNS].

    `legal` is a bit mask of the columns worth searching; all others get 0. The factor is 1 - share + share * the
    policy's prior * the number of these columns. The policy's memory is at `address`.
    """
    planes = uint16_array_at(address + PLANES_OFFSET, PLANES)
    inner = float32_array_at(address + INNER_OFFSET, INNER)
    weights = float32_array_at(address + WEIGHTS_OFFSET, NUMBERS)
    view = view_of(planes, state)
    skip = load_means(weights, SKIP, CHANNELS)
    none = same_for_all(np.float32(0), skip)
    summed = none
    for column in range(MAX_COLUMNS):
        channels = none
        if free_in(planes, column) != 0:
            for row in rows_of(planes, view, column):
                channels = channels + load_means(weights, TABLE + row * CHANNELS, CHANNELS)
        factors[offset + column] = total(channels * skip)
        channels = clipped(channels)
        store_floats(inner, (REACH + column) * CHANNELS, channels)
        summed = summed + channels
    store_floats(inner, 0, summed)  # in an empty place, for a moment
    whole = load_means(weights, BIAS, HALF), load_means(weights, BIAS + HALF, HALF)
    for channel in range(CHANNELS):
        whole = add_row(whole, inner[channel], weights, WHOLE + channel * HIDDEN)
    store_floats(inner, 0, none)
    best = np.float32(-np.inf)
    for column in range(MAX_COLUMNS):
        if (legal >> column) & 1:
            hidden, place = whole, (REACH + column) * CHANNELS
            for channel in range(CHANNELS):
                hidden = add_row(hidden, inner[place + channel], weights, OWN + channel * HIDDEN)
            for distance in range(1, REACH + 1):
                left, right = place - distance * CHANNELS, place + distance * CHANNELS
                for channel in range(CHANNELS):
                    row = SIDES + ((distance - 1) * CHANNELS + channel) * HIDDEN
                    hidden = add_row(hidden, inner[left + channel] + inner[right + channel], weights, row)
            low = clipped(hidden[0]) * load_means(weights, OUT, HALF)
            high = clipped(hidden[1]) * load_means(weights, OUT + HALF, HALF)
            factors[offset + column] += total(low + high)
            best = max(best, factors[offset + column])
    chances, count = np.float32(0), 0
    for column in range(MAX_COLUMNS):
        if (legal >> column) & 1:
            factors[offset + column] = natural_exp(factors[offset + column] - best)
            chances += factors[offset + column]
            count += 1
    for column in range(MAX_COLUMNS):
        prior = factors[offset + column] * np.float32(count) / chances
        factors[offset + column] = (np.float32(1) - share) + share * prior if (legal >> column) & 1 else np.float32(0)
