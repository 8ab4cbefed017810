"""The exact solver as Python objects: SolverEngine, the search for short wins and losses, the solver's part in a turn.

Standard library only. Values are those of solver.py: 1 + the cells left free by a win, 0 for a draw, -(1 + the cells
left free by a loss). The kernels of solver.py work in one block of memory:

    byte 0         control: int64[64], the fields numbered below
    byte 512       the position: uint16[80] as rules.py's load_root reads it
    byte 4096      frames: int64[160 * 32], one for each position being searched, the fields numbered below
    byte 45056     boards: uint16[160 * 64], own, opponent, floor and above of each frame, 16 lanes each
    byte 65536     replies: int32[256 * 256], by the cell of the last stone and the cell of the answer
    byte 327680    table: uint64[table_entries], see solver.py
"""

import math
import time

from bot.kernels.memory_block import MemoryBlock, table_entries
from bot.search import scores
from bot.search.engine import Solution, outcome_of
from bot.search.limits import NO_LIMIT, nanoseconds, next_slice_s

from .board import MAX_COLUMNS
from .plain import safe_move, tactical_columns

CONTROL_FIELDS = 64
POSITION_OFFSET = 512
FRAMES_OFFSET = 4096
BOARDS_OFFSET = 45056
REPLIES_OFFSET = 65536
TABLE_OFFSET = 327680

MAX_DEPTH = 160
FRAME_WORDS = 32
# The places of the sets in a frame's board, counted in uint16.
OWN_AT, OPPONENT_AT, FLOOR_AT, ABOVE_AT = range(0, 64, 16)
BOARD_HALVES = 64
CELL_NUMBERS = 256
NO_CELL = 255  # the root's LAST_CELL: there is no last stone

# Control fields. The question is ROOT_BETA and ROOT_HINT, the column to try first, or -1 for none. The answer is
# ANSWER, a bound of the value on one side of ROOT_BETA, and ROOT_MOVE, the column that reaches ROOT_BETA, or -1 for
# none. NODES is never reset.
TABLE_ENTRIES, BUDGET_NS, MAX_NODES, ROOT_BETA, ROOT_HINT, STATUS, ANSWER, ROOT_MOVE, NODES, DEPTH = range(10)
# The first of int64[16], by column: an upper bound of the move's value, or NO_ROOT_BOUND until the move has been tried
# in vain.
ROOT_BOUNDS = 32
NO_ROOT_BOUND = 256
NOT_STARTED, UNFINISHED, SETTLED = range(3)

# Frame fields. The listed moves begin at MOVES, one word each (solver.py). First come the moves that are left. They end
# at MOVES_END, where the move being tried lies. All listed moves end at LISTED_END.
BETA, BEST, FREE_CELLS, HASH, NODES_BEFORE, LOWER, UPPER, MOVES_END, BEST_MOVE, LISTED_END, LAST_CELL = range(11)
MOVES = 16
MOVE_WORDS = 1


class SolverEngine:
    """Solves positions of one board. What it learns stays in its table until `forget` or until the board changes.

    `kernels` is a module with the entry point solve of kernels.py. `table_mb` is the largest size of the table in
    megabytes.
    """

    def __init__(self, kernels, table_mb):
        self._solve = kernels.solve
        entries = table_entries(table_mb)
        self._memory = MemoryBlock(TABLE_OFFSET + 8 * entries)
        self._control = self._memory.array(0, CONTROL_FIELDS, "q")
        self._control[TABLE_ENTRIES] = entries
        self._cells_and_forbidden = None

    def forget(self):
        """Empty the table, and forget what was learnt about the order of moves."""
        self._memory.clear_from(REPLIES_OFFSET)

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """Returns the Solution of a position that has a legal move and no four on the board.

        The solver takes at most `budget_s` seconds and `nodes` positions. None means no limit. With `exact` it also
        finds the length of the shortest win or longest loss. If a limit ends the search, the Solution may have an
        outcome without `plies`, or no outcome.
        """
        task = self.begin(position, exact)
        task.work(budget_s, nodes)
        return task.solution()

    def begin(self, position, exact=False, hint=None, expect_win=True):
        """Returns a new SearchTask for a position, which can be worked on in pieces.

        An earlier task must not be used any more. `hint` is the column to try first, or None. If `expect_win` is true,
        the task first asks whether the position is won, otherwise whether it is lost.
        """
        return SearchTask(self, position, exact, hint, expect_win)

    def ask(self, position, beta, hint):
        """Set the question: is the position worth at least `beta` for the side to move? It must have no win in 1.

        `go_on` works on the question. `hint` is the column to try first, or None.
        """
        if self._cells_and_forbidden != position.cells_and_forbidden():
            if self._cells_and_forbidden is not None:
                self.forget()
            self._cells_and_forbidden = position.cells_and_forbidden()
        self._memory.write(POSITION_OFFSET, position.to_bytes())
        control = self._control
        control[ROOT_BETA], control[STATUS] = beta, NOT_STARTED
        control[ROOT_HINT] = -1 if hint is None else hint

    def go_on(self, seconds, nodes):
        """Work on the question for at most `seconds` and `nodes`. Returns (answer, column, nodes visited).

        The answer is a bound of the value: at least beta if the value is, else below it. The answer is None if a limit
        ends the search before it is found. The column is a move that reaches beta, or None if no move or every move
        reaches it.
        """
        control = self._control
        control[BUDGET_NS], control[MAX_NODES] = nanoseconds(seconds), nodes
        visited = self._solve(self._memory.address)
        if control[STATUS] != SETTLED:
            return None, None, visited
        column = control[ROOT_MOVE]
        return control[ANSWER], column if column >= 0 else None, visited

    def lost(self):
        """Returns {column: upper bound of the move's value} of the moves that the last question has proven to lose."""
        bounds = self._control[ROOT_BOUNDS : ROOT_BOUNDS + MAX_COLUMNS]
        return {column: bound for column, bound in enumerate(bounds) if bound < 0}


class SearchTask:
    """The search of one position. `lower` and `upper` are bounds of its value, which `work` brings closer together.

    `column` is a move that reaches `lower`, or None if no such move is known. `lost` is {column: upper bound of the
    move's value} of the moves that are known to lose. SolverEngine.begin describes the arguments.
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
        """Returns whether the position is known to be a win, draw or loss."""
        return self.outcome() is not None

    def is_exact(self):
        """Returns whether the exact value is known."""
        return self.lower == self.upper

    def outcome(self):
        """Returns "win", "draw" or "loss" for the side to move, or None if it is not known."""
        return outcome_of(self.lower, self.upper)

    def work(self, budget_s=None, nodes=None):
        """Continue until the position is settled, or if the task is exact, until its value is known.

        Stops earlier after `budget_s` seconds or `nodes` positions. None means no limit.
        """
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
        """Returns the beta of the next question.

        The first questions find out win, draw or loss. After them, beta is the middle between the bounds.
        """
        for beta in (1, 0) if self._expect_win else (0, 1):
            if self.lower < beta <= self.upper:
                return beta
        return self.lower + (self.upper - self.lower + 1) // 2

    def solution(self):
        """Returns a Solution with what has been found so far."""
        outcome, plies, column = self.outcome(), None, None
        if outcome is not None:
            column = self.column if self.column is not None else safe_move(self._position)
            if self._exact and self.is_exact() and outcome != "draw":
                plies = self._free + 1 - abs(self.lower)
        return Solution(outcome, plies, column, self.nodes, self.elapsed_s, None)


# Short wins and losses
# ---------------------
#
# Random games seldom find the one line of quiet moves that wins in nine plies, so a tree search may let the opponent
# play it. If the solver is asked for a win in at most so many plies, it searches to exactly that depth, because a value
# counts the cells left free and no slower win reaches it. So the solver looks equally deep behind every reply, whereas
# a tree search follows the moves that it prefers.


# Within this many plies the tree's own tactics and forced games are trusted, so the threat search begins deeper.
FIRST_DEPTH = 4


class ThreatSearch:
    """The threat search of one game: it looks for short wins and losses.

    It has a solver of its own, so that it never replaces a question of the other solver. `lower` and `upper` are bounds
    of the position's value. `column` is a winning move, or None if none has been found. `lost` is {column: upper bound
    of the move's value} of the moves that are known to lose. `kernels` and `table_mb` are as in SolverEngine.
    """

    def __init__(self, kernels, table_mb):
        self._solver = SolverEngine(kernels, table_mb)

    def open(self, position):
        """Begin a new turn with `position`."""
        self._position, self._free_cells = position, position.free_cells()
        self.lower, self.upper, self.column, self.lost = -self._free_cells, self._free_cells, None, {}
        self._asked = None
        self._safe, self._winless = {}, FIRST_DEPTH - 1
        self._idle = tactical_columns(position)[0] is not None

    def depth(self, column):
        """Returns the number of plies within which a move in `column` is known not to lose, at least FIRST_DEPTH."""
        return self._safe.get(column, FIRST_DEPTH)

    def work(self, seconds, best):
        """Search for `seconds`, deeper and deeper, for a win and for a refutation of the move in column `best`.

        `best` is the column that the tree prefers.
        """
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
        """Returns the next question, (beta, column to try first).

        The next depth is two plies more than depth(best). As long as a win within fewer plies than this is possible,
        the question asks for such a win. After that, it asks whether the position is lost within the next depth.
        """
        depth = self.depth(best) + 2
        if self._winless < depth - 1:
            return self._free_cells - self._winless - 1, best
        return depth - self._free_cells, best

    def _take(self, answer, column):
        """Update the bounds and what is known of moves with the answer to the last question.

        `column` is as in go_on.
        """
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


# The solver's part in a turn
# ---------------------------
#
# The solver and the tree share one thread and one clock. They take turns, and the solver's share of the time is the
# chance that it settles the position in the time that is left. That chance was fitted to the numbers of positions that
# the solver needed in other games. The base-2 logarithm of such a number has the mean MEAN_LOG2_NODES and the standard
# deviation SPREAD. The positions visited so far without a result lower the chance. The threat search always gets a
# small share.


# About log2 of the number of positions visited until win, draw or loss is known: the mean at AT_FREE_CELLS free cells,
# the rise of the mean for each further free cell, and the standard deviation. These are the most likely numbers for 833
# positions with 46 to 78 free cells, of 100 games against another bot on 9x9 to 12x12 boards; 529 of the positions were
# settled within 4 M positions (docs/experiments.md).
MEAN_LOG2_NODES = 7.4
AT_FREE_CELLS = 46
RISE_A_CELL = 0.62
SPREAD = 10.0
# If the chance is below LEAST_CHANCE, the solver does not work. It never gets more than GREATEST_SHARE of the time.
LEAST_CHANCE = 0.04
GREATEST_SHARE = 0.6
THREAT_SEARCH_SHARE = 0.1
THREAT_SEARCH_TABLE_MB, THREAT_SEARCH_MEMORY_SHARE = 16, 1 / 8
# The solver's share of the time if it knew the last turn's position to be won or drawn. Then it should settle this one
# first.
SHARE_ONCE_SETTLED = 0.8
# The solver's speed in positions a second that is assumed until it has been measured.
FIRST_RATE = 2e6
LEAST_MEASURED_S = 0.01
# If the chance that so many positions do not settle the position is smaller than this, the chance to settle it is taken
# as 0.
NO_CHANCE = 1e-9
_LOSS = -1  # the upper bound of a lost position's value


def chance_to_settle(free_cells, visited, more):
    """Returns the chance that `more` positions settle a position that `visited` positions have not settled."""
    mean = MEAN_LOG2_NODES + RISE_A_CELL * (free_cells - AT_FREE_CELLS)

    def not_settled_after(nodes):
        return 0.5 * math.erfc((math.log2(nodes + 2) - mean) / (SPREAD * math.sqrt(2)))

    before = not_settled_after(visited)
    return 1 - not_settled_after(visited + more) / before if before > NO_CHANCE else 0.0


class SolverScheduler:
    """The solver and the threat search of one game, which work beside its tree.

    `kernels` are as in SolverEngine. `table_mb` is the memory for the tables of both together, in megabytes.
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
        """Returns SolverEngine.solve() for any position. It need not belong to the game being played."""
        return self._solver.solve(position, budget_s, nodes, exact)

    def open(self, position):
        """Begin a new turn with `position`."""
        self._was_settled = self._position is not None and self.outcome() in ("win", "draw")
        self._position, self._task = position, None
        self._free_cells = position.free_cells()
        self._threat_search.open(position)

    def share(self, seconds_left):
        """Returns the share of the remaining time, 0 to 1, that the solver and the threat search get together."""
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
        """Run the threat search and the solver, for `seconds` together. `share` is what share() has returned.

        `hint` is the column that the tree prefers now. `expect_win` says whether the tree thinks that the side to move
        wins.
        """
        for_threat_search = seconds * THREAT_SEARCH_SHARE / share
        self._threat_search.work(for_threat_search, hint)
        if share > THREAT_SEARCH_SHARE and self.outcome() is None:
            if self._task is None:
                self._task = self._solver.begin(self._position, hint=hint, expect_win=expect_win)
            self._count(self._task, seconds - for_threat_search)

    def resist(self, seconds, hint):
        """Search a lost position for at most `seconds` for the column that loses as late as possible.

        Returns the best column found, or None if none was found. `hint` is the column to try first.
        """
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
        """Returns "win", "draw" or "loss" if the position is settled, else None."""
        if self._threat_search.column is not None:
            return "win"
        if self._threat_search.upper < 0:
            return "loss"
        return self._task.outcome() if self._task is not None else None

    def column(self):
        """Returns a move that keeps the outcome of a settled position, or None if every move keeps it."""
        return self._threat_search.column if self._threat_search.column is not None else self._task.column

    def proofs(self):
        """Returns {column: proven score} of the moves whose result is known. The scores are for the side to move.

        search/scores.py defines them.
        """
        found = {column: -self._score(-bound) for column, bound in self._threat_search.lost.items()}
        if self._task is not None:
            found.update({column: -self._score(-bound) for column, bound in self._task.lost.items()})
            if self._task.column is not None and self._task.outcome() in ("win", "draw"):
                found[self._task.column] = self._score(self._task.lower)
        if self._threat_search.column is not None:
            found[self._threat_search.column] = self._score(self._threat_search.lower)
        return found

    def _score(self, value):
        """Returns the proven score of a move whose value in cells is `value`, 0 or more.

        It is the score of a draw, or of a win in as many plies as the value stands for.
        """
        return scores.WIN_BASE - (self._free_cells + 1 - value) if value > 0 else scores.PROVEN_DRAW
