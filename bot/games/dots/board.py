"""Where every edge of a dots-and-boxes board lies in two words, and how turns are numbered. Standard library only.

A board of R x C boxes (1..7 each) has (R + 1) x (C + 1) dots. Rows count from the top, columns from the left. The
horizontal edges are bits of one word, the vertical ones of another, a row every 8 bits:

    .--A--.--.     edge A joins dots (0, 0) and (0, 1): horizontal row 0, column 0: bit 0 of `horizontal`
    |  a  B  |     edge B joins dots (0, 1) and (1, 1): vertical row 0, column 1: bit 1 of `vertical`
    .--C--.--.     edge C: horizontal row 1, column 0: bit 8 of `horizontal`
                   box a is row 0, column 0: bit 0 of a word of boxes

so that the box of bit b has the edges horizontal b (above), b + 8 (below), vertical b (left) and b + 1 (right).

Edge number: 8 * row + column of a horizontal edge, 64 more of a vertical one; 0..127. As one Python integer a set of
edges is horizontal | vertical << 64.

A turn is the edges that a side draws until the other is to move (or the game is over): all but the last complete a
box. As the bot's move it is one integer of seven bits an edge, the first edge lowest, and a 1 above the last one.
"""

SMALLEST, LARGEST = 1, 7  # boxes in a row, and rows of them
DEFAULT_SIZE = (5, 5)  # rows, columns
ROW_BITS = 8
VERTICAL = 64  # what a vertical edge's number has above its bit in `vertical`
EDGE_BITS = 7  # of an edge in a turn

# What alpha-beta's leaves are worth (alphabeta.py), by the names that the settings have for it.
EVALUATIONS = ("boxes", "chains")
BOXES, CHAINS = range(len(EVALUATIONS))


def boxes_mask(rows, columns):
    """The word of all boxes of a board."""
    return _block(rows, columns)


def horizontal_mask(rows, columns):
    """The word of all horizontal edges of a board."""
    return _block(rows + 1, columns)


def vertical_mask(rows, columns):
    """The word of all vertical edges of a board."""
    return _block(rows, columns + 1)


def _block(rows, columns):
    line = (1 << columns) - 1
    return sum(line << ROW_BITS * row for row in range(rows))


def edge_count(rows, columns):
    """How many edges a board has."""
    return (rows + 1) * columns + rows * (columns + 1)


def turn_of(edges):
    """The bot's move for edges drawn in that order; at least one."""
    move = 1
    for edge in reversed(edges):
        move = move << EDGE_BITS | edge
    return move


def edges_of(turn):
    """The edges of a turn in their order."""
    edges = []
    while turn > 1:
        edges.append(turn & (1 << EDGE_BITS) - 1)
        turn >>= EDGE_BITS
    return edges
