"""Positions of dots and boxes for tests of searches: drawn ones, and boards of nothing but chains."""

from bot.games.dots.notation import edges_named
from bot.games.dots.plain import Position, start_position, taking


def drawn_position(generator, rows, columns, free):
    """A position after random edges, with at least so many free ones."""
    position = start_position(rows, columns)
    for _ in range(position.free_edges() - free):
        position, _ = position.draw(generator.choice(position.legal_edges()))
    return position


def cost(position, edge):
    """Boxes that drawing an edge gives away."""
    position, _ = position.draw(edge)
    left = position.boxes_left()
    return left - taking(position)[1].boxes_left()


def nested(rows, columns, without=()):
    """A board of chains alone: of 1, 3, 5 .. boxes round the left upper corner, from border to border, and for each
    column beyond the rows one from top to bottom. without: of these, counted from the corner, that are complete.
    """
    horizontal = vertical = 0
    for number in set(range(columns)) - set(without):
        for row in range(rows):
            for column in range(columns):
                if number >= rows and column == number or number < rows and max(row, column) == number:
                    if column == number:  # a part that runs up and down
                        horizontal |= 1 << 8 * row + column
                        if number >= rows or row < number:
                            horizontal |= 1 << 8 * (row + 1) + column
                    if row == number < rows:  # a part that runs from the left
                        vertical |= 1 << 8 * row + column
    start = start_position(rows, columns)
    return Position(rows, columns, start.free() & ~(horizontal | vertical << 64), 0)


def opened(position, name):
    """The same board with one edge more, margin as it was."""
    return Position(position.rows, position.columns, position.edges | 1 << edges_named(name)[0], position.margin)
