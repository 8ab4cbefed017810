"""Bounds without a search, for positions in which the side to move cannot win, or loses, because it runs out of moves.

On a full board every cell belongs to one side. When an even number of cells is free, the side that is *not* to move
(the follower) always has an answer. In a column with an even number of free cells the answer is the cell above the one
just taken. There is an even number of columns with an odd number of free cells, so they form pairs. In such a column
the answer is the lowest free cell of its partner, after which both columns are even. So whatever the side to move (the
mover) does, the follower gets every second free cell of a column. The mover gets at most the other cells, and all
lowest free cells of the odd columns. The rule is claimeven with baseinverse of Allis 1988 ("A Knowledge-based Approach
of Connect-Four"), counted in free cells so that a forbidden cell is no exception.

The follower only follows up and needs no plan of its own. The mover can only complete lines of four that consist of its
stones and the cells that it may get. Such a line is closed if the follower surely completes a line of its own sooner.
That is so if the mover's line has a cell above each cell that the follower's line still lacks. That is aftereven of
Allis 1988. A winning cell of the follower closes what lies above it.

A winning cell of the follower whose lower neighbour neither side wants to fill also decides who follows: the cells
without that neighbour and all above it have another parity (the odd threat of Allis 1988). The bounds are sound, but
they know no strategy that is cleverer than following.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    above_lowest,
    below_lowest,
    blend,
    count_bits,
    everywhere,
    filled_lanes,
    highest_in_lanes,
    lane_mask,
    lowest_in_lanes,
    nonzero_lanes,
    top_bit_lanes,
    up,
    without,
)
from bot.kernels.machine import lowest_bit

from .rules import any_line, falling_line, has_four, horizontal_line, line_ends, rising_line


@kernel
def counted_parity(free):
    """Returns the cells at or below which their column has an odd number of free cells. They may be off the board."""
    counted = free ^ up(free, 1)
    counted = counted ^ up(counted, 2)
    counted = counted ^ up(counted, 4)
    return counted ^ up(counted, 8)


@kernel
def odd_columns(free):
    """Returns lanes with all bits set in the columns that have an odd number of free cells, and none set elsewhere."""
    return top_bit_lanes(counted_parity(free))


@kernel
def split_cells(free, floor):
    """Returns (the mover's cells, the follower's cells): the free cells that each gets if the follower only follows up.

    The number of free cells must be even. The follower surely gets its cells. The mover gets at most the cells listed
    for it.
    """
    counted = counted_parity(free)
    first_of_pairs = free & counted
    mover_cells = blend(top_bit_lanes(counted), (free ^ first_of_pairs) | floor, first_of_pairs)
    return mover_cells, free ^ mover_cells


# Upper bounds in the solver's unit. UNBOUNDED is greater than any value.
UNBOUNDED = 1 << 10
CANNOT_WIN = 0
LOSES = -1

ALONE = 1  # stands for the second columns if only one column waits, so that the loop over second columns runs once


@kernel
def follow_up_bound(own, opponent, free, floor, reachable, threats, thorough):
    """Returns an upper bound for the side to move: LOSES, CANNOT_WIN, or UNBOUNDED.

    An even number of cells must be free. `reachable` must contain the free cells that may still be filled
    (rules.reachable_cells), and may contain others. `threats` are the opponent's winning cells among the free cells. If
    `thorough` is true, lines are also tested one by one for being closed.
    """
    mover_cells, follower_cells = split_cells(free, floor)
    mover_cells = mover_cells & reachable
    if not has_four(own | mover_cells):
        return LOSES if has_four(opponent | follower_cells) else CANNOT_WIN
    if comes_too_late(own, opponent, mover_cells, follower_cells, free, threats, thorough):
        return LOSES
    return UNBOUNDED


@kernel
def loses_by_zugzwang(own, opponent, free, floor, reachable, threats, thorough):
    """Returns whether the side to move loses because it has to fill the cell below a winning cell of the opponent.

    follow_up_bound describes the arguments. The columns with such a cell wait (see loses_if_they_wait): one column if
    an odd number of cells is free, two if the number is even. So the number of free cells without the waiting ones is
    even, and the opponent follows up in them.
    """
    waiting = lowest_in_lanes(without(threats, floor))
    below = below_lowest(waiting) & free
    unwanted = highest_in_lanes(below)
    left = without(below, unwanted)
    odd = nonzero_lanes(odd_columns(without(free, left)) & filled_lanes(waiting))
    two_wait = count_bits(free) & 1 == 0
    while odd != 0:
        first = lane_mask(lowest_bit(np.uint64(odd)))
        odd &= odd - 1
        seconds = odd if two_wait else ALONE
        while seconds != 0:
            second = lane_mask(lowest_bit(np.uint64(seconds)))
            seconds &= seconds - 1
            columns = first | second if two_wait else first
            if loses_if_they_wait(own, opponent, free, floor, reachable, threats, left, unwanted, columns, thorough):
                return True
    return False


@kernel
def loses_if_they_wait(own, opponent, free, floor, reachable, threats, left, unwanted, columns, thorough):
    """Returns whether the mover loses if the columns in `columns` (lanes) wait and the opponent only follows up.

    A column waits if both sides fill only its cells in `left` until all other columns are full. `unwanted` has the next
    cell of each column, which lies below a winning cell of the opponent. In the end the mover has to fill one of these
    cells, so they count as the mover's cells.
    """
    before = blend(columns, left, free)
    mover_cells, follower_cells = split_cells(before, floor)
    mover_cells = (mover_cells & reachable) | (unwanted & columns)
    return comes_too_late(own, opponent, mover_cells, follower_cells, before, threats, thorough)


@kernel
def comes_too_late(own, opponent, mover_cells, follower_cells, free, threats, thorough):
    """Returns whether all lines of the mover are closed.

    If `thorough` is false, only winning cells of the follower are used to close lines.
    """
    mover_cells = without(mover_cells, above_lowest(threats & follower_cells))
    if not has_four(own | mover_cells):
        return True
    if not thorough:
        return False
    hopes = line_ends(own | mover_cells)
    _, horizontal, rising, falling = line_ends(opponent | follower_cells)
    hopes = close_by_horizontal(own, mover_cells, free, horizontal, hopes)
    hopes = close_by_rising(own, mover_cells, free, rising, hopes)
    hopes = close_by_falling(own, mover_cells, free, falling, hopes)
    return not any_line(hopes)


def _make_close(line_with):
    @kernel
    def close(own, mover_cells, free, ends, hopes):
        """Returns the lines in `hopes`, lines of the mover, that no line of the follower with its end in `ends` closes.

        `hopes` and the result are ends of lines, as line_ends returns them.
        """
        while nonzero_lanes(ends) != 0 and any_line(hopes):
            end = lowest_in_lanes(ends & lane_mask(lowest_bit(np.uint64(nonzero_lanes(ends)))))
            ends = without(ends, end)
            hopes = left_open(own, mover_cells, line_with(end) & free, hopes)
        return hopes

    return close


@kernel
def left_open(own, mover_cells, lacking, hopes):
    """Returns the lines in `hopes`, lines of the mover, that one line of the follower does not close.

    `lacking` are the free cells of the follower's line, at most one in a column. A line of the mover stays open if
    there is a cell of `lacking` above which it has no cell. `hopes` and the result are ends of lines, as line_ends
    returns them.
    """
    above = above_lowest(lacking) & mover_cells
    columns = nonzero_lanes(lacking)
    if columns & ~nonzero_lanes(above):
        return hopes
    vertical, horizontal, rising, falling = everywhere(0), everywhere(0), everywhere(0), everywhere(0)
    while columns != 0:
        lane = lane_mask(lowest_bit(np.uint64(columns)))
        columns &= columns - 1
        ends = line_ends(own | without(mover_cells, above & lane))
        vertical, horizontal, rising, falling = (
            vertical | ends[0],
            horizontal | ends[1],
            rising | ends[2],
            falling | ends[3],
        )
    return hopes[0] & vertical, hopes[1] & horizontal, hopes[2] & rising, hopes[3] & falling


close_by_horizontal = _make_close(horizontal_line)
close_by_rising = _make_close(rising_line)
close_by_falling = _make_close(falling_line)
