"""Board geometry shared by the kernels and the plain rules. Standard library only.

Boards are square, of any size from 4 to 10. Row 0 is on top, as on the wire. A set of cells is one integer, with 16
bits for each row:

    row 0 |   0   1   2 ..   9        bit of cell (row, column) = 16 * row + column, the cell's number
    row 1 |  16  17  18 ..  25        the same integer as 32 little-endian bytes is the kernels'
      ..  |                           uint16[16], one lane a row (kernels/lanes.py)
    row 9 | 144 145 146 .. 153
     column   0   1   2 ..   9

Columns 10..15 and rows 10..15 are always empty. So a row that is shifted by up to six bits does not reach the next row.
"""

MIN_SIZE = 4
MAX_SIZE = 10
ROW_BITS = 16
ROW = (1 << ROW_BITS) - 1
CELLS_BYTES = 32

# The move of a side that can place no disc.
PASS = -1

# The kinds of leaf value of alpha-beta (alphabeta.py), by their names in the settings.
EVALUATIONS = ("discs", "stable", "mobility", "restricting", "combined")
DISCS, STABLE, MOBILITY, RESTRICTING, COMBINED = range(len(EVALUATIONS))


def number_of(row, column):
    """Returns the number of the cell (`row`, `column`)."""
    return ROW_BITS * row + column


def cell(row, column):
    """Returns the set that contains only the cell (`row`, `column`)."""
    return 1 << number_of(row, column)


def board_cells(size):
    """Returns the set of all cells of a board with `size` rows and columns."""
    return sum(((1 << size) - 1) << (ROW_BITS * row) for row in range(size))
