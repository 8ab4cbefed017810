"""Lines of four as sets of cells: who has one, who can still get one, and which cells the game can still reach."""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import down, overlap, sideways, up, without


@kernel
def has_four(stones):
    """Whether four of the stones are in line."""
    vertical = stones & up(stones, 1)
    horizontal = stones & sideways(stones, 1)
    rising = stones & sideways(up(stones, 1), 1)
    falling = stones & sideways(down(stones, 1), 1)
    return (
        overlap(vertical, up(vertical, 2))
        or overlap(horizontal, sideways(horizontal, 2))
        or overlap(rising, sideways(up(rising, 2), 2))
        or overlap(falling, sideways(down(falling, 2), 2))
    )


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
    above = up(last, 1)
    above = above | up(above, 1)
    above = above | up(above, 2)
    above = above | up(above, 4)
    return without(free, above | up(above, 8))
