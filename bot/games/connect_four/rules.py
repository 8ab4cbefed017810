"""Rules of gravity connect four as kernels: lines of four, what wins, what a move does, which cells are worth playing.

A state is (own, opponent, floor, above, forbidden, board), six Lanes (board.py draws the bit order), seen by the side
to move:

    own, opponent   stones
    floor           the cell a stone falls to, one bit a column, none in a full column
    above           the cell that becomes the floor when that one is filled (the forbidden cell skipped)
    forbidden       the forbidden cell, or nothing
    board           every cell of the board, the forbidden one included

A line of four is named by its end: the rightmost of its four cells, of a vertical line the uppermost.
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

# Places of the lanes in a position as Position.to_bytes writes it.
OWN_AT, OPPONENT_AT, FLOOR_AT, FORBIDDEN_AT, BOARD_AT = range(0, 5 * LANE_COUNT, LANE_COUNT)
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, odd


@kernel
def winning_cells(stones):
    """Every cell, occupied or not and on the board or not, that has three of the stones in line with it.

    For each direction the three neighbours on both sides are laid over the cell; a four is completed when
    three of them in one window of four are stones: two next ones on one side and a third on either side.
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
    """For each column the next free cell above `floor`, the forbidden cell skipped, none at the top."""
    above = up(floor, 1)
    return (above + (above & forbidden)) & board


@kernel
def load_root(positions, offset):
    """State from uint16[80] at positions[offset:]: own, opponent, floor, forbidden, board, 16 lanes each."""
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
    """The state after the side to move drops a stone in the column of that lane (lane_mask), which is not full."""
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
    """The state after the side to move drops a stone in a column that is not full."""
    return drop(state, lane_mask(column))


@kernel
def position_hash(state):
    """uint64 that depends on nothing but the two sets of stones."""
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
    """Whether the mover, without a win in 1, wins in 3: from below two winning cells of his, with nothing to block."""
    twice = filled_lanes(own_threats & above) & filled_lanes(own_threats & cell_above(above, forbidden, board))
    return overlap(twice, zero_lanes(opponent_threats & above)) and not overlap(opponent_threats, floor)


@kernel
def assess(state, policy):
    """(score, legal, reserved) of a position for the side to move, as far as the policy's tactics see.

    score is proven: a four already on the board, a win in 1, a loss in 2 (two cells to block, or every move
    under a winning cell), a draw on a full board; 0 otherwise. legal leaves out moves that lose in 2.
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
    """(vertical, horizontal, rising, falling): the ends of all lines of the given cells."""
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
    """Whether there is a line with one of these ends, see line_ends."""
    vertical, horizontal, rising, falling = ends
    return nonzero_lanes(vertical | horizontal | rising | falling) != 0


@kernel
def has_four(stones):
    """Whether four of the stones are in line."""
    return any_line(line_ends(stones))


@kernel
def horizontal_line(end):
    """The cells of the line with that end."""
    pair = end | sideways(end, -1)
    return pair | sideways(pair, -2)


@kernel
def rising_line(end):
    """The cells of the line with that end."""
    pair = end | sideways(down(end, 1), -1)
    return pair | sideways(down(pair, 2), -2)


@kernel
def falling_line(end):
    """The cells of the line with that end."""
    pair = end | sideways(up(end, 1), -1)
    return pair | sideways(up(pair, 2), -2)


@kernel
def open_lines(cells):
    """Every cell that lies in four in line of the given cells."""
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
    """The free cells that may still be filled: none above a cell that ends the game whoever gets it.

    That is a cell that wins for both sides, or the upper of two, one above the other, that win for the same side: to
    take the lower away from it gives it the upper.
    """
    own_wins, opponent_wins = own_threats & free, opponent_threats & free
    last = (own_wins & opponent_wins) | (own_wins & up(own_wins, 1)) | (opponent_wins & up(opponent_wins, 1))
    return without(free, above_lowest(last))


@kernel
def idle_columns(free, lines):
    """All ones in the lanes that have free cells, but none in an open line.

    lines: what open_lines finds for either side, together.
    """
    return without(filled_lanes(free), filled_lanes(free & lines))
