"""The rules of gravity connect four as kernels: lines of four, winning cells, moves, and which moves to search.

A state is (own, opponent, floor, above, forbidden, board), six Lanes seen by the side to move; board.py shows the bit
order:

    own, opponent   stones
    floor           the cell that a stone falls to, one bit a column, none in a full column
    above           the cell that becomes the floor when the floor is filled (the forbidden cell is skipped)
    forbidden       the forbidden cell, or nothing
    board           every cell of the board, including the forbidden one

A line of four is named by its end: the rightmost of its four cells, or the uppermost of a vertical line.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    LANE_COUNT,
    above_lowest,
    blend,
    down,
    filled_lanes,
    lane_mask,
    load_lanes,
    nonzero_lanes,
    overlap,
    quarter,
    sideways,
    up,
    without,
    zero_lanes,
)
from bot.search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE

from .board import AVOID, BLOCK, RESERVE, TAKE_WINS

# The places of the sets in a position that Position.to_bytes has written, counted in uint16.
OWN_AT, OPPONENT_AT, FLOOR_AT, FORBIDDEN_AT, BOARD_AT = range(0, 5 * LANE_COUNT, LANE_COUNT)
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, odd


@kernel
def winning_cells(stones):
    """Returns the cells in which one more stone would complete a four with `stones`.

    They may be occupied or off the board. For each direction, the three neighbours of a cell on both sides are moved
    onto the cell. A stone in the cell completes a four if there are stones in the two nearest cells on one side, and in
    the third cell on that side or the nearest cell on the other side.
    """
    right1, right2, right3 = sideways(stones, -1), sideways(stones, -2), sideways(stones, -3)
    left1, left2, left3 = sideways(stones, 1), sideways(stones, 2), sideways(stones, 3)
    vertical = up(stones, 1) & up(stones, 2) & up(stones, 3)
    horizontal = (right1 & right2 & (right3 | left1)) | (left1 & left2 & (left3 | right1))
    falling_right1, falling_left1 = up(right1, 1), down(left1, 1)
    falling = (falling_right1 & up(right2, 2) & (up(right3, 3) | falling_left1)) | (
        falling_left1 & down(left2, 2) & (down(left3, 3) | falling_right1)
    )
    rising_right1, rising_left1 = down(right1, 1), up(left1, 1)
    rising = (rising_right1 & down(right2, 2) & (down(right3, 3) | rising_left1)) | (
        rising_left1 & up(left2, 2) & (up(left3, 3) | rising_right1)
    )
    return vertical | horizontal | falling | rising


@kernel
def cell_above(floor, forbidden, board):
    """Returns the next cell above each cell of `floor`, skipping the forbidden cell; none above the top row."""
    above = up(floor, 1)
    return (above + (above & forbidden)) & board


@kernel
def load_root(positions, offset):
    """Returns the state stored at positions[offset:] as uint16[80].

    The array holds own, opponent, floor, forbidden and board, with 16 lanes each.
    """
    floor, forbidden, board = (
        load_lanes(positions, offset + FLOOR_AT),
        load_lanes(positions, offset + FORBIDDEN_AT),
        load_lanes(positions, offset + BOARD_AT),
    )
    return (
        load_lanes(positions, offset + OWN_AT),
        load_lanes(positions, offset + OPPONENT_AT),
        floor,
        cell_above(floor, forbidden, board),
        forbidden,
        board,
    )


@kernel
def drop(state, lane):
    """Returns the state after the side to move drops a stone in the column of `lane`, a lane_mask.

    The column must not be full.
    """
    own, opponent, floor, above, forbidden, board = state
    return (
        opponent,
        own | (floor & lane),
        blend(lane, above, floor),
        blend(lane, cell_above(above, forbidden, board), above),
        forbidden,
        board,
    )


@kernel
def play(state, column):
    """Returns the state after the side to move drops a stone in `column`, which is not full."""
    return drop(state, lane_mask(column))


@kernel
def position_hash(state):
    """Returns a uint64 hash that depends only on the two sets of stones."""
    own, opponent = state[0], state[1]
    mixed = np.uint64(0)
    for word in (
        quarter(own, 0),
        quarter(own, 1),
        quarter(own, 2),
        quarter(opponent, 0),
        quarter(opponent, 1),
        quarter(opponent, 2),
    ):
        mixed = (mixed ^ word) * HASH_MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    return mixed * HASH_MULTIPLIER


@kernel
def wins_by_pair(own_threats, opponent_threats, floor, above, forbidden, board):
    """Returns whether the side to move wins in 3 by playing below two winning cells of its own. It has no win in 1.

    The two cells lie one above the other, just above the floor. The opponent must have no win in 1, and must not win in
    the lower of the two cells.
    """
    twice = filled_lanes(own_threats & above) & filled_lanes(own_threats & cell_above(above, forbidden, board))
    return overlap(twice, zero_lanes(opponent_threats & above)) and not overlap(opponent_threats, floor)


@kernel
def assess(state, policy):
    """Returns (score, legal, reserved) of a position for the side to move, as far as the policy's tactics see.

    The score is proven if there is a four on the board, a win in 1, a loss in 2 (two cells to block, or every move lies
    below a winning cell of the opponent), or a full board, which is a draw. Otherwise the score is 0. `legal` and
    `reserved` are bit masks of columns. `legal` has the legal moves, except those that lose in 2. `reserved` has the
    moves that are to be tried last.
    """
    own, opponent, floor, above, _, _ = state
    opponent_threats = winning_cells(opponent)
    legal = nonzero_lanes(floor)
    if nonzero_lanes(opponent_threats & opponent) != 0:
        return -WIN_BASE, legal, 0
    if legal == 0:
        return PROVEN_DRAW, 0, 0
    own_threats = winning_cells(own)
    if nonzero_lanes(own_threats & floor) != 0:
        return (WIN_BASE - 1 if policy & TAKE_WINS else UNPROVEN), legal, 0
    blocks = nonzero_lanes(opponent_threats & floor)
    if policy & BLOCK and blocks != 0:
        return (2 - WIN_BASE if blocks & (blocks - 1) else UNPROVEN), blocks, 0
    if policy & AVOID and blocks == 0:
        safe = legal & ~nonzero_lanes(opponent_threats & above)
        if safe == 0:
            return 2 - WIN_BASE, legal, 0
        legal = safe
    reserved = nonzero_lanes(own_threats & above) & legal if policy & RESERVE else 0
    return UNPROVEN, legal, reserved


@kernel
def line_ends(cells):
    """Returns the sets (vertical, horizontal, rising, falling) of the ends of all lines within the given cells."""
    vertical = cells & up(cells, 1)
    horizontal = cells & sideways(cells, 1)
    rising = cells & sideways(up(cells, 1), 1)
    falling = cells & sideways(down(cells, 1), 1)
    return (
        vertical & up(vertical, 2),
        horizontal & sideways(horizontal, 2),
        rising & sideways(up(rising, 2), 2),
        falling & sideways(down(falling, 2), 2),
    )


@kernel
def any_line(ends):
    """Returns whether any of the four sets `ends`, as line_ends returns them, contains a line."""
    vertical, horizontal, rising, falling = ends
    return nonzero_lanes(vertical | horizontal | rising | falling) != 0


@kernel
def has_four(stones):
    """Returns whether four of the stones are in line."""
    return any_line(line_ends(stones))


@kernel
def horizontal_line(end):
    """Returns the four cells of the horizontal line whose end is the cell `end`."""
    pair = end | sideways(end, -1)
    return pair | sideways(pair, -2)


@kernel
def rising_line(end):
    """Returns the four cells of the rising line whose end is the cell `end`."""
    pair = end | sideways(down(end, 1), -1)
    return pair | sideways(down(pair, 2), -2)


@kernel
def falling_line(end):
    """Returns the four cells of the falling line whose end is the cell `end`."""
    pair = end | sideways(up(end, 1), -1)
    return pair | sideways(up(pair, 2), -2)


@kernel
def open_lines(cells):
    """Returns every cell that lies in a line of four within the given cells."""
    vertical = cells & up(cells, 1)
    vertical = vertical & up(vertical, 2)
    vertical = vertical | down(vertical, 1)
    horizontal = cells & sideways(cells, 1)
    horizontal = horizontal & sideways(horizontal, 2)
    horizontal = horizontal | sideways(horizontal, -1)
    rising = cells & sideways(up(cells, 1), 1)
    rising = rising & sideways(up(rising, 2), 2)
    rising = rising | sideways(down(rising, 1), -1)
    falling = cells & sideways(down(cells, 1), 1)
    falling = falling & sideways(down(falling, 2), 2)
    falling = falling | sideways(up(falling, 1), -1)
    return (
        vertical
        | down(vertical, 2)
        | horizontal
        | sideways(horizontal, -2)
        | rising
        | sideways(down(rising, 2), -2)
        | falling
        | sideways(up(falling, 2), -2)
    )


@kernel
def reachable_cells(free, own_threats, opponent_threats):
    """Returns the free cells that may still be filled.

    These are all free cells except those above a cell that surely ends the game. Such a cell is a winning cell of both
    sides. Or it is the upper one of two winning cells of one side that lie one above the other: if the other side fills
    the lower one to prevent that win, the upper one becomes playable.
    """
    own_wins, opponent_wins = own_threats & free, opponent_threats & free
    last = (own_wins & opponent_wins) | (own_wins & up(own_wins, 1)) | (opponent_wins & up(opponent_wins, 1))
    return without(free, above_lowest(last))


@kernel
def idle_columns(free, lines):
    """Returns all ones in the lanes of idle columns. A column is idle if it has free cells, but none in an open line.

    `lines` are the cells that open_lines returns for one side or the other.
    """
    return without(filled_lanes(free), filled_lanes(free & lines))
