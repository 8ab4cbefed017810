"""What bot/search/alphabeta.py needs from connect four: the rules (rules.py), and a leaf value from runs of stones.

A run is two or three adjacent stones of one side in a line, in any of the four directions. The leaf value is F(own) -
F(opponent), where F is the weighted number of runs. A set of cells "moved by k" in a direction is the set of all cells
from which k steps in that direction lead to a cell of the set. Kernels count rows from the bottom.
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


# A run of three needs one more stone to become a four, and a run of two needs two more. So a three counts more than two
# or three twos. The unit is a quarter of a two, so that the engine's preference for the centre can be smaller than a
# run.
TWO_WEIGHT = 4
THREE_WEIGHT = 40


@kernel
def store(state, positions, offset):
    """Write a state to uint16[80] at positions[offset:], in the form that load_root reads."""
    own, opponent, floor, _, forbidden, board = state
    store_lanes(positions, offset + OWN_AT, own)
    store_lanes(positions, offset + OPPONENT_AT, opponent)
    store_lanes(positions, offset + FLOOR_AT, floor)
    store_lanes(positions, offset + FORBIDDEN_AT, forbidden)
    store_lanes(positions, offset + BOARD_AT, board)


@kernel
def list_moves(state, control, moves, offset):
    """Write the columns that are not full to moves[offset:], in the order in which control[ORDER:] has them.

    Returns their number.
    """
    legal = nonzero_lanes(state[2])
    count = 0
    for place in range(control[ORDER_LENGTH]):
        column = control[ORDER + place]
        moves[offset + count] = column  # if `column` is not legal, the next column overwrites it
        count += (legal >> column) & 1
    return count


@kernel
def can_win(state):
    """Returns whether the side to move can complete a four."""
    return overlap(winning_cells(state[0]), state[2])


@kernel
def soon_cells(floor, free):
    """Returns the free cells that stones can reach soon: the floor of each column and the two cells above it.

    Two cells above count, because after one stone of each side even the upper one is playable, so that both sides can
    still plan for it. `free` are the free cells without the forbidden one.
    """
    return (floor | up(floor, 1) | up(floor, 2)) & free


@kernel
def run_value(stones):
    """Returns F of a side's stones. All runs count, whatever lies at their ends.

    A run of three contains two runs of two.
    """
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
    """Returns how many ends of `runs` can be reached soon.

    If the two ends of a run are not both free, none of its ends counts. A run is the cell at its beginning.
    `free_before` has the cells whose neighbour before is free, and `free_after` has the cells at which a run would have
    a free cell after its end. `soon_before` and `soon_after` are the same for cells that can be reached soon.
    """
    open_runs = runs & free_before & free_after
    return count_bits(open_runs & soon_before) + count_bits(open_runs & soon_after)


@kernel
def open_line_value(stones, stones1, stones2, free_before, free2, free3, soon_before, soon2, soon3):
    """Returns what the runs in one direction add to F.

    `stones1` and `stones2` are the stones moved by 1 and 2; `free_before`, `free2` and `free3` are the free cells moved
    by -1, 2 and 3. `soon_before`, `soon2` and `soon3` are the cells that can be reached soon, moved in the same way.
    """
    twos = stones & stones1
    return TWO_WEIGHT * soon_ends(twos, free_before, free2, soon_before, soon2) + THREE_WEIGHT * soon_ends(
        twos & stones2, free_before, free3, soon_before, soon3
    )


@kernel
def open_run_value(stones, free, soon):
    """Returns F of a side's stones. Only runs with both ends free count, once for each end that can be reached soon.

    The lower end of a vertical run is never free. So for a vertical run only its upper end counts, which can always be
    reached soon.
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
    """Returns F(own) - F(opponent) (int64). F is run_value if `open_runs_only` is 0, else open_run_value."""
    own, opponent, floor, _, forbidden, board = state
    if open_runs_only == 0:
        return run_value(own) - run_value(opponent)
    free = without(board, own | opponent | forbidden)
    soon = soon_cells(floor, free)
    return open_run_value(own, free, soon) - open_run_value(opponent, free, soon)


@kernel
def leaf_value(state, open_runs_only, ply):
    """Returns evaluate() of the state, or 0 if the board is full, which is a draw. `ply` is not used."""
    if nonzero_lanes(state[2]) == 0:
        return 0
    return evaluate(state, open_runs_only)
