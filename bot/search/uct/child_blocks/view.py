"""A tree of search.py as the engines' Python code reads it between and during searches. Standard library only."""

import struct

from ..final_move import SearchedMove, best_move, is_known, value_of
from .layout import (
    AGAIN,
    CODES,
    CONTROL_FIELDS,
    COUNTS,
    FIRST_CHILD,
    MEANS,
    NODE_CAPACITY,
    NODE_FLAGS,
    NODES_OFFSET,
    ROOT,
    SCORES,
    VISITS,
)


class TreeView:
    """Reads nodes of a search memory (layout.py); never writes. Safe to use while a kernel searches.

    memory: memoryview of the whole block; final_move: "visits" or "mean", what makes an unproven child the best.
    """

    def __init__(self, memory, final_move):
        self._control = memory[: 8 * CONTROL_FIELDS].cast("q")
        self._memory = memory
        self._visits, self._means, self._first_child = (
            self.array(VISITS, "I"),
            self.array(MEANS, "f"),
            self.array(FIRST_CHILD, "I"),
        )
        self._counts, self._codes = self.array(COUNTS, "h"), self.array(CODES, "h")
        self._scores, self._flags = self.array(SCORES, "h"), self.array(NODE_FLAGS, "h")
        self._final_move = final_move

    def array(self, field, code):
        """A field of all nodes as a memoryview of that format, the layout's type of the field."""
        capacity = self._control[NODE_CAPACITY]
        begin = NODES_OFFSET + field * capacity
        return self._memory[begin : begin + struct.calcsize(code) * capacity].cast(code)

    def root(self):
        """The root's node."""
        return self._control[ROOT]

    def children(self, node):
        """The range of a node's children, empty where it has none or is 0."""
        first = self._first_child[node] if node else 0
        return range(first, first + self._counts[node]) if first else range(0)

    def visits(self, node):
        """How many simulations went through a node."""
        return self._visits[node]

    def move(self, node):
        """The code of the move that leads to a node."""
        return self._codes[node]

    def score(self, node):
        """Proven score of a node for the side that moved there; the root's for its own side to move (scores.py)."""
        return self._scores[node]

    def moves_again(self, node):
        """Whether the side that moved to a visited node is to move in it too."""
        return bool(self._flags[node] & AGAIN)

    def searched(self, node):
        """The SearchedMove that leads to a node."""
        return SearchedMove(self.score(node), self.visits(node), self._means[node])

    def value(self, node):
        """Value of a node for the side that moved there, -1..1."""
        return value_of(self.searched(node))

    def best_child(self, node):
        """The child to play; None without children."""
        return best_move({child: self.searched(child) for child in self.children(node)}, self._final_move)

    def best_line(self):
        """Nodes below the root, each the best child of the one before, as long as they were visited."""
        line, node = [], self.root()
        while True:
            node = self.best_child(node)
            if node is None or not is_known(self.searched(node)):
                return line
            line.append(node)
