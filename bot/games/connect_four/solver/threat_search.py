"""Short wins and losses, looked for equally deep behind every reply: what a tree that follows its favourites misses.

Random games seldom find the one line of quiet moves that wins in nine plies, so a tree search may walk into it. The
solver, asked for a win in so many plies at most, is a search of just that depth: a value counts the cells left free,
and nothing slower reaches it. Standard library only.
"""

import time

from bot.search.limits import NO_LIMIT

from ..plain import tactical_columns
from .engine import SolverEngine

# Plies that the tree's own tactics and forced games are trusted with.
FIRST_DEPTH = 4


class ThreatSearch:
    """One game's threat search; it has a solver of its own, so that another one's questions are not cut short.

    lower, upper: bounds of the position's value as in search.py; column: a move that reaches lower where that is a win,
    else None; lost: {column: value at most} of the moves found to lose.
    """

    def __init__(self, kernels, table_mb):
        self._solver = SolverEngine(kernels, table_mb)

    def open(self, position):
        """A new turn."""
        self._position, self._free_cells = position, position.free_cells()
        self.lower, self.upper, self.column, self.lost = -self._free_cells, self._free_cells, None, {}
        self._asked = None
        self._safe, self._winless = {}, FIRST_DEPTH - 1
        self._idle = tactical_columns(position)[0] is not None

    def depth(self, column):
        """Plies within which the column is known not to lose."""
        return self._safe.get(column, FIRST_DEPTH)

    def work(self, seconds, best):
        """Look that long, deeper and deeper: for a win, and for what is wrong with the column the tree likes best."""
        deadline = time.monotonic() + seconds
        while not self._idle:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            question = self._question(best)
            if question != self._asked:
                self._asked = question
                self._solver.ask(self._position, question[0], question[1])
            answer, column, _ = self._solver.go_on(left, NO_LIMIT)
            self.lost.update(self._solver.lost())
            if answer is not None:
                self._take(answer, column)

    def _question(self, best):
        """(beta, column to try first): a win one ply sooner than the loss that is looked for next, or that loss."""
        depth = self.depth(best) + 2
        if self._winless < depth - 1:
            return self._free_cells - self._winless - 1, best
        return depth - self._free_cells, best

    def _take(self, answer, column):
        """Use the answer to the question asked."""
        (beta, best), self._asked = self._asked, None
        if answer < beta:
            self.upper = min(self.upper, answer)
            if beta > 0:
                self._winless += 2
        elif beta > 0:
            self.lower, self.column = answer, column
        else:
            self._safe[best if column is None else column] = beta + self._free_cells
        self._idle = self.column is not None or self.upper < 0 or self._winless + 3 >= self._free_cells
