"""The strong engine for boards up to 8x8: it searches one ply deeper again and again, then to the end of the game.

Standard library only. The kernels of pvs.py search, in the memory that memory.py shows. Towards the end of the game the
engine searches to the very end: first with generous probes (pvs.py), which tell what is likely, then with stricter
probes, then without probes. The search without probes first finds out whether the position is won, then the score.
"""

import time

from bot.search.engine import Decision, Engine, MoveValue, Solution, decided, outcome_of, unknown
from bot.search.limits import NO_LIMIT, PROCESS_MB, check_memory, count_or_no_limit, next_slice_s

from .board import PASS, ROW_BITS
from .memory import EXACT, NO_SQUARE, SearchMemory
from .plain import safe_move
from .weights import WeightsError, stored_weights, unpack_weights

# {level (pvs.py): log2 of the number of positions that a search to the end visits with AT_EMPTY empty squares}, and the
# rise of that logarithm with each further empty square. The numbers are means over 40 positions each with 16, 18, .. 24
# empty squares, from games of the engine against itself. The standard deviation of the logarithm is 1.4, and 2 for
# exact searches.
AT_EMPTY = 20
MEANS = {1: 17.0, 3: 18.4, 5: 20.0, 7: 20.3}
RISES = {1: 0.78, 3: 0.84, 5: 1.0, 7: 1.1}
# Added to the mean logarithm, so that most searches visit fewer positions.
MARGIN = 0.5


def nodes_to_solve(empty, level):
    """Returns a number of positions that suffices for most searches to the end, at `level`.

    The position has `empty` empty squares.
    """
    return 2.0 ** (MEANS[level] + MARGIN + RISES[level] * (empty - AT_EMPTY))


SIDE = 8
HIGHEST_SCORE = 64
# The levels (pvs.py) of the searches in the midgame, and of the searches to the end, which are made one after another
# before the exact search.
MIDGAME_LEVEL = 1
ENDGAME_LEVELS = (1, 3, 5)
# Half the width of the first window of a search. The middle of the window is the score of the search before.
_HALF_WINDOW = 3
# With at most so many empty squares, the exact score is found in about a millisecond.
_SOLVED_AT_ONCE = 12
# The speed in nodes a second that is assumed until it has been measured for _MEASURED_S seconds.
_FIRST_SPEED, _MEASURED_S = 1.5e7, 0.01
_ROW = (1 << SIDE) - 1


class _OutOfLimits(Exception):
    """The limit of time or nodes is used up."""


def packed(cells):
    """Convert a set of cells, on a board up to 8x8, from 16 bits for each row to 8 bits for each row."""
    return sum((cells >> ROW_BITS * row & _ROW) << SIDE * row for row in range(SIDE))


def cell_of(square):
    """Returns the number of the cell that a kernel's square stands for."""
    return ROW_BITS * (square // SIDE) + square % SIDE


class SearchTask:
    """The search of one position, and what is known of the position after `work`. The position must have a legal move.

    `memory` is a SearchMemory. `budget_s` limits the seconds from `started`, a time of time.monotonic(). `nodes` limits
    the number of positions. None means no limit. `lower` and `upper` are proven bounds of the score, `score` is the
    best estimate between them, and `depth` is the number of plies of the last search that was finished.
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
        """Search until the score is known or a limit is reached.

        If `to_outcome` is true, stop when win, draw or loss is known.
        """
        try:
            if self._empty > _SOLVED_AT_ONCE:
                self._approach()
            self._finish(to_outcome)
        except _OutOfLimits:
            pass

    def _approach(self):
        """Search deeper and deeper until a search to the end of the game is within reach.

        Then search to the end with probes.
        """
        depth = 1
        while 2 * depth <= self._empty or (depth < self._empty and not self._can_solve(ENDGAME_LEVELS[0])):
            self._search(depth, MIDGAME_LEVEL)
            depth += 1
        for level in ENDGAME_LEVELS:
            self._search(self._empty, level)
            if self._can_solve(EXACT):
                return

    def _can_solve(self, level):
        """Returns whether a search to the end at `level` is expected to fit the limits."""
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
        """Find out whether the position is won, drawn or lost, and then the score unless `to_outcome` is true."""
        self._narrow(self._empty, EXACT, -1, 1)
        while self.lower < self.upper and not (to_outcome and (self.lower > 0 or self.upper < 0)):
            guess = min(max(self.score, self.lower), self.upper)
            self._narrow(
                self._empty, EXACT, max(guess - _HALF_WINDOW, self.lower - 1), min(guess + _HALF_WINDOW, self.upper + 1)
            )

    def _narrow(self, depth, level, alpha, beta):
        """Search in the window (alpha, beta), and update the bounds and the estimate of the score with the result."""
        found = self._ask(depth, level, alpha, beta)
        if found < beta:
            self.upper = min(self.upper, found)
        if found > alpha:
            self.lower = max(self.lower, found)
        self.score = min(max(found, self.lower), self.upper)
        self.depth = depth

    def _search(self, depth, level):
        """Search `depth` plies deep, with windows around the last search's score. Updates `score` and `depth`."""
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
        """Returns the score that a search in the window (alpha, beta) finds.

        Raises _OutOfLimits if a limit is reached.
        """
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
        """Returns the cell of the best move known, or None if none is known yet. Any thread may call it."""
        square = self._memory.best_square()
        if square == NO_SQUARE:
            square = self._square
        return None if square == NO_SQUARE else cell_of(square)

    def move(self):
        """Returns the cell of the best move known, or of a sensible move if none is known."""
        return safe_move(self._position) if self._square == NO_SQUARE else cell_of(self._square)

    def line(self):
        """Returns the best move and the moves that follow it according to the table, without passes."""
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
# If there is only one legal move, a short search is enough to find its value.
_NODES_WITHOUT_CHOICE = 50_000


class ReversiEngine(Engine):
    """The search of one game.

    Positions are plain.Position values of at most LARGEST_SIZE. Moves are cells' numbers or PASS. `kernels` is a module
    with the entry points pvs and prepare_weights of kernels.py. Of `settings` only move_seconds is used. `memory_mb` is
    the memory that the whole process may take, in megabytes. `seed` is ignored, because nothing is random. `weights`
    are the bytes of a weights file; None stands for the package's file, and b"" for playing without weights.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings, memory_mb, seed, weights=None):
        check_memory(memory_mb)
        self._settings = settings
        self._memory = SearchMemory(kernels, memory_mb - PROCESS_MB, self._unpacked(weights))
        self._task = None

    def _unpacked(self, weights):
        """Returns the argument `weights` of SearchMemory. `weights` here is the argument of ReversiEngine.

        If the package's file cannot be read, returns None and sets a warning.
        """
        if weights is not None:
            return unpack_weights(weights) if weights else None
        try:
            return stored_weights()
        except WeightsError as error:
            self.warning = f"it plays without its weights: {error}"
            return None

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the position must have a legal move. A pass is answered at once.

        `budget_s` limits the time in seconds from now. The setting move_seconds caps it, unless that setting is 0.
        `iterations` limits the number of nodes. If both are None, the search ends when the score is known. Without
        `budget_s`, the same calls give the same decisions on every machine. The Decision's value is the difference in
        discs that the best move leads to, divided by 64.
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
        """See Engine.move_values. The decision's move has the decision's value; each other move is searched separately.

        The separate searches are needed, because the search for the best move only proves that the other moves are not
        better.
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
        """Returns the MoveValue of `move`, which leads to the position `after`, by a search of that position.

        `budget_s` and `nodes` limit the search.
        """
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
        """Returns the Solution of a position with a legal move.

        The search takes at most `budget_s` seconds and `nodes` positions. None means no limit. With `exact` it finds
        the score after the outcome. If a limit ends the search, the score, or the outcome and the score, are None.
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
        """Returns whether the engine can play on the position's board: at most 8x8."""
        return position.size <= LARGEST_SIZE

    def best_so_far(self):
        """Returns the move that a running search prefers now, or None. Any thread may call it."""
        task = self._task
        return None if task is None else task.move_so_far()

    def nodes_in_use(self):
        """Returns the number of positions in the table."""
        return self._memory.entries_in_use()

    def search_bytes(self):
        """Returns the number of bytes of the search memory that are in use."""
        return self._memory.bytes_in_use()
