"""Board geometry shared by the kernels and the plain rules. Standard library only.

Kernels count rows from the bottom. A set of cells is one integer, 16 bits a column:

    row 11 | 11  27  43 .. 187        bit of cell (row, column) = 16 * column + row
      ..   |
    row  1 |  1  17  33 .. 177        the same number as 32 little-endian bytes is the kernels'
    row  0 |  0  16  32 .. 176        uint16[16], one lane a column (kernels/lanes.py)
    column    0   1   2 ..  11

Rows 12..15 of a column and columns 12..15 are always empty: they keep shifted copies of one column out of
the next.
"""

MAX_ROWS = 12
MAX_COLUMNS = 12
MIN_SIZE = 4
COLUMN_BITS = 16
COLUMN = (1 << COLUMN_BITS) - 1
CELLS_BYTES = 32

# What a mover knows, as bits of a policy: used by rollouts and by the tree, each with its own.
TAKE_WINS = 1  # complete a four when that is possible
BLOCK = 2  # else occupy the one cell that completes the opponent's four
AVOID = 4  # do not play directly below a cell that completes the opponent's four
RESERVE = 8  # leave for later the columns whose next cell but one completes an own four
PAIRS = 16  # with TAKE_WINS: know that two own winning cells, one above the other, win from the cell below them
ALL_TACTICS = TAKE_WINS | BLOCK | AVOID | RESERVE | PAIRS


def cell(row, column):
    """The set of that one cell; row counts from the bottom."""
    return 1 << (COLUMN_BITS * column + row)


def board_cells(rows, columns):
    """All cells of a board of that size, a forbidden one included."""
    return sum(((1 << rows) - 1) << (COLUMN_BITS * column) for column in range(columns))
