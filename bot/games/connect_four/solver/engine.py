"""The exact solver as an object: owns its memory, asks its kernel one question after another, reads the answers.

Standard library only, as uct/engine.py. Values are those of search.py: 1 + cells left free by a win, 0, -(1 + cells
left free by a loss).
"""

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from bot.search.engine import Solution, outcome_of
from bot.search.limits import NO_LIMIT, nanoseconds, next_slice_s

from ..plain import safe_move, tactical_columns
from ..rules.board import MAX_COLUMNS
from . import layout


def table_entries(megabytes):
    """Entries of the largest table that fits: a power of two."""
    entries = int(megabytes * MEGABYTE) // 8
    if entries < 1024:
        raise ValueError(f"a solver's table takes at least 0.01 MB, got {megabytes}")
    return 1 << (entries.bit_length() - 1)


class SolverEngine:
    """Solves positions of one board; what it learns of them stays in its table until `forget`.

    kernels: a module with kernels.py's solve. table_mb: size of the table at most, in megabytes.
    """

    def __init__(self, kernels, table_mb):
        self._solve = kernels.solve
        entries = table_entries(table_mb)
        self._memory = MemoryBlock(layout.TABLE_OFFSET + 8 * entries)
        self._control = self._memory.array(0, layout.CONTROL_FIELDS, "q")
        self._control[layout.TABLE_ENTRIES] = entries
        self._cells_and_forbidden = None

    def forget(self):
        """Empty the table and what was learnt about the order of moves."""
        self._memory.clear_from(layout.REPLIES_OFFSET)

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """The Solution of a position with a legal move and no four on the board.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. exact: find the
        shortest win or the longest loss too; where the limits end that search the outcome is known without plies.
        """
        task = self.begin(position, exact)
        task.work(budget_s, nodes)
        return task.solution()

    def begin(self, position, exact=False, hint=None, expect_win=True):
        """A SearchTask into a position, to be worked on in pieces; it ends the one before.

        hint: a column to try first; expect_win: ask for a win before asking for a loss.
        """
        return SearchTask(self, position, exact, hint, expect_win)

    def ask(self, position, beta, hint):
        """Put a question: is the position, whose mover has no win in 1, worth at least beta? `go_on` works on it.

        hint: the column to try first, or None.
        """
        if self._cells_and_forbidden != position.cells_and_forbidden():
            if self._cells_and_forbidden is not None:
                self.forget()
            self._cells_and_forbidden = position.cells_and_forbidden()
        self._memory.write(layout.POSITION_OFFSET, position.to_bytes())
        control = self._control
        control[layout.ROOT_BETA], control[layout.STATUS] = beta, layout.NOT_STARTED
        control[layout.ROOT_HINT] = -1 if hint is None else hint

    def go_on(self, seconds, nodes):
        """(answer, column, nodes): work on the question; answer is a bound on its side of beta, None until it is found.

        column: the move that reaches beta, None where none does or any does.
        """
        control = self._control
        control[layout.BUDGET_NS], control[layout.MAX_NODES] = nanoseconds(seconds), nodes
        visited = self._solve(self._memory.address)
        if control[layout.STATUS] != layout.SETTLED:
            return None, None, visited
        column = control[layout.ROOT_MOVE]
        return control[layout.ANSWER], column if column >= 0 else None, visited

    def lost(self):
        """{column: value at most} of the moves that the question asked last has shown to lose."""
        bounds = self._control[layout.ROOT_BOUNDS : layout.ROOT_BOUNDS + MAX_COLUMNS]
        return {column: bound for column, bound in enumerate(bounds) if bound < 0}


class SearchTask:
    """One position under investigation: `lower` and `upper` bound its value, and come nearer with `work`.

    column: a move that reaches `lower`, None while nothing is known of it; lost: {column: value at most} of the moves
    that are known to lose.
    """

    def __init__(self, solver, position, exact, hint, expect_win):
        self._solver, self._position, self._exact = solver, position, exact
        self._hint, self._expect_win = hint, expect_win
        self._free = position.free_cells()
        self.lower, self.upper, self.column = -self._free, self._free, None
        self.nodes, self.elapsed_s = 0, 0.0
        self.lost = {}
        self._beta = None
        outcome, columns = tactical_columns(position)
        if outcome == "win":
            self.lower = self.upper = self._free
            self.column = columns[0]
        elif outcome == "loss":
            self.lower = self.upper = 1 - self._free
            self.column = safe_move(position)

    def is_settled(self):
        """Whether win, draw or loss is known."""
        return self.outcome() is not None

    def is_exact(self):
        """Whether the value is known."""
        return self.lower == self.upper

    def outcome(self):
        """ "win", "draw", "loss", or None."""
        return outcome_of(self.lower, self.upper)

    def work(self, budget_s=None, nodes=None):
        """Go on until the position is settled (exactly so, where that was asked) or a limit is reached."""
        started = time.monotonic()
        deadline = None if budget_s is None else started + budget_s
        limit = NO_LIMIT if nodes is None else self.nodes + nodes
        while not (self.is_exact() if self._exact else self.is_settled()):
            left = next_slice_s(deadline, time.monotonic())
            if left <= 0 or self.nodes >= limit:
                break
            self._step(left, limit - self.nodes)
        self.elapsed_s += time.monotonic() - started

    def _step(self, seconds, nodes):
        if self._beta is None:
            self._beta = self._next_beta()
            self._solver.ask(self._position, self._beta, self.column if self.column is not None else self._hint)
        answer, column, visited = self._solver.go_on(seconds, nodes)
        self.nodes += visited
        self.lost.update(self._solver.lost())
        if answer is None:
            return
        if answer >= self._beta:
            self.lower, self.column = max(self.lower, answer), column
        else:
            self.upper = min(self.upper, answer)
        self._beta = None

    def _next_beta(self):
        """The next question: first win, draw or loss, then the middle of what is left."""
        for beta in (1, 0) if self._expect_win else (0, 1):
            if self.lower < beta <= self.upper:
                return beta
        return self.lower + (self.upper - self.lower + 1) // 2

    def solution(self):
        """What has been found, as a Solution."""
        outcome, plies, column = self.outcome(), None, None
        if outcome is not None:
            column = self.column if self.column is not None else safe_move(self._position)
            if self._exact and self.is_exact() and outcome != "draw":
                plies = self._free + 1 - abs(self.lower)
        return Solution(outcome, plies, column, self.nodes, self.elapsed_s, None)
