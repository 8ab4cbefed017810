"""How far a side has come with the lines of four through every cell. Kernels.

A line is open for a side while it has no cell of the opponent's, no forbidden one and none off the board.
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import down, sideways, up


@kernel
def begun(line, stones):
    """(lines, those of them with two stones or more) of one direction: four cells each, `line` and `stones` laid over
    each other cell by cell."""
    open0, open1, open2, open3 = line
    stone0, stone1, stone2, stone3 = stones
    is_open = open0 & open1 & open2 & open3
    pairs = (stone0 & stone1) | (stone2 & stone3) | ((stone0 | stone1) & (stone2 | stone3))
    return is_open, is_open & pairs


@kernel
def line_cells(open_cells, stones):
    """(every cell of an open line, every cell of one with two stones or more), occupied cells included.

    open_cells: all that the opponent does not hold, of the board and not forbidden.
    """
    start, begun_start = begun(
        (open_cells, down(open_cells, 1), down(open_cells, 2), down(open_cells, 3)),
        (stones, down(stones, 1), down(stones, 2), down(stones, 3)),
    )
    start, begun_start = start | up(start, 1), begun_start | up(begun_start, 1)
    cells, twos = start | up(start, 2), begun_start | up(begun_start, 2)

    open1, open2, open3 = sideways(open_cells, -1), sideways(open_cells, -2), sideways(open_cells, -3)
    stones1, stones2, stones3 = sideways(stones, -1), sideways(stones, -2), sideways(stones, -3)
    start, begun_start = begun((open_cells, open1, open2, open3), (stones, stones1, stones2, stones3))
    start, begun_start = start | sideways(start, 1), begun_start | sideways(begun_start, 1)
    cells, twos = cells | start | sideways(start, 2), twos | begun_start | sideways(begun_start, 2)

    start, begun_start = begun(
        (open_cells, down(open1, 1), down(open2, 2), down(open3, 3)),
        (stones, down(stones1, 1), down(stones2, 2), down(stones3, 3)),
    )
    start, begun_start = start | sideways(up(start, 1), 1), begun_start | sideways(up(begun_start, 1), 1)
    cells, twos = cells | start | sideways(up(start, 2), 2), twos | begun_start | sideways(up(begun_start, 2), 2)

    start, begun_start = begun(
        (open_cells, up(open1, 1), up(open2, 2), up(open3, 3)),
        (stones, up(stones1, 1), up(stones2, 2), up(stones3, 3)),
    )
    start, begun_start = start | sideways(down(start, 1), 1), begun_start | sideways(down(begun_start, 1), 1)
    return cells | start | sideways(down(start, 2), 2), twos | begun_start | sideways(down(begun_start, 2), 2)
