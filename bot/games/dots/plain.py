"""The rules of dots and boxes and a small search, on Python integers, for the guard and as the last fallback.

Standard library only, Python 3.8 syntax, quick to import. Sets of edges are integers as board.py shows them, horizontal
| vertical << 64. Tests compare these rules with the rules of the kernels and of the judge.
"""

import time

from bot.search.engine import Decision

from .board import ROW_BITS, VERTICAL, boxes_mask, edges_of, horizontal_mask, turn_of, vertical_mask

_WORD = (1 << VERTICAL) - 1
_WORD_BYTES = 8
# A chain of so many boxes is opened by its middle edge, so that the other side cannot leave the boxes by a
# double-cross.
_SHORT = 2
# How many takeable boxes a double-cross leaves to the other side.
_LEFT_OF_CHAIN, _LEFT_OF_LOOP = 2, 4
_DEEPEST = 60
_FAR = 1000


class _OutOfTime(Exception):
    pass


class Position:
    """A position, seen by the side to move; immutable.

    `rows` and `columns` count boxes. `edges` is the set of drawn edges. `margin` is the number of boxes of the side to
    move less the number of boxes of the other side.
    """

    __slots__ = ("rows", "columns", "edges", "margin")

    def __init__(self, rows, columns, edges, margin):
        self.rows, self.columns, self.edges, self.margin = rows, columns, edges, margin

    def __eq__(self, other):
        return isinstance(other, Position) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def key(self):
        """Returns a tuple that is equal for equal positions and different for different ones."""
        return self.rows, self.columns, self.edges, self.margin

    def free(self):
        """Returns the set of edges that are not drawn."""
        return all_edges(self.rows, self.columns) & ~self.edges

    def free_edges(self):
        """Returns how many edges are not drawn."""
        return count(self.free())

    def plies(self):
        """Returns how many edges are drawn."""
        return count(self.edges)

    def boxes_left(self):
        """Returns how many boxes are not complete."""
        boxes = boxes_mask(self.rows, self.columns)
        return count(boxes & ~complete(self.edges, boxes))

    def is_over(self):
        """Returns whether every edge is drawn."""
        return not self.free()

    def legal_edges(self):
        """Returns the numbers of the free edges, in ascending order."""
        return numbers_of(self.free())

    def draw(self, edge):
        """Draw one edge. Returns (the position after it, seen by the side to move then; the number of boxes completed).

        The side that completes a box is to move again, also at the end of the game. Raises ValueError for an edge that
        is drawn already or off the board.
        """
        if not 0 <= edge < 2 * VERTICAL or not self.free() >> edge & 1:
            raise ValueError(f"edge {edge} is not free")
        boxes = boxes_mask(self.rows, self.columns)
        edges = self.edges | 1 << edge
        captured = count(complete(edges, boxes) & ~complete(self.edges, boxes))
        margin = self.margin + captured if captured else -self.margin
        return Position(self.rows, self.columns, edges, margin), captured

    def allows(self, turn):
        """Returns whether the side to move may draw the edges of `turn`.

        All its edges but the last must complete a box. The last edge must complete none, unless it is the last free
        edge of the board.
        """
        return self._after(turn) is not None

    def play(self, turn):
        """Returns the position after a whole turn, seen by the other side. Raises ValueError for an illegal turn."""
        position = self._after(turn)
        if position is None:
            raise ValueError(f"{turn!r} is no legal turn")
        return position

    def _after(self, turn):
        """Returns the position after a turn, or None if the turn is illegal."""
        position, captured = self, 1
        for edge in edges_of(turn):
            if not captured or not position.free() >> edge & 1:
                return None
            position, captured = position.draw(edge)
        if position is self or captured and not position.is_over():
            return None
        # If the last edge of the game completes a box, draw() leaves the move with the side that drew it.
        return position if not captured else Position(self.rows, self.columns, position.edges, -position.margin)

    def legal_moves(self):
        """Returns a list of legal turns: for every free edge, one turn that begins with this edge.

        `allows` accepts all legal turns. As long as an edge completes a box, the turn goes on. The next edge is the
        lowest one that completes a box. If there is none, it is the lowest edge that gives no box away, or else the
        lowest free edge.
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
        """Returns the position in the form in which kernels load it: the uint16[24] of rules.load_root.

        The form is six little-endian words of 64 bits: horizontal, vertical, margin (signed), horizontal_mask,
        vertical_mask and boxes_mask.
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
    """Returns the position of a board with `rows` x `columns` boxes on which no edge is drawn."""
    return Position(rows, columns, 0, 0)


def all_edges(rows, columns):
    """Returns the set of all edges of a board with `rows` x `columns` boxes."""
    return horizontal_mask(rows, columns) | vertical_mask(rows, columns) << VERTICAL


def complete(edges, boxes):
    """Returns the boxes in the set `boxes` that have all four edges in the set `edges`."""
    horizontal, vertical = edges & _WORD, edges >> VERTICAL
    return horizontal & horizontal >> ROW_BITS & vertical & vertical >> 1 & boxes


def by_edges_drawn(edges, boxes):
    """Returns two sets: the boxes in `boxes` with two edges in `edges`, and the boxes in `boxes` with three."""
    above, left = edges & _WORD, edges >> VERTICAL
    below, right = above >> ROW_BITS, left >> 1
    one_across, both_across = above ^ below, above & below
    one_beside, both_beside = left ^ right, left & right
    three = both_across & one_beside | both_beside & one_across
    two = both_across & ~(left | right) | both_beside & ~(above | below) | one_across & one_beside
    return two & boxes, three & boxes


def edges_around(boxes):
    """Returns the set of all edges of the boxes in the set `boxes`."""
    return boxes | boxes << ROW_BITS | (boxes | boxes << 1) << VERTICAL


def takeable(position):
    """Returns the set of edges that complete a box."""
    _, three = by_edges_drawn(position.edges, boxes_mask(position.rows, position.columns))
    return edges_around(three) & ~position.edges


def safe_edges(position):
    """Returns the set of the safe edges: free edges after which no box has three edges, and which complete no box."""
    two, three = by_edges_drawn(position.edges, boxes_mask(position.rows, position.columns))
    return position.free() & ~edges_around(two | three)


def after_taking(edges, boxes):
    """Returns the set of drawn edges after all boxes in `boxes` that can be completed one after another are completed.

    `edges` are the edges drawn before.
    """
    _, three = by_edges_drawn(edges, boxes)
    while three:
        edges |= edges_around(three)
        _, three = by_edges_drawn(edges, boxes)
    return edges


def openings(position):
    """Returns [(number of boxes given away, edge)] with one edge of each chain.

    The chain with the fewest boxes comes first. No box may be takeable. For a chain of two boxes it is the edge between
    these boxes, because any other edge lets the other side keep control.
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
    """Take every box that can be taken. Returns (the edges drawn, in order; the position after them)."""
    drawn = []
    while takeable(position):
        drawn.append(lowest(takeable(position)))
        position, _ = position.draw(drawn[-1])
    return drawn, position


def safe_move(position):
    """Returns a sensible turn at once. The game must not be over.

    The turn takes every box that can be taken. Then it draws an edge that gives nothing away, or if there is none, the
    edge that gives the fewest boxes away.
    """
    drawn, position = taking(position)
    if not position.is_over():
        safe = safe_edges(position)
        drawn.append(lowest(safe) if safe else openings(position)[0][1])
    return turn_of(drawn)


def lowest(edges):
    """Returns the lowest number of an edge in the set `edges`, which must not be empty."""
    return (edges & -edges).bit_length() - 1


def numbers_of(edges):
    """Returns the numbers of the edges in a set, in ascending order."""
    numbers = []
    while edges:
        numbers.append(lowest(edges))
        edges &= edges - 1
    return numbers


def count(bits):
    """Returns the number of members of a set."""
    return bin(bits).count("1")


class PlainSearch:
    """Alpha-beta with iterative deepening, about a thousand times slower than the kernels.

    It needs nothing compiled.
    """

    def __init__(self, seed):
        """`seed` is ignored, because nothing here is random. Every PlainSearch has this argument."""
        self._nodes = 0

    def think(self, position, deadline, clock=time.monotonic):
        """Search until `deadline`, in seconds of `clock`. Returns the Decision. The game must not be over.

        The Decision's value is the margin that the search expects, as a share of all boxes. It is proven if the boxes
        that are left cannot change who wins.
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
        """Returns (value, turn) of the best turn in `turns`. The positions after them are searched `depth` turns deep.

        Raises _OutOfTime.
        """
        best_value, best_turn = -_FAR, None
        for turn in turns:
            value = -self._value(position.play(turn), depth, -_FAR, -best_value, deadline, clock)
            if value > best_value:
                best_value, best_turn = value, turn
        return best_value, best_turn

    def _value(self, position, depth, alpha, beta, deadline, clock):
        """Returns the margin that the side to move can reach, by a search of `depth` turns in the window (alpha, beta).

        Raises _OutOfTime when the clock has reached `deadline`.
        """
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
    """Returns the turns that the search tries in a position. The game must not be over. Other turns are no better.

    These turns take every box that can be taken. Then they draw an edge that gives nothing away, or one edge of a
    chain. If a double-cross is possible, it is one more turn.
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
    """Returns the edges of a turn that leaves boxes to the other side: two boxes of a chain or four boxes of a loop.

    Returns [] if there is no such turn.
    """
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
    """Returns the boxes that can be taken together with the box `end`, which has three edges.

    If the box `end` does not have three edges (it has been taken), returns the set of all boxes.
    """
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
    """Returns the edge that closes a double-cross, or None if no edge does.

    Before this edge, two or four boxes must be takeable one after another. After it, they form pairs, each of which one
    edge takes.
    """
    boxes = boxes_mask(position.rows, position.columns)
    owned = count(complete(position.edges, boxes))
    total = count(complete(after_taking(position.edges, boxes), boxes)) - owned
    if total not in (_LEFT_OF_CHAIN, _LEFT_OF_LOOP):
        return None
    two, three = by_edges_drawn(position.edges, boxes)
    if count(three) > count(takeable(position)):
        return None  # one edge takes two boxes already
    for edge in numbers_of(position.free() & edges_around(two) & ~takeable(position)):
        after, _ = position.draw(edge)
        _, three = by_edges_drawn(after.edges, boxes)
        reached = count(complete(after_taking(after.edges, boxes), boxes)) - owned
        if reached == count(three) == 2 * count(takeable(after)) == total:
            return edge
    return None
