"""The rules of reversi and a small search on Python integers: the guard's own knowledge and the last fallback.

Standard library only, Python 3.8 syntax, quick to import. Sets of cells are integers in the bit order of
board.py; tests hold the rules to the kernels.
"""

import time

from bot.search.engine import Decision

from .board import CELLS_BYTES, PASS, ROW_BITS, board_cells, cell

# From a cell to its neighbours east, south-west, south and south-east; the other four are the same steps back.
_STEPS = (1, ROW_BITS - 1, ROW_BITS, ROW_BITS + 1)
# What the small search thinks of a position before its end, in moves that one side has more than the other.
_CORNER_WORTH = 8
_NEAR_CORNER_WORTH = 3
# A value that is shown as a half.
_HALF_SURE = 12
_DEEPEST = 60
_WON = 1000


class _OutOfTime(Exception):
    pass


class Position:
    """One position, seen by the side to move; never changed after it is made.

    size: rows and columns; own, opponent: sets of discs as drawn in board.py.
    """

    __slots__ = ("size", "own", "opponent", "_cells")

    def __init__(self, size, own, opponent):
        self.size, self.own, self.opponent = size, own, opponent
        self._cells = None

    def __eq__(self, other):
        return isinstance(other, Position) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def key(self):
        """Everything that makes two positions the same."""
        return self.size, self.own, self.opponent

    def legal_cells(self):
        """The set of cells on which the side to move turns discs."""
        if self._cells is None:
            self._cells = reached_cells(self.size, self.own, self.opponent)
        return self._cells

    def must_pass(self):
        """Whether the side to move has no move and the other has one."""
        return not self.legal_cells() and bool(reached_cells(self.size, self.opponent, self.own))

    def is_over(self):
        """Whether neither side has a move."""
        return not self.legal_cells() and not self.must_pass()

    def legal_moves(self):
        """Numbers of the cells, 16 * row + column, ascending; [PASS] where a pass is all there is, [] at the end."""
        if self.legal_cells():
            return cells_of(self.legal_cells())
        return [PASS] if self.must_pass() else []

    def allows(self, move):
        """Whether a move is one of the legal ones."""
        return move in self.legal_moves()

    def flips(self, move):
        """The set of discs that a disc on that cell would turn."""
        placed, turned = 1 << move, 0
        for step in _STEPS:
            for shift in (int.__lshift__, int.__rshift__):
                line, reached = 0, shift(placed, step)
                while reached & self.opponent:
                    line |= reached
                    reached = shift(reached, step)
                if reached & self.own:
                    turned |= line
        return turned

    def play(self, move):
        """The position after the side to move has played a cell or passed. ValueError for anything not legal."""
        if move == PASS:
            if not self.must_pass():
                raise ValueError("a pass where it is not allowed")
            return Position(self.size, self.opponent, self.own)
        turned = self.flips(move) if move >= 0 and self.legal_cells() >> move & 1 else 0
        if not turned:
            raise ValueError(f"cell {move} is no legal move")
        return Position(self.size, self.opponent ^ turned, self.own | turned | 1 << move)

    def free_cells(self):
        """Cells without a disc."""
        return self.size * self.size - count(self.own | self.opponent)

    def plies(self):
        """Discs on the board beyond the first four: moves played, passes aside."""
        return count(self.own | self.opponent) - 4

    def disc_difference(self):
        """Own discs less the opponent's; at the end the winner is given the free cells."""
        own, opponent = count(self.own), count(self.opponent)
        return own - opponent + (self.free_cells() * ((own > opponent) - (own < opponent)) if self.is_over() else 0)

    def to_bytes(self):
        """The form in which kernels load it, position.load_root's uint16[48]: own, opponent, board."""
        return b"".join(
            cells.to_bytes(CELLS_BYTES, "little") for cells in (self.own, self.opponent, board_cells(self.size))
        )


def start_position(size):
    """Two discs of each side on the four cells in the middle (of an odd size, next to it), the first mover to play."""
    low = (size - 1) // 2
    return Position(size, cell(low, low + 1) | cell(low + 1, low), cell(low, low) | cell(low + 1, low + 1))


def reached_cells(size, own, opponent):
    """The set of empty cells from which a line of the opponent's discs leads to an own one."""
    empty = board_cells(size) & ~(own | opponent)
    found = 0
    for step in _STEPS:
        onward, back = own << step & opponent, own >> step & opponent
        for _ in range(size - 3):
            onward |= onward << step & opponent
            back |= back >> step & opponent
        found |= onward << step | back >> step
    return found & empty


def cells_of(cells):
    """Numbers of the cells in a set, ascending."""
    numbers = []
    while cells:
        lowest = cells & -cells
        numbers.append(lowest.bit_length() - 1)
        cells ^= lowest
    return numbers


def count(cells):
    """How many cells a set has."""
    return bin(cells).count("1")


def corners(size):
    """The set of the four corners."""
    return cell(0, 0) | cell(0, size - 1) | cell(size - 1, 0) | cell(size - 1, size - 1)


def safe_move(position):
    """A sensible move at once: a corner, else what leaves the opponent the fewest moves.

    The position must have a legal move; where only a pass is possible, PASS.
    """
    moves = position.legal_moves()
    if moves == [PASS]:
        return PASS
    return min(
        moves, key=lambda move: (not corners(position.size) >> move & 1, count(position.play(move).legal_cells()), move)
    )


class PlainSearch:
    """Alpha-beta one ply deeper and deeper, some thousand times slower than the kernels; it needs nothing compiled."""

    def __init__(self, seed):
        """seed: taken for the interface's sake; nothing here is left to chance."""
        self._nodes = 0

    def think(self, position, deadline, clock=time.monotonic):
        """The Decision after searching until `deadline` (seconds of `clock`); the position needs a legal move."""
        started = clock()
        self._nodes = 0
        moves = position.legal_moves()
        best, value, depth = safe_move(position), 0, 0
        if len(moves) > 1:
            free_cells = position.free_cells()
            moves.sort(key=lambda move: move != best)
            try:
                while depth < min(free_cells, _DEEPEST) and abs(value) < _WON:
                    value, best = self._best_of(position, moves, depth, deadline, clock)
                    depth += 1
                    moves.sort(key=lambda move: move != best)
            except _OutOfTime:
                pass
        proven = {True: "win", False: "loss"}[value > 0] if abs(value) >= _WON else None
        shown = {"win": 1.0, "loss": -1.0}.get(proven, value / (abs(value) + _HALF_SURE))
        return Decision(best, shown, proven, proven and "search", [best], self._nodes, depth, 0, clock() - started)

    def _best_of(self, position, moves, depth, deadline, clock):
        """(value, move) of the best move of the root, `depth` more plies looked at after each."""
        best_value, best_move = -2 * _WON, None
        for move in moves:
            value = -self._value(position.play(move), depth, -2 * _WON, -best_value, deadline, clock)
            if value > best_value:
                best_value, best_move = value, move
        return best_value, best_move

    def _value(self, position, depth, alpha, beta, deadline, clock):
        """Negamax value for the side to move; raises _OutOfTime."""
        self._nodes += 1
        if clock() >= deadline:
            raise _OutOfTime
        moves = position.legal_moves()
        if not moves:
            difference = position.disc_difference()
            return difference + _WON * ((difference > 0) - (difference < 0))
        if depth == 0:
            return _opinion(position)
        for move in moves:
            # A pass leads no nearer to the end: it takes no depth.
            value = -self._value(position.play(move), depth - (move != PASS), -beta, -alpha, deadline, clock)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return alpha


def _opinion(position):
    """What an unfinished position is worth to the side to move: moves, corners, and cells next to free corners."""
    size, own, opponent = position.size, position.own, position.opponent
    corner_cells = corners(size)
    mobility = count(position.legal_cells()) - count(reached_cells(size, opponent, own))
    held = count(own & corner_cells) - count(opponent & corner_cells)
    beside = _next_to(corner_cells & ~(own | opponent)) & board_cells(size)
    risked = count(own & beside) - count(opponent & beside)
    return mobility + _CORNER_WORTH * held - _NEAR_CORNER_WORTH * risked


def _next_to(cells):
    """The cells diagonally next to some of a set; bits off the board may be set."""
    return cells << ROW_BITS + 1 | cells << ROW_BITS - 1 | cells >> ROW_BITS + 1 | cells >> ROW_BITS - 1
