"""The exact solver's part in a turn: when it is worth its time, how much of it, and what it tells the tree.

Standard library only. The solver and the tree share one thread and one clock: they take turns, and the solver's share
is the chance that it settles the position in the time that is left. That chance comes from how many positions it
had to visit before: log2 of them is spread around MEAN_LOG2_NODES with SPREAD, and what has been visited in vain
counts against it. A small part goes to the threat search for short wins and losses at all times.
"""

import math

from bot.search import scores

from .engine import SolverEngine
from .threat_search import ThreatSearch

# log2 of the positions visited until win, draw or loss was known: mean at so many free cells, the rise a cell, and
# the standard deviation. The likeliest numbers for 833 positions with 46 to 78 free cells, of 100 games against
# another bot on 9x9 to 12x12 boards, of which 529 were settled within 4 M positions (docs/experiments.md).
MEAN_LOG2_NODES = 7.4
AT_FREE_CELLS = 46
RISE_A_CELL = 0.62
SPREAD = 10.0
# A smaller chance is not worth trying; a greater share is never taken from the tree.
LEAST_CHANCE = 0.04
GREATEST_SHARE = 0.6
THREAT_SEARCH_SHARE = 0.1
THREAT_SEARCH_TABLE_MB, THREAT_SEARCH_MEMORY_SHARE = 16, 1 / 8
# A position that follows one known to be won or drawn is settled first.
SHARE_ONCE_SETTLED = 0.8
# Positions a second, until it has been measured.
FIRST_RATE = 2e6
LEAST_MEASURED_S = 0.01
# A chance so small is none.
NO_CHANCE = 1e-9
_LOSS = -1  # what a lost position is worth at most


def chance_to_settle(free_cells, visited, more):
    """The chance that a position not settled after `visited` positions is settled after `more` of them."""
    mean = MEAN_LOG2_NODES + RISE_A_CELL * (free_cells - AT_FREE_CELLS)

    def not_settled_after(nodes):
        return 0.5 * math.erfc((math.log2(nodes + 2) - mean) / (SPREAD * math.sqrt(2)))

    before = not_settled_after(visited)
    return 1 - not_settled_after(visited + more) / before if before > NO_CHANCE else 0.0


class SolverScheduler:
    """One game's solver beside its tree.

    kernels: as for SolverEngine; table_mb: memory of its tables, the threat search's among them.
    """

    def __init__(self, kernels, table_mb):
        threat_search_mb = min(THREAT_SEARCH_TABLE_MB, table_mb * THREAT_SEARCH_MEMORY_SHARE)
        self._solver = SolverEngine(kernels, table_mb - threat_search_mb)
        self._threat_search = ThreatSearch(kernels, threat_search_mb)
        self._position, self._task = None, None
        self._free_cells = 0
        self._was_settled = False
        self._nodes, self._seconds = 0, 0.0

    def solve(self, position, budget_s, nodes, exact):
        """SolverEngine.solve of any position, apart from the game."""
        return self._solver.solve(position, budget_s, nodes, exact)

    def open(self, position):
        """A new turn."""
        self._was_settled = self._position is not None and self.outcome() in ("win", "draw")
        self._position, self._task = position, None
        self._free_cells = position.free_cells()
        self._threat_search.open(position)

    def share(self, seconds_left):
        """The part of the time from now on that solver and threat search should have, 0 .. 1."""
        if self.outcome() is not None or seconds_left <= 0:
            return 0.0
        return THREAT_SEARCH_SHARE + self._solver_share(seconds_left)

    def _solver_share(self, seconds_left):
        if self._was_settled:
            return SHARE_ONCE_SETTLED
        rate = self._nodes / self._seconds if self._seconds > LEAST_MEASURED_S else FIRST_RATE
        visited = self._task.nodes if self._task is not None else 0
        chance = chance_to_settle(self._free_cells, visited, rate * seconds_left)
        return 0.0 if chance < LEAST_CHANCE else min(chance, GREATEST_SHARE)

    def work(self, seconds, share, hint, expect_win):
        """Go on for that long, the result of `share`; hint, a column, and expect_win are what the tree thinks now."""
        for_threat_search = seconds * THREAT_SEARCH_SHARE / share
        self._threat_search.work(for_threat_search, hint)
        if share > THREAT_SEARCH_SHARE and self.outcome() is None:
            if self._task is None:
                self._task = self._solver.begin(self._position, hint=hint, expect_win=expect_win)
            self._count(self._task, seconds - for_threat_search)

    def resist(self, seconds, hint):
        """In a lost position a column that loses as late as can be found out in that time; None where nothing was."""
        task = self._solver.begin(self._position, exact=True, hint=hint)
        known = _LOSS if self._task is None else min(_LOSS, self._task.upper)
        task.upper = min(task.upper, self._threat_search.upper, known)
        self._count(task, seconds)
        return task.column

    def _count(self, task, seconds):
        nodes, elapsed_s = task.nodes, task.elapsed_s
        task.work(seconds)
        self._nodes += task.nodes - nodes
        self._seconds += task.elapsed_s - elapsed_s

    def outcome(self):
        """ "win", "draw" or "loss" where the position is settled, else None."""
        if self._threat_search.column is not None:
            return "win"
        if self._threat_search.upper < 0:
            return "loss"
        return self._task.outcome() if self._task is not None else None

    def column(self):
        """A move that wins or draws a settled position, None where any does."""
        return self._threat_search.column if self._threat_search.column is not None else self._task.column

    def proofs(self):
        """{column: proven score} of the moves whose result is known (search/scores.py), for the side to move."""
        found = {column: -self._score(-bound) for column, bound in self._threat_search.lost.items()}
        if self._task is not None:
            found.update({column: -self._score(-bound) for column, bound in self._task.lost.items()})
            if self._task.column is not None and self._task.outcome() in ("win", "draw"):
                found[self._task.column] = self._score(self._task.lower)
        if self._threat_search.column is not None:
            found[self._threat_search.column] = self._score(self._threat_search.lower)
        return found

    def _score(self, value):
        """The proven score of a move worth `value` cells (at least 0): it wins in at most so many plies, or draws."""
        return scores.WIN_BASE - (self._free_cells + 1 - value) if value > 0 else scores.PROVEN_DRAW
