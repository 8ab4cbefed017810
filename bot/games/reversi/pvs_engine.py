"""The strong engine for boards up to 8x8: searches a ply deeper again and again, then to the end of the game.

Standard library only; pvs.py searches, in the memory of memory.py. Towards the end the search goes right to the end of
the game, first with wide probes (pvs.py), which tells what is likely, then with narrower ones, then without: first
whether the position is won, then the score.
"""

import time

from bot.search.engine import Decision, Engine, MoveValue, Solution, decided, outcome_of, unknown
from bot.search.limits import NO_LIMIT, PROCESS_MB, check_memory, count_or_no_limit, next_slice_s

from .board import PASS, ROW_BITS
from .memory import EXACT, NO_SQUARE, SearchMemory
from .plain import safe_move
from .weights import WeightsError, stored_weights, unpack_weights

# log2 of the positions by level (pvs.py), at so many empty squares, and the rise with each more: means of
# 40 positions each at 16, 18, .. 24 empty squares of games of the engine against itself. They spread by 1.4, exact
# searches by 2.
AT_EMPTY = 20
MEANS = {1: 17.0, 3: 18.4, 5: 20.0, 7: 20.3}
RISES = {1: 0.78, 3: 0.84, 5: 1.0, 7: 1.1}
# Added to the mean: so that most searches fit.
MARGIN = 0.5


def nodes_to_solve(empty, level):
    """Positions that a search to the end at that level is not likely to exceed."""
    return 2.0 ** (MEANS[level] + MARGIN + RISES[level] * (empty - AT_EMPTY))


SIDE = 8
HIGHEST_SCORE = 64
# What probes are trusted with (pvs.py): in the midgame, then one after another at the end, and none at last.
MIDGAME_LEVEL = 1
ENDGAME_LEVELS = (1, 3, 5)
# Half the width of the first window around the score of the search before.
_HALF_WINDOW = 3
# With so few empty squares the exact score is a matter of a millisecond.
_SOLVED_AT_ONCE = 12
# Nodes a second, until it has been measured for a moment.
_FIRST_SPEED, _MEASURED_S = 1.5e7, 0.01
_ROW = (1 << SIDE) - 1


class _OutOfLimits(Exception):
    """Time or nodes are used up."""


def packed(cells):
    """A set of cells of a board up to 8x8, 16 bits a row, with 8 bits a row."""
    return sum((cells >> ROW_BITS * row & _ROW) << SIDE * row for row in range(SIDE))


def cell_of(square):
    """The cell's number of a kernel's square."""
    return ROW_BITS * (square // SIDE) + square % SIDE


class SearchTask:
    """A position with a legal move, and what is known of it after `work`.

    budget_s: seconds from `started` (of time.monotonic) at most; nodes: positions visited at most; None: no limit.
    lower, upper: proven bounds of the score; score: the best estimate, within them; depth: plies of the last search
    that came to an end.
    """

    def __init__(self, memory, position, started, budget_s, nodes):
        self._memory, self._position = memory, position
        self._started = started
        self._deadline = None if budget_s is None else started + budget_s
        self._node_limit = count_or_no_limit(nodes)
        self._own, self._opponent = packed(position.own), packed(position.opponent)
        self._empty = position.free_cells()
        self._square = NO_SQUARE
        self.lower, self.upper = -HIGHEST_SCORE, HIGHEST_SCORE
        self.score, self.depth, self.nodes = 0, 0, 0

    def work(self, to_outcome):
        """Search until the score is known, with to_outcome win, draw or loss, or a limit is reached."""
        try:
            if self._empty > _SOLVED_AT_ONCE:
                self._approach()
            self._finish(to_outcome)
        except _OutOfLimits:
            pass

    def _approach(self):
        """Search deeper until the end of the game is within reach, then to the end with probes."""
        depth = 1
        while 2 * depth <= self._empty or (depth < self._empty and not self._can_solve(ENDGAME_LEVELS[0])):
            self._search(depth, MIDGAME_LEVEL)
            depth += 1
        for level in ENDGAME_LEVELS:
            self._search(self._empty, level)
            if self._can_solve(EXACT):
                return

    def _can_solve(self, level):
        """Whether a search to the end should fit the limits."""
        if self._deadline is None and self._node_limit == NO_LIMIT:
            return True
        return nodes_to_solve(self._empty, level) < self._nodes_left()

    def _nodes_left(self):
        left = self._node_limit - self.nodes
        if self._deadline is not None:
            now = time.monotonic()
            spent = now - self._started
            speed = self.nodes / spent if spent > _MEASURED_S else _FIRST_SPEED
            left = min(left, (self._deadline - now) * speed)
        return left

    def _finish(self, to_outcome):
        """Find out whether the position is won, drawn or lost, then the score."""
        self._narrow(self._empty, EXACT, -1, 1)
        while self.lower < self.upper and not (to_outcome and (self.lower > 0 or self.upper < 0)):
            guess = min(max(self.score, self.lower), self.upper)
            self._narrow(
                self._empty, EXACT, max(guess - _HALF_WINDOW, self.lower - 1), min(guess + _HALF_WINDOW, self.upper + 1)
            )

    def _narrow(self, depth, level, alpha, beta):
        """Ask for the score in a window; it tells a bound or all."""
        found = self._ask(depth, level, alpha, beta)
        if found < beta:
            self.upper = min(self.upper, found)
        if found > alpha:
            self.lower = max(self.lower, found)
        self.score = min(max(found, self.lower), self.upper)
        self.depth = depth

    def _search(self, depth, level):
        """Find the score of a search of that depth, by windows around the last one's."""
        lower, upper, guess, half = -HIGHEST_SCORE, HIGHEST_SCORE, self.score, _HALF_WINDOW
        while lower < upper:
            alpha, beta = max(guess - half, lower - 1), min(guess + half, upper + 1)
            guess = self._ask(depth, level, alpha, beta)
            if guess < beta:
                upper = min(upper, guess)
            if guess > alpha:
                lower = max(lower, guess)
            half *= 2
        self.score, self.depth = guess, depth

    def _ask(self, depth, level, alpha, beta):
        """What the search says of the score in a window; raises _OutOfLimits."""
        self._memory.ask(self._own, self._opponent, depth, level, alpha, beta)
        found = None
        while found is None:
            seconds = next_slice_s(self._deadline, time.monotonic())
            if seconds <= 0 or self.nodes >= self._node_limit:
                raise _OutOfLimits
            found, visited = self._memory.go_on(seconds, self._node_limit - self.nodes)
            self.nodes += visited
            if self._memory.best_square() != NO_SQUARE:
                self._square = self._memory.best_square()
        return found

    def move_so_far(self):
        """The cell of the best move known, None before there is one; callable from another thread."""
        square = self._memory.best_square()
        if square == NO_SQUARE:
            square = self._square
        return None if square == NO_SQUARE else cell_of(square)

    def move(self):
        """The cell of the best move."""
        return safe_move(self._position) if self._square == NO_SQUARE else cell_of(self._square)

    def line(self):
        """The best move and what the table has to follow it, passes left out."""
        line = [self.move()]
        position = self._position.play(line[0])
        while len(line) < max(self.depth, 1):
            moves = position.legal_moves()
            if moves == [PASS]:
                position = position.play(PASS)
                continue
            square = self._memory.known_move(packed(position.own), packed(position.opponent))
            if square >= NO_SQUARE or cell_of(square) not in moves:
                break
            line.append(cell_of(square))
            position = position.play(line[-1])
        return line


LARGEST_SIZE = 8
# Without a choice a look is enough: for its value.
_NODES_WITHOUT_CHOICE = 50_000


class ReversiEngine(Engine):
    """One game's search. Positions are plain.Position values of at most LARGEST_SIZE; moves are cells' numbers or PASS.

    kernels: the module of entry points, kernels.py, or one with its pvs and prepare_weights. settings: its
    move_seconds is used. memory_mb: what the whole process may take. seed: taken for the interface's sake; nothing is
    left to chance. weights: bytes of a weights file instead of the package's; b"": play without.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings, memory_mb, seed, weights=None):
        check_memory(memory_mb)
        self._settings = settings
        self._memory = SearchMemory(kernels, memory_mb - PROCESS_MB, self._unpacked(weights))
        self._task = None

    def _unpacked(self, weights):
        """What SearchMemory takes; without the package's weights the game goes on, with a warning."""
        if weights is not None:
            return unpack_weights(weights) if weights else None
        try:
            return stored_weights()
        except WeightsError as error:
            self.warning = f"it plays without its weights: {error}"
            return None

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the position must have a legal move. A pass is answered at once.

        budget_s: seconds from now for everything; the setting move_seconds, where given, caps it. iterations: the most
        nodes. With iterations alone the same calls give the same decisions on every machine. Without either it ends
        when the score is known. value: what the best move leads to, in discs more than the opponent's, divided by 64.
        """
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        started = time.monotonic()
        moves = position.legal_moves()
        if moves == [PASS]:
            return Decision(PASS, 0.0, None, None, [PASS], 0, 0, 0, time.monotonic() - started)
        if len(moves) == 1:
            iterations = _NODES_WITHOUT_CHOICE if iterations is None else min(iterations, _NODES_WITHOUT_CHOICE)
        task = self._begin(position, started, budget_s, iterations)
        try:
            task.work(to_outcome=False)
        finally:
            self._task = None
        outcome = outcome_of(task.lower, task.upper)
        line = task.line()
        return Decision(
            line[0],
            task.score / HIGHEST_SCORE,
            outcome,
            outcome and "solver",
            line,
            task.nodes,
            task.depth,
            task.nodes,
            time.monotonic() - started,
        )

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: the decision's move as decided, each of the others searched by itself, all of them alike.

        The search for the best move proves of the others no more than that they are not better.
        """
        moves = position.legal_moves()
        others = [move for move in moves if move != decision.move]
        deadline = None if budget_s is None else time.monotonic() + budget_s
        nodes = None if iterations is None else max(1, iterations // max(1, len(others)))
        values = {decision.move: decided(decision)}
        for number, move in enumerate(others):
            left_s = None if deadline is None else (deadline - time.monotonic()) / (len(others) - number)
            values[move] = self._value_apart(position.play(move), move, left_s, nodes)
        return [values[move] for move in moves]

    def _value_apart(self, after, move, budget_s, nodes):
        """The MoveValue of a move that led to that position, within these limits."""
        for_mover = -1
        if after.must_pass():
            after, for_mover = after.play(PASS), 1
        if after.is_over():
            score = for_mover * after.disc_difference()
            return MoveValue(move, score / HIGHEST_SCORE, False, None, outcome_of(score, score), 1)
        task = self._begin(after, time.monotonic(), budget_s, nodes)
        try:
            task.work(to_outcome=False)
        finally:
            self._task = None
        if not task.depth:
            return unknown(move)
        lower, upper = sorted((for_mover * task.lower, for_mover * task.upper))
        value = for_mover * task.score / HIGHEST_SCORE
        return MoveValue(move, value, False, None, outcome_of(lower, upper), task.depth + 1)

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """The Solution of a position with a legal move.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. exact: find the score
        after the outcome. What the limits leave no time for is None: the score, or both.
        """
        started = time.monotonic()
        task = self._begin(position, started, budget_s, nodes)
        try:
            task.work(to_outcome=not exact)
        finally:
            self._task = None
        outcome = outcome_of(task.lower, task.upper)
        return Solution(
            outcome,
            None,
            task.move() if outcome else None,
            task.nodes,
            time.monotonic() - started,
            task.score if task.lower == task.upper else None,
        )

    def _begin(self, position, started, budget_s, nodes):
        self._memory.set_size(position.size)
        self._memory.new_date()
        self._task = SearchTask(self._memory, position, started, budget_s, nodes)
        return self._task

    def knows(self, position):
        """Whether its words hold a board of that size."""
        return position.size <= LARGEST_SIZE

    def best_so_far(self):
        """The move a running search would answer now, or None; callable from another thread."""
        task = self._task
        return None if task is None else task.move_so_far()

    def nodes_in_use(self):
        """Positions that the table holds."""
        return self._memory.entries_in_use()

    def search_bytes(self):
        """Bytes of the search memory that hold something."""
        return self._memory.bytes_in_use()
