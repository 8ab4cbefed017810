"""Lines of four as sets of cells: who has one, who can still get one, and which cells the game can still reach.

A line is named by its end: the rightmost of its four cells, of a vertical line the uppermost.
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import above_lowest, down, filled_lanes, nonzero_lanes, sideways, up, without


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
