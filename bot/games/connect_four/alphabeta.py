"""Connect four for bot/search/alphabeta.py: the rules of rules.py, and a leaf value from runs of stones.

A run is two or three adjacent stones of one side in a line, in any of the four directions. The leaf value is
F(own) - F(opponent), F the weighted number of runs. A set of cells "moved" by k here means: a cell is in it when the
cell k steps on in the direction looked at is in the set. Kernels count rows from the bottom.
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import count_bits, down, nonzero_lanes, overlap, sideways, store_lanes, up, without
from bot.search.alphabeta_engine import ORDER, ORDER_LENGTH

from .rules import BOARD_AT, FLOOR_AT, FORBIDDEN_AT, OPPONENT_AT, OWN_AT, load_root, play, winning_cells

__all__ = [
    "THREE_WEIGHT",
    "TWO_WEIGHT",
    "can_win",
    "evaluate",
    "leaf_value",
    "list_moves",
    "load_root",
    "open_run_value",
    "play",
    "run_value",
    "soon_cells",
    "store",
]


# A three needs one stone more to be a four, a two needs two: a three outweighs any two or three chances to make one.
# In quarters of a two, so that the engine's preference for the centre can be worth less than a run.
TWO_WEIGHT = 4
THREE_WEIGHT = 40


@kernel
def store(state, positions, offset):
    """Write a state as load_root reads it: uint16[80] at positions[offset:]."""
    own, opponent, floor, _, forbidden, board = state
    store_lanes(positions, offset + OWN_AT, own)
    store_lanes(positions, offset + OPPONENT_AT, opponent)
    store_lanes(positions, offset + FLOOR_AT, floor)
    store_lanes(positions, offset + FORBIDDEN_AT, forbidden)
    store_lanes(positions, offset + BOARD_AT, board)


@kernel
def list_moves(state, control, moves, offset):
    """Write the columns that are not full to moves[offset:], in the order that control has; returns how many."""
    legal = nonzero_lanes(state[2])
    count = 0
    for place in range(control[ORDER_LENGTH]):
        column = control[ORDER + place]
        moves[offset + count] = column  # the next one writes over it where it is not legal
        count += (legal >> column) & 1
    return count


@kernel
def can_win(state):
    """Whether the side to move can complete a four."""
    return overlap(winning_cells(state[0]), state[2])


@kernel
def soon_cells(floor, free):
    """Free cells that stones can reach soon: the floor of a column and the two cells above it.

    Two, because one stone of each side makes even the upper one playable, so both can still plan for it. free: the free
    cells without the forbidden one.
    """
    return (floor | up(floor, 1) | up(floor, 2)) & free


@kernel
def run_value(stones):
    """F: every two and every three adjacent stones, whatever lies beside them; a three holds two twos."""
    upper, right = down(stones, 1), sideways(stones, -1)
    rising, falling = down(right, 1), up(right, 1)
    right2 = sideways(stones, -2)
    twos = (
        count_bits(stones & upper)
        + count_bits(stones & right)
        + count_bits(stones & rising)
        + count_bits(stones & falling)
    )
    threes = (
        count_bits(stones & upper & down(stones, 2))
        + count_bits(stones & right & right2)
        + count_bits(stones & rising & down(right2, 2))
        + count_bits(stones & falling & up(right2, 2))
    )
    return TWO_WEIGHT * twos + THREE_WEIGHT * threes


@kernel
def soon_ends(runs, free_before, free_after, soon_before, soon_after):
    """How many ends of those runs that are free at both ends can be reached soon: 0, 1 or 2 for each run."""
    open_runs = runs & free_before & free_after
    return count_bits(open_runs & soon_before) + count_bits(open_runs & soon_after)


@kernel
def open_line_value(stones, stones1, stones2, free_before, free2, free3, soon_before, soon2, soon3):
    """The part of F in one direction: `stones1` are the stones moved by 1, `free_before` the free cells by -1, .."""
    twos = stones & stones1
    return TWO_WEIGHT * soon_ends(twos, free_before, free2, soon_before, soon2) + THREE_WEIGHT * soon_ends(
        twos & stones2, free_before, free3, soon_before, soon3
    )


@kernel
def open_run_value(stones, free, soon):
    """F: runs with both ends free, once for each end that can be reached soon.

    The lower end of an upright run is never free: there the upper end counts alone, and is always the floor.
    """
    right, right2 = sideways(stones, -1), sideways(stones, -2)
    free_left, free_right2, free_right3 = sideways(free, 1), sideways(free, -2), sideways(free, -3)
    soon_left, soon_right2, soon_right3 = sideways(soon, 1), sideways(soon, -2), sideways(soon, -3)
    level = open_line_value(
        stones, right, right2, free_left, free_right2, free_right3, soon_left, soon_right2, soon_right3
    )
    rising = open_line_value(
        stones,
        down(right, 1),
        down(right2, 2),
        up(free_left, 1),
        down(free_right2, 2),
        down(free_right3, 3),
        up(soon_left, 1),
        down(soon_right2, 2),
        down(soon_right3, 3),
    )
    falling = open_line_value(
        stones,
        up(right, 1),
        up(right2, 2),
        down(free_left, 1),
        up(free_right2, 2),
        up(free_right3, 3),
        down(soon_left, 1),
        up(soon_right2, 2),
        up(soon_right3, 3),
    )
    lowest = without(stones, up(stones, 1))
    upright_two = lowest & down(stones, 1)
    upright = TWO_WEIGHT * count_bits(upright_two & down(free, 2)) + THREE_WEIGHT * count_bits(
        upright_two & down(stones, 2) & down(free, 3)
    )
    return level + rising + falling + upright


@kernel
def evaluate(state, open_runs_only):
    """F(own) - F(opponent), int64; F is open_run_value, or run_value where open_runs_only is 0."""
    own, opponent, floor, _, forbidden, board = state
    if open_runs_only == 0:
        return run_value(own) - run_value(opponent)
    free = without(board, own | opponent | forbidden)
    soon = soon_cells(floor, free)
    return open_run_value(own, free, soon) - open_run_value(opponent, free, soon)


@kernel
def leaf_value(state, open_runs_only, ply):
    """As evaluate says, but 0 on a full board: it is drawn."""
    if nonzero_lanes(state[2]) == 0:
        return 0
    return evaluate(state, open_runs_only)
