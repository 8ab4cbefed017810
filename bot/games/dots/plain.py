"""The rules of dots and boxes and a small search on Python integers: the guard's own knowledge and the last fallback.

Standard library only, Python 3.8 syntax, quick to import. Sets of edges are integers as board.py draws them,
horizontal | vertical << 64; tests hold the rules to the kernels and to the judge.
"""

import time

from bot.search.engine import Decision

from .board import ROW_BITS, VERTICAL, boxes_mask, edges_of, horizontal_mask, turn_of, vertical_mask

_WORD = (1 << VERTICAL) - 1
_WORD_BYTES = 8
# Boxes that are handed over by the middle edge of a chain of two: the taker cannot leave them for a double-cross.
_SHORT = 2
# Of boxes that can be taken, how many a double-cross leaves.
_LEFT_OF_CHAIN, _LEFT_OF_LOOP = 2, 4
_DEEPEST = 60
_FAR = 1000


class _OutOfTime(Exception):
    pass


class Position:
    """One position, seen by the side to move; never changed after it is made.

    rows, columns: of boxes; edges: the set of those drawn; margin: boxes of the side to move less the other's.
    """

    __slots__ = ("rows", "columns", "edges", "margin")

    def __init__(self, rows, columns, edges, margin):
        self.rows, self.columns, self.edges, self.margin = rows, columns, edges, margin

    def __eq__(self, other):
        return isinstance(other, Position) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def key(self):
        """Everything that makes two positions the same."""
        return self.rows, self.columns, self.edges, self.margin

    def free(self):
        """The set of edges that are not drawn."""
        return all_edges(self.rows, self.columns) & ~self.edges

    def free_edges(self):
        """How many edges are not drawn."""
        return count(self.free())

    def plies(self):
        """How many edges are drawn."""
        return count(self.edges)

    def boxes_left(self):
        """How many boxes nobody has."""
        boxes = boxes_mask(self.rows, self.columns)
        return count(boxes & ~complete(self.edges, boxes))

    def is_over(self):
        """Whether every edge is drawn."""
        return not self.free()

    def legal_edges(self):
        """Numbers of the free edges, ascending."""
        return numbers_of(self.free())

    def draw(self, edge):
        """(the position after one edge, how many boxes it completed), seen by who is to move then: whoever completed a
        box, as at the game's end too. ValueError for an edge that is drawn already or off the board.
        """
        if not 0 <= edge < 2 * VERTICAL or not self.free() >> edge & 1:
            raise ValueError(f"edge {edge} is not free")
        boxes = boxes_mask(self.rows, self.columns)
        edges = self.edges | 1 << edge
        captured = count(complete(edges, boxes) & ~complete(self.edges, boxes))
        margin = self.margin + captured if captured else -self.margin
        return Position(self.rows, self.columns, edges, margin), captured

    def allows(self, turn):
        """Whether the side to move may draw the edges of that turn: all but the last complete a box, and the last one
        does so only if it is the last of the board.
        """
        return self._after(turn) is not None

    def play(self, turn):
        """The position after a whole turn, seen by the other side. ValueError for anything not legal."""
        position = self._after(turn)
        if position is None:
            raise ValueError(f"{turn!r} is no legal turn")
        return position

    def _after(self, turn):
        """The position after a turn, None where it is not legal."""
        position, captured = self, 1
        for edge in edges_of(turn):
            if not captured or not position.free() >> edge & 1:
                return None
            position, captured = position.draw(edge)
        if position is self or captured and not position.is_over():
            return None
        # At the end of the game the last edge has left the move with the side that drew it.
        return position if not captured else Position(self.rows, self.columns, position.edges, -position.margin)

    def legal_moves(self):
        """Turns, one for every free edge, which begins it: while a box is completed the lowest edge that completes one
        follows, or the lowest one that gives none away, or the lowest one. Few of the legal turns; `allows` has all.
        """
        turns = []
        for edge in self.legal_edges():
            position, captured = self.draw(edge)
            drawn = [edge]
            while captured and not position.is_over():
                edge = lowest(takeable(position) or safe_edges(position) or position.free())
                position, captured = position.draw(edge)
                drawn.append(edge)
            turns.append(turn_of(drawn))
        return turns

    def to_bytes(self):
        """The form in which kernels load it, turns.load_root's uint16[24]: six little-endian words of 64 bits,
        horizontal, vertical, margin (signed), horizontal_mask, vertical_mask, boxes_mask.
        """
        words = (
            self.edges & _WORD,
            self.edges >> VERTICAL,
            self.margin & _WORD,
            horizontal_mask(self.rows, self.columns),
            vertical_mask(self.rows, self.columns),
            boxes_mask(self.rows, self.columns),
        )
        return b"".join(word.to_bytes(_WORD_BYTES, "little") for word in words)


def start_position(rows, columns):
    """No edge is drawn."""
    return Position(rows, columns, 0, 0)


def all_edges(rows, columns):
    """The set of a board's edges."""
    return horizontal_mask(rows, columns) | vertical_mask(rows, columns) << VERTICAL


def complete(edges, boxes):
    """The boxes of that word of which all four edges are drawn."""
    horizontal, vertical = edges & _WORD, edges >> VERTICAL
    return horizontal & horizontal >> ROW_BITS & vertical & vertical >> 1 & boxes


def by_edges_drawn(edges, boxes):
    """(boxes with two, boxes with three): of that word, those of which so many edges are drawn."""
    above, left = edges & _WORD, edges >> VERTICAL
    below, right = above >> ROW_BITS, left >> 1
    one_across, both_across = above ^ below, above & below
    one_beside, both_beside = left ^ right, left & right
    three = both_across & one_beside | both_beside & one_across
    two = both_across & ~(left | right) | both_beside & ~(above | below) | one_across & one_beside
    return two & boxes, three & boxes


def edges_around(boxes):
    """Every edge of some of these boxes."""
    return boxes | boxes << ROW_BITS | (boxes | boxes << 1) << VERTICAL


def takeable(position):
    """The set of edges that complete a box."""
    _, three = by_edges_drawn(position.edges, boxes_mask(position.rows, position.columns))
    return edges_around(three) & ~position.edges


def safe_edges(position):
    """The set of free edges that neither complete a box nor leave one to be completed."""
    two, three = by_edges_drawn(position.edges, boxes_mask(position.rows, position.columns))
    return position.free() & ~edges_around(two | three)


def after_taking(edges, boxes):
    """The edges once all that can be completed one after another is."""
    _, three = by_edges_drawn(edges, boxes)
    while three:
        edges |= edges_around(three)
        _, three = by_edges_drawn(edges, boxes)
    return edges


def openings(position):
    """[(boxes that it gives away, edge)] for one edge of each chain, the cheapest first, where nothing can be taken.

    Of a chain of two boxes the edge is the middle one: drawn elsewhere, it lets the other side keep the move.
    """
    boxes = boxes_mask(position.rows, position.columns)
    owned = count(complete(position.edges, boxes))
    found = {}
    for edge in numbers_of(position.free() & ~safe_edges(position)):
        edges = position.edges | 1 << edge
        _, three = by_edges_drawn(edges, boxes)
        taken = complete(after_taking(edges, boxes), boxes)
        cost = count(taken) - owned
        rank = (cost, -count(three) if cost == _SHORT else 0, edge)
        found[taken] = min(rank, found.get(taken, rank))
    return [(cost, edge) for cost, _, edge in sorted(found.values())]


def taking(position):
    """(edges that complete boxes, in order, until no more can be completed; the position after them)."""
    drawn = []
    while takeable(position):
        drawn.append(lowest(takeable(position)))
        position, _ = position.draw(drawn[-1])
    return drawn, position


def safe_move(position):
    """A sensible turn at once: all that is free, then an edge that gives nothing away, else what costs least.

    The game must not be over.
    """
    drawn, position = taking(position)
    if not position.is_over():
        safe = safe_edges(position)
        drawn.append(lowest(safe) if safe else openings(position)[0][1])
    return turn_of(drawn)


def lowest(edges):
    """The lowest number in a set that is not empty."""
    return (edges & -edges).bit_length() - 1


def numbers_of(edges):
    """Numbers of the edges in a set, ascending."""
    numbers = []
    while edges:
        numbers.append(lowest(edges))
        edges &= edges - 1
    return numbers


def count(bits):
    """How many members a set has."""
    return bin(bits).count("1")


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
