"""Board geometry shared by the kernels and the plain rules. Standard library only.

Kernels count rows from the bottom. A set of cells is one integer, with 16 bits for each column:

    row 11 | 11  27  43 .. 187        bit of cell (row, column) = 16 * column + row
      ..   |
    row  1 |  1  17  33 .. 177        the same number as 32 little-endian bytes is the kernels'
    row  0 |  0  16  32 .. 176        uint16[16], one lane a column (kernels/lanes.py)
    column    0   1   2 ..  11

Rows 12..15 of each column and columns 12..15 are always empty. So a column that is shifted by up to four bits does not
reach the next column.
"""

MAX_ROWS = 12
MAX_COLUMNS = 12
MIN_SIZE = 4
COLUMN_BITS = 16
COLUMN = (1 << COLUMN_BITS) - 1
CELLS_BYTES = 32

# The tactics that a side uses, as bits of a policy. Rollouts and the tree each have their own policy.
TAKE_WINS = 1  # complete a four when that is possible
BLOCK = 2  # else occupy the one cell that completes the opponent's four
AVOID = 4  # do not play directly below a cell that completes the opponent's four
RESERVE = 8  # play other columns before those in which the cell above the floor would complete an own four
PAIRS = 16  # with TAKE_WINS: play below two own winning cells that lie one above the other, which wins
ALL_TACTICS = TAKE_WINS | BLOCK | AVOID | RESERVE | PAIRS


def cell(row, column):
    """Returns the set that contains only the cell (`row`, `column`). `row` counts from the bottom."""
    return 1 << (COLUMN_BITS * column + row)


def board_cells(rows, columns):
    """Returns the set of all cells of a board with `rows` rows and `columns` columns. A forbidden cell is included."""
    return sum(((1 << rows) - 1) << (COLUMN_BITS * column) for column in range(columns))
