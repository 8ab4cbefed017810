"""One position looked into by the 8x8 search: deeper and deeper, then to the game's end. Standard library only."""

import time

from bot.search.limits import NO_LIMIT, count_or_no_limit, next_slice_s

from ..endgame.cost import nodes_to_solve
from ..plain import safe_move
from ..rules.board import PASS, ROW_BITS
from .search_memory import NO_SQUARE

SIDE = 8
HIGHEST_SCORE = 64
# What probes are trusted with (open.py): in the midgame, then one after another at the end, and none at last.
MIDGAME_LEVEL = 1
ENDGAME_LEVELS = (1, 3, 5)
EXACT = 7
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
