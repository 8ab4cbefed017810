"""Dots and boxes by trying everything, and positions to try it on: slow, and written apart from the bot's rules."""

import random

from bot.games.dots.board import ROW_BITS, VERTICAL
from bot.games.dots.plain import numbers_of, safe_edges, start_position

TINY_VALUES = {(1, 1): -1, (1, 2): 0, (2, 1): 0, (1, 3): -1, (1, 4): 0, (2, 2): 2}
SMALL_VALUES = {**TINY_VALUES, (1, 5): -1, (2, 3): -2}


def box_edges(row, column):
    """The numbers of a box's four edges."""
    number = ROW_BITS * row + column
    return {number, number + ROW_BITS, VERTICAL + number, VERTICAL + number + 1}


def boxes_completed(rows, columns, drawn, edge):
    """How many boxes the edge completes beside a set of drawn ones."""
    return sum(
        edge in box and box <= drawn | {edge}
        for box in (box_edges(row, column) for row in range(rows) for column in range(columns))
    )


class Exact:
    """Margins under the best play of both, edge by edge."""

    def __init__(self):
        self._known = {}

    def rest(self, position):
        """Boxes still to be won net by the side to move."""
        key = position.rows, position.columns, position.edges
        if key not in self._known:
            self._known[key] = max((self._gain(position, edge) for edge in position.legal_edges()), default=0)
        return self._known[key]

    def _gain(self, position, edge):
        after, captured = position.draw(edge)
        return captured + self.rest(after) if captured else -self.rest(after)

    def value(self, position):
        """The final margin for the side to move."""
        return position.margin + self.rest(position)

    def value_after(self, position, turn):
        """The final margin for the side that plays that turn."""
        return -self.value(position.play(turn))


def drawn_position(generator, size, free, safely=False):
    """A random position with so many free edges; safely: edges that give nothing away first, while there are some."""
    position = start_position(*size)
    while position.free_edges() > free:
        edges = safely and numbers_of(safe_edges(position)) or position.legal_edges()
        position, _ = position.draw(generator.choice(edges))
    return position


def drawn_size(generator, smallest=1, largest=7):
    return generator.randint(smallest, largest), generator.randint(smallest, largest)


def drawn(seed, least_free=1, largest=7):
    """A position of some size with at least so many free edges, or as many as there are."""
    generator = random.Random(seed)
    size = drawn_size(generator, largest=largest)
    edges = start_position(*size).free_edges()
    return drawn_position(generator, size, generator.randint(min(least_free, edges), edges), generator.random() < 0.5)


def all_turns(position, begun=()):
    """Every legal turn, as tuples of edges."""
    for edge in position.legal_edges():
        after, captured = position.draw(edge)
        if captured and not after.is_over():
            yield from all_turns(after, (*begun, edge))
        else:
            yield (*begun, edge)
