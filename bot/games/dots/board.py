"""Where the edges of a dots-and-boxes board lie in two words, and how turns are numbered. Standard library only.

A board of R x C boxes (1..7 each) has (R + 1) x (C + 1) dots. Rows count from the top, columns from the left. The
horizontal edges are bits of one word, the vertical ones of another, with 8 bits for each row:

    .--A--.--.     edge A joins dots (0, 0) and (0, 1): horizontal row 0, column 0: bit 0 of `horizontal`
    |  a  B  |     edge B joins dots (0, 1) and (1, 1): vertical row 0, column 1: bit 1 of `vertical`
    .--C--.--.     edge C: horizontal row 1, column 0: bit 8 of `horizontal`
                   box a is row 0, column 0: bit 0 of a word of boxes

So the box of bit b has the edges horizontal b (above), b + 8 (below), vertical b (left) and b + 1 (right).

The number of an edge, 0..127, is 8 * row + column for a horizontal edge, and 64 more for a vertical one. As one Python
integer a set of edges is horizontal | vertical << 64.

A turn is the edges that a side draws until the other side is to move or the game is over. All its edges but the last
complete a box. The bot's move is such a turn as one integer: seven bits for each edge, the first edge in the lowest
bits, and a 1 above the last edge.
"""

SMALLEST, LARGEST = 1, 7  # the least and the greatest number of rows, and of columns, of boxes
DEFAULT_SIZE = (5, 5)  # rows, columns
ROW_BITS = 8
VERTICAL = 64  # a vertical edge's number is its bit number in `vertical` plus this
EDGE_BITS = 7  # bits of an edge in a turn

# The kinds of leaf value of alpha-beta (alphabeta.py), by their names in the settings.
EVALUATIONS = ("boxes", "chains")
BOXES, CHAINS = range(len(EVALUATIONS))


def boxes_mask(rows, columns):
    """Returns the word of all boxes of a board with `rows` x `columns` boxes."""
    return _block(rows, columns)


def horizontal_mask(rows, columns):
    """Returns the word of all horizontal edges of a board with `rows` x `columns` boxes."""
    return _block(rows + 1, columns)


def vertical_mask(rows, columns):
    """Returns the word of all vertical edges of a board with `rows` x `columns` boxes."""
    return _block(rows, columns + 1)


def _block(rows, columns):
    line = (1 << columns) - 1
    return sum(line << ROW_BITS * row for row in range(rows))


def edge_count(rows, columns):
    """Returns the number of edges of a board with `rows` x `columns` boxes."""
    return (rows + 1) * columns + rows * (columns + 1)


def turn_of(edges):
    """Returns the turn that draws `edges`, numbers of edges, in this order. There must be at least one edge."""
    move = 1
    for edge in reversed(edges):
        move = move << EDGE_BITS | edge
    return move


def edges_of(turn):
    """Returns the edges of a turn in the order in which they are drawn."""
    edges = []
    while turn > 1:
        edges.append(turn & (1 << EDGE_BITS) - 1)
        turn >>= EDGE_BITS
    return edges
