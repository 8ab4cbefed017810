"""The rules of reversi and a small search, on Python integers, for the guard and as the last fallback.

Standard library only, Python 3.8 syntax, quick to import. Sets of cells are integers in the bit order of board.py.
Tests compare these rules with the rules of the kernels.
"""

import time

from bot.search.engine import Decision

from .board import CELLS_BYTES, PASS, ROW_BITS, board_cells, cell

# Steps from a cell to its neighbours east, south-west, south and south-east; the other four are the same steps back.
_STEPS = (1, ROW_BITS - 1, ROW_BITS, ROW_BITS + 1)
# Weights of _opinion(). One move more than the other side has is worth 1.
_CORNER_WORTH = 8
_NEAR_CORNER_WORTH = 3
# The search value that is shown as 0.5.
_HALF_SURE = 12
_DEEPEST = 60
_WON = 1000


class _OutOfTime(Exception):
    pass


class Position:
    """A position, seen by the side to move; immutable.

    `size` is the number of rows and of columns. `own` and `opponent` are the sets of the cells with discs of the side
    to move and of the other side (board.py).
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
        """Returns a tuple that is equal for equal positions and different for different ones."""
        return self.size, self.own, self.opponent

    def legal_cells(self):
        """Returns the set of cells on which the side to move turns discs."""
        if self._cells is None:
            self._cells = reached_cells(self.size, self.own, self.opponent)
        return self._cells

    def must_pass(self):
        """Returns whether the side to move has no move and the other side has one."""
        return not self.legal_cells() and bool(reached_cells(self.size, self.opponent, self.own))

    def is_over(self):
        """Returns whether neither side has a move."""
        return not self.legal_cells() and not self.must_pass()

    def legal_moves(self):
        """Returns the numbers of the legal cells, 16 * row + column, in ascending order.

        Returns [PASS] if the side to move has to pass, and [] at the end of the game.
        """
        if self.legal_cells():
            return cells_of(self.legal_cells())
        return [PASS] if self.must_pass() else []

    def allows(self, move):
        """Returns whether a move is legal."""
        return move in self.legal_moves()

    def flips(self, move):
        """Returns the set of the opponent's discs that an own disc on the cell `move` turns."""
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
        """Returns the position after the side to move has played a cell or passed.

        Raises ValueError for an illegal move.
        """
        if move == PASS:
            if not self.must_pass():
                raise ValueError("a pass where it is not allowed")
            return Position(self.size, self.opponent, self.own)
        turned = self.flips(move) if move >= 0 and self.legal_cells() >> move & 1 else 0
        if not turned:
            raise ValueError(f"cell {move} is no legal move")
        return Position(self.size, self.opponent ^ turned, self.own | turned | 1 << move)

    def free_cells(self):
        """Returns the number of cells without a disc."""
        return self.size * self.size - count(self.own | self.opponent)

    def plies(self):
        """Returns the number of moves played, without passes.

        It is the number of discs on the board less the first four.
        """
        return count(self.own | self.opponent) - 4

    def disc_difference(self):
        """Returns the number of own discs less the number of the opponent's discs.

        If the game is over, the free cells count as discs of the winner.
        """
        own, opponent = count(self.own), count(self.opponent)
        return own - opponent + (self.free_cells() * ((own > opponent) - (own < opponent)) if self.is_over() else 0)

    def to_bytes(self):
        """Returns the position in the form in which kernels load it: the uint16[48] of rules.load_root.

        The array holds own, opponent and the set of all cells.
        """
        return b"".join(
            cells.to_bytes(CELLS_BYTES, "little") for cells in (self.own, self.opponent, board_cells(self.size))
        )


def start_position(size):
    """Returns the start position, in which the first mover is to move.

    Two discs of each side lie on the four cells in the middle. On a board of odd size they lie next to the middle.
    """
    low = (size - 1) // 2
    return Position(size, cell(low, low + 1) | cell(low + 1, low), cell(low, low) | cell(low + 1, low + 1))


def reached_cells(size, own, opponent):
    """Returns the cells on which the side with the discs `own` turns discs.

    From such an empty cell a line of the opponent's discs leads to an own disc.
    """
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
    """Returns the numbers of the cells in a set, in ascending order."""
    numbers = []
    while cells:
        lowest = cells & -cells
        numbers.append(lowest.bit_length() - 1)
        cells ^= lowest
    return numbers


def count(cells):
    """Returns the number of cells in a set."""
    return bin(cells).count("1")


def corners(size):
    """Returns the set of the four corners of a board with `size` rows."""
    return cell(0, 0) | cell(0, size - 1) | cell(size - 1, 0) | cell(size - 1, size - 1)


def safe_move(position):
    """Returns a sensible move at once: a corner, or else the move that leaves the opponent the fewest moves.

    The position must have a legal move. Returns PASS if only a pass is possible.
    """
    moves = position.legal_moves()
    if moves == [PASS]:
        return PASS
    return min(
        moves, key=lambda move: (not corners(position.size) >> move & 1, count(position.play(move).legal_cells()), move)
    )


class PlainSearch:
    """Alpha-beta with iterative deepening, about a thousand times slower than the kernels.

    It needs nothing compiled.
    """

    def __init__(self, seed):
        """`seed` is ignored, because nothing here is random. Every PlainSearch has this argument."""
        self._nodes = 0

    def think(self, position, deadline, clock=time.monotonic):
        """Search until `deadline`, in seconds of `clock`. Returns the Decision. The position must have a legal move."""
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
        """Returns (value, move) of the best move in `moves`. The positions after them are searched `depth` plies deep.

        Raises _OutOfTime.
        """
        best_value, best_move = -2 * _WON, None
        for move in moves:
            value = -self._value(position.play(move), depth, -2 * _WON, -best_value, deadline, clock)
            if value > best_value:
                best_value, best_move = value, move
        return best_value, best_move

    def _value(self, position, depth, alpha, beta, deadline, clock):
        """Returns the value of a position for its side to move.

        Searches `depth` plies in the window (alpha, beta). Raises _OutOfTime when the clock has reached `deadline`.
        """
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
            # A pass does not count as a ply, because the board gets no fuller.
            value = -self._value(position.play(move), depth - (move != PASS), -beta, -alpha, deadline, clock)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return alpha


def _opinion(position):
    """Returns the value of an unfinished position for the side to move.

    It compares both sides' numbers of moves, of discs in corners, and of discs diagonally next to free corners.
    """
    size, own, opponent = position.size, position.own, position.opponent
    corner_cells = corners(size)
    mobility = count(position.legal_cells()) - count(reached_cells(size, opponent, own))
    held = count(own & corner_cells) - count(opponent & corner_cells)
    beside = _next_to(corner_cells & ~(own | opponent)) & board_cells(size)
    risked = count(own & beside) - count(opponent & beside)
    return mobility + _CORNER_WORTH * held - _NEAR_CORNER_WORTH * risked


def _next_to(cells):
    """Returns the cells diagonally next to any cell of the set `cells`. The result may contain cells off the board."""
    return cells << ROW_BITS + 1 | cells << ROW_BITS - 1 | cells >> ROW_BITS + 1 | cells >> ROW_BITS - 1
