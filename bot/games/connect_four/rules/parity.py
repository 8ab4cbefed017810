"""Whose cells are whose when one side only ever follows up.

On a full board every cell is somebody's. When an even number of cells is free, the side that is *not* to move
(the follower) always has an answer ready: where a column has an even number of free cells, the cell above the one
just taken; where it has an odd number, and such columns come in pairs, the lowest free cell of the partner column,
after which both are even. So the follower gets, whatever the mover does, every second free cell of a column, and
the mover at most the others and all lowest cells of the odd columns. The rule is claimeven with baseinverse of
Allis 1988 ("A Knowledge-based Approach of Connect-Four"), counted in free cells so that a forbidden cell is no
exception. What follows from it: zugzwang.py.
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import blend, top_bit_lanes, up


@kernel
def counted_parity(free):
    """The cells up to which, they included, an odd number of their column's cells is free."""
    counted = free ^ up(free, 1)
    counted = counted ^ up(counted, 2)
    counted = counted ^ up(counted, 4)
    return counted ^ up(counted, 8)


@kernel
def odd_columns(free):
    """All ones in the lanes with an odd number of free cells."""
    return top_bit_lanes(counted_parity(free))


@kernel
def split_cells(free, floor):
    """(mover's, follower's): which of the free cells, an even number, each side gets where the follower only follows.

    The mover's are those it may get at most, the follower's those it is sure of.
    """
    counted = counted_parity(free)
    first_of_pairs = free & counted
    mover_cells = blend(top_bit_lanes(counted), (free ^ first_of_pairs) | floor, first_of_pairs)
    return mover_cells, free ^ mover_cells
