"""A search tree as the engines' Python code reads it between and during searches. Standard library only."""

from bot.search import scores

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

    def best_edge(self, node):
        """The edge to play at a node: a proven win, shortest first; else the best of the unproven edges and the
        proven draws, a draw counting as 0; else the longest loss that is known. None when no edge is legal."""
        edges = [edge for edge in range(self._edges) if self.score(node, edge) != scores.NEVER]
        if not edges:
            return None
        best_proven = max(edges, key=lambda edge: self.score(node, edge))
        if scores.is_win(self.score(node, best_proven)):
            return best_proven
        unproven = [edge for edge in edges if self.score(node, edge) == scores.UNPROVEN]
        visited = [edge for edge in unproven if self.visits(node, edge)]
        draws = [edge for edge in edges if self.score(node, edge) == scores.PROVEN_DRAW]
        if visited:
            best = max(visited, key=lambda edge: self._rank(node, edge))
            if not draws or self._mean(node, best) >= 0:
                return best
        if draws:
            return draws[0]
        return unproven[0] if unproven else best_proven

    def _mean(self, node, edge):
        return self._means[node * self._layout.words + self._layout.mean_word + edge]

    def _rank(self, node, edge):
        visits, mean = self.visits(node, edge), self._mean(node, edge)
        return (mean, visits) if self._final_move == "mean" else (visits, mean)

    def value(self, node, edge):
        """Value of an edge for the side to move at its node, -1..1."""
        score = self.score(node, edge)
        if score != scores.UNPROVEN:
            return scores.VALUES[scores.outcome(score)]
        return self._mean(node, edge) if self.visits(node, edge) else 0.0
