"""A small search of dots and boxes on Python integers: what plays while there is nothing compiled, or nothing can be.

Standard library only, Python 3.8 syntax, quick to import.
"""

import time

from bot.search.engine import Decision

from .plain import (
    after_taking,
    by_edges_drawn,
    complete,
    count,
    edges_around,
    lowest,
    numbers_of,
    openings,
    safe_edges,
    safe_move,
    takeable,
    taking,
)
from .rules.board import ROW_BITS, VERTICAL, boxes_mask, turn_of

_LEFT_OF_CHAIN, _LEFT_OF_LOOP = 2, 4
_DEEPEST = 60
_FAR = 1000


class _OutOfTime(Exception):
    pass


class PlainSearch:
    """Alpha-beta one turn deeper and deeper, some thousand times slower than the kernels; it needs nothing compiled."""

    def __init__(self, seed):
        """seed: taken for the interface's sake; nothing here is left to chance."""
        self._nodes = 0

    def think(self, position, deadline, clock=time.monotonic):
        """The Decision after searching until `deadline` (seconds of `clock`); the game must not be over.

        value: the margin that the search expects, as a share of all boxes; proven where no box left changes who wins.
        """
        started = clock()
        self._nodes = 0
        best, value, depth = safe_move(position), 0, 0
        turns = worthwhile_turns(position)
        turns.sort(key=lambda turn: turn != best)
        try:
            while len(turns) > 1 and depth < min(position.free_edges(), _DEEPEST):
                value, best = self._best_of(position, turns, depth, deadline, clock)
                depth += 1
                turns.sort(key=lambda turn: turn != best)
        except _OutOfTime:
            pass
        shown = value / (position.rows * position.columns)
        proven = None
        if abs(position.margin) > position.boxes_left():
            proven = "win" if position.margin > 0 else "loss"
        return Decision(best, shown, proven, proven and "tactics", [best], self._nodes, depth, 0, clock() - started)

    def _best_of(self, position, turns, depth, deadline, clock):
        """(value, turn) of the best turn of the root, `depth` more turns looked at after each."""
        best_value, best_turn = -_FAR, None
        for turn in turns:
            value = -self._value(position.play(turn), depth, -_FAR, -best_value, deadline, clock)
            if value > best_value:
                best_value, best_turn = value, turn
        return best_value, best_turn

    def _value(self, position, depth, alpha, beta, deadline, clock):
        """The margin that the side to move can reach; raises _OutOfTime."""
        self._nodes += 1
        if clock() >= deadline:
            raise _OutOfTime
        if depth == 0 or position.is_over():
            boxes = boxes_mask(position.rows, position.columns)
            taken = complete(after_taking(position.edges, boxes), boxes) & ~complete(position.edges, boxes)
            return position.margin + count(taken)
        for turn in worthwhile_turns(position):
            value = -self._value(position.play(turn), depth - 1, -beta, -alpha, deadline, clock)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return alpha


def worthwhile_turns(position):
    """The turns that a game which is not over is searched with: others are no better.

    What can be taken is; then comes each edge that gives nothing away, and one edge of each chain; or the last boxes
    that can be taken are left to the other side.
    """
    drawn, quiet = taking(position)
    if quiet.is_over():
        turns = [turn_of(drawn)]
    else:
        ends = numbers_of(safe_edges(quiet)) + [edge for _, edge in openings(quiet)]
        turns = [turn_of([*drawn, edge]) for edge in ends]
    left = double_cross(position)
    return turns + [turn_of(left)] if left else turns


def double_cross(position):
    """The edges of a turn that leaves two boxes of a chain to the other side, or four of a loop; [] without one."""
    boxes = boxes_mask(position.rows, position.columns)
    for end in numbers_of(by_edges_drawn(position.edges, boxes)[1]):
        trial, drawn = position, []
        while takeable(trial):
            elsewhere = takeable(trial) & edges_around(by_edges_drawn(trial.edges, boxes)[1] & ~chain_of(trial, end))
            closing = None if elsewhere else closing_edge(trial)
            if closing is not None:
                return [*drawn, closing]
            drawn.append(lowest(elsewhere or takeable(trial)))
            trial, _ = trial.draw(drawn[-1])
    return []


def chain_of(position, end):
    """The boxes that can be taken together with the box `end`, which has three edges; every box once it has four."""
    boxes = boxes_mask(position.rows, position.columns)
    two, three = by_edges_drawn(position.edges, boxes)
    if not three >> end & 1:
        return boxes
    free, chain, found = position.free(), 0, 1 << end
    across, beside = free & (1 << VERTICAL) - 1, free >> VERTICAL
    while found != chain:
        chain = found
        found |= (
            chain << ROW_BITS & across | (chain & across) >> ROW_BITS | chain << 1 & beside | (chain & beside) >> 1
        ) & (two | three)
    return chain


def closing_edge(position):
    """The edge that leaves all that is takeable so that each further edge takes two boxes; None where there is none."""
    boxes = boxes_mask(position.rows, position.columns)
    owned = count(complete(position.edges, boxes))
    total = count(complete(after_taking(position.edges, boxes), boxes)) - owned
    if total not in (_LEFT_OF_CHAIN, _LEFT_OF_LOOP):
        return None
    two, three = by_edges_drawn(position.edges, boxes)
    if count(three) > count(takeable(position)):
        return None  # two boxes are left to be taken at once already
    for edge in numbers_of(position.free() & edges_around(two) & ~takeable(position)):
        after, _ = position.draw(edge)
        _, three = by_edges_drawn(after.edges, boxes)
        reached = count(complete(after_taking(after.edges, boxes), boxes)) - owned
        if reached == count(three) == 2 * count(takeable(after)) == total:
            return edge
    return None
