"""A search tree as the engines' Python code reads it between and during searches. Standard library only."""

from bot.search import scores

from ..final_move import SearchedMove, best_move, value_of
from . import layout


class TreeView:
    """Reads nodes of a search memory (layout.py); never writes. Safe to use while a kernel searches.

    memory: memoryview of the whole block, its layout fields written; edges: of a node; final_move: "visits" or "mean",
    what makes an unproven edge the best.
    """

    def __init__(self, memory, edges, final_move):
        self._layout = layout.NodeLayout(edges)
        self._control = memory[: 8 * layout.CONTROL_FIELDS].cast("q")
        nodes = memory[self._control[layout.NODES_OFFSET] :]
        self._words, self._means, self._halves = nodes.cast("I"), nodes.cast("f"), nodes.cast("h")
        self._edges, self._final_move = edges, final_move

    def root(self):
        """The root's node."""
        return self._control[layout.ROOT]

    def child(self, node, edge):
        """The node below an edge, 0 where there is none or no node to begin with."""
        return self._words[node * self._layout.words + self._layout.child_word + edge] if node else 0

    def visits(self, node, edge):
        """How often the search took the edge."""
        return self._words[node * self._layout.words + edge]

    def score(self, node, edge):
        """Proven score of an edge for the side to move at its node (scores.py)."""
        return self._halves[node * self._layout.halves + self._layout.score_half + edge]

    def node_score(self, node):
        """Proven score of a node for the side to move."""
        return self._halves[node * self._layout.halves + self._layout.node_score_half]

    def searched(self, node, edge):
        """The SearchedMove of an edge."""
        mean = self._means[node * self._layout.words + self._layout.mean_word + edge]
        return SearchedMove(self.score(node, edge), self.visits(node, edge), mean)

    def best_edge(self, node):
        """The edge to play at a node; None when no edge is legal."""
        legal = [edge for edge in range(self._edges) if self.score(node, edge) != scores.NEVER]
        return best_move({edge: self.searched(node, edge) for edge in legal}, self._final_move)

    def value(self, node, edge):
        """Value of an edge for the side to move at its node, -1..1."""
        return value_of(self.searched(node, edge))
