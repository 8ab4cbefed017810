"""The values of all positions that can still come up on a board of dots and boxes, by trying everything; for tests.

A position is a set of drawn edges among those that are free at first, so that 2**n values are found one from another,
the full board first: one edge at a time, nothing is known of chains, turns or symmetries.
"""

import numpy as np
from numba import njit

from bot.games.dots.board import ROW_BITS, VERTICAL, boxes_mask
from bot.games.dots.plain import numbers_of


@njit
def _fill(values, edges, boxes):
    """values: int8[2**edges], written; boxes: uint32[k], of every box that is not complete its free edges."""
    full = len(values) - 1
    values[full] = 0
    for drawn in range(full - 1, -1, -1):
        best = -100
        for edge in range(edges):
            bit = 1 << edge
            if drawn & bit:
                continue
            after = drawn | bit
            completed = 0
            for box in boxes:
                if box & bit and box & after == box:
                    completed += 1
            value = completed + values[after] if completed else -values[after]
            best = max(best, value)
        values[drawn] = best


class EveryPosition:
    """Net boxes for the side to move of a position with at most 24 free edges, and of all that may follow it.

    position: that one; free: its free edges."""

    def __init__(self, position):
        self.position = position
        self.free = position.legal_edges()
        place = {edge: number for number, edge in enumerate(self.free)}
        boxes = []
        for box in numbers_of(boxes_mask(position.rows, position.columns)):
            around = (box, box + ROW_BITS, VERTICAL + box, VERTICAL + box + 1)
            free = sum(1 << place[edge] for edge in around if edge in place)
            if free:
                boxes.append(free)
        self._values = np.zeros(1 << len(self.free), np.int8)
        _fill(self._values, len(self.free), np.array(boxes, np.int64))

    def value(self, position):
        """Of a position that follows."""
        drawn = sum(1 << number for number, edge in enumerate(self.free) if position.edges >> edge & 1)
        return int(self._values[drawn])

    def turn_value(self, position, turn):
        """What a whole turn is worth for who plays it."""
        after = position.play(turn)
        return -after.margin - position.margin - self.value(after)
