"""The rules of dots and boxes on Python integers: the guard's own knowledge and the last fallback's.

Standard library only, Python 3.8 syntax, quick to import. Sets of edges are integers as rules/board.py draws them,
horizontal | vertical << 64; tests hold the rules to the kernels and to the judge.
"""

from .rules.board import ROW_BITS, VERTICAL, boxes_mask, edges_of, horizontal_mask, turn_of, vertical_mask

_WORD = (1 << VERTICAL) - 1
_WORD_BYTES = 8
# Boxes that are handed over by the middle edge of a chain of two: the taker cannot leave them for a double-cross.
_SHORT = 2


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
