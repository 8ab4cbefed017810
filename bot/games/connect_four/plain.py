"""The rules of connect four and a small UCT search, on Python integers, for the guard and as the last fallback.

Standard library only, Python 3.8 syntax, quick to import. Sets of cells are integers in the bit order of board.py, in
which the kernels load them. Tests compare these rules with the rules of the kernels.
"""

import time

from bot.search.engine import Decision

from .board import CELLS_BYTES, COLUMN, COLUMN_BITS, board_cells, cell

_EXPLORATION = 1.0


class Position:
    """A position, seen by the side to move; immutable.

    `own` and `opponent` are sets of stones. `floor` is the set of the cells that stones fall to, one for each column
    that is not full. `board` is the set of all cells. `forbidden` contains the forbidden cell, and is 0 if there is
    none. All are integers as shown in board.py.
    """

    __slots__ = ("rows", "columns", "board", "forbidden", "own", "opponent", "floor")

    def __init__(self, rows, columns, board, forbidden, own, opponent, floor):
        self.rows, self.columns, self.board, self.forbidden = rows, columns, board, forbidden
        self.own, self.opponent, self.floor = own, opponent, floor

    def __eq__(self, other):
        return isinstance(other, Position) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def key(self):
        """Returns a tuple that is equal for equal positions and different for different ones."""
        return self.board, self.forbidden, self.own, self.opponent, self.floor

    def cells_and_forbidden(self):
        """Returns a tuple that is equal for two positions if their boards are equal apart from the stones."""
        return self.board, self.forbidden

    def cell_above(self, floor):
        """Returns the set of the next cells above the cells of `floor`.

        It skips the forbidden cell and ends at the top row.
        """
        above = floor << 1
        above += above & self.forbidden
        return above & self.board

    def legal_moves(self):
        """Returns the columns that are not full, in ascending order."""
        return columns_of(self.floor)

    def allows(self, column):
        """Returns whether a column is a legal move."""
        return column in self.legal_moves()

    def play(self, column):
        """Returns the position after the side to move has dropped a stone in `column`.

        Raises ValueError if the column is full or off the board.
        """
        placed = self.floor & (COLUMN << (COLUMN_BITS * column))
        if not placed:
            raise ValueError(f"column {column} is full or off the board")
        return Position(
            self.rows,
            self.columns,
            self.board,
            self.forbidden,
            self.opponent,
            self.own | placed,
            (self.floor ^ placed) | self.cell_above(placed),
        )

    def floor_row(self, column):
        """Returns the row, from the bottom, that a stone dropped in `column` falls to; -1 if the column is full."""
        return ((self.floor >> (COLUMN_BITS * column)) & COLUMN).bit_length() - 1

    def opponent_has_won(self):
        """Returns whether the side that has just moved has four in line."""
        return bool(winning_cells(self.opponent) & self.opponent)

    def plies(self):
        """Returns the number of stones on the board."""
        return bin(self.own | self.opponent).count("1")

    def free_cells(self):
        """Returns the number of free cells, not counting the forbidden one. It is the number of plies left."""
        return bin(self.board & ~(self.own | self.opponent | self.forbidden)).count("1")

    def to_bytes(self):
        """Returns the position in the form in which kernels load it: the uint16[80] of rules.load_root."""
        return b"".join(
            cells.to_bytes(CELLS_BYTES, "little")
            for cells in (self.own, self.opponent, self.floor, self.forbidden, self.board)
        )


def empty_position(rows, columns, forbidden=None):
    """Returns the start position. `forbidden` is (row from the bottom, column), or None if no cell is forbidden."""
    board = board_cells(rows, columns)
    forbidden_cell = cell(*forbidden) if forbidden is not None else 0
    floor = sum(cell(0, column) for column in range(columns))
    floor += floor & forbidden_cell
    return Position(rows, columns, board, forbidden_cell, 0, 0, floor & board)


def columns_of(cells):
    """Returns the columns that contain a cell of the set, in ascending order."""
    columns = []
    column = 0
    while cells:
        if cells & COLUMN:
            columns.append(column)
        cells >>= COLUMN_BITS
        column += 1
    return columns


def winning_cells(stones):
    """Returns the set of cells in which one more stone would complete a four with `stones`.

    The cells may be occupied or off the board.
    """
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1):
        before1, before2, before3 = stones << step, stones << 2 * step, stones << 3 * step
        after1, after2, after3 = stones >> step, stones >> 2 * step, stones >> 3 * step
        cells |= (before1 & before2 & (before3 | after1)) | (after1 & after2 & (after3 | before1))
    return cells


def tactical_columns(position):
    """Returns (outcome, columns worth playing), as far as a look at the next two plies tells.

    The outcome is "win" if each of the columns completes a four, "loss" if the opponent can complete a four next
    whatever is played, and None otherwise. If the outcome is None, the columns are the only column that blocks a four
    of the opponent. If there is nothing to block, they are all columns in which a stone does not come to lie below a
    winning cell of the opponent.
    """
    own_wins = columns_of(winning_cells(position.own) & position.floor)
    if own_wins:
        return "win", own_wins
    threats = winning_cells(position.opponent)
    blocks = columns_of(threats & position.floor)
    if blocks:
        return ("loss" if len(blocks) > 1 else None), blocks
    losing = columns_of(threats & position.cell_above(position.floor))
    legal = position.legal_moves()
    safe = [column for column in legal if column not in losing]
    return ("loss" if legal and not safe else None), safe or legal


def outcome_at_once(position):
    """Returns "win", "draw" or "loss" for the side that has just moved, or None if the next two plies do not tell."""
    if position.opponent_has_won():
        return "win"
    if not position.floor:
        return "draw"
    outcome, _ = tactical_columns(position)
    return {"win": "loss", "loss": "win"}.get(outcome)


def safe_move(position):
    """Returns a tactically safe move at once. The position must have a legal move.

    If possible, the move wins, or else blocks a four of the opponent, or else does not come to lie below a winning cell
    of the opponent. If several moves are equally good, it is the one nearest the centre.
    """
    _, columns = tactical_columns(position)
    return min(columns, key=lambda column: abs(2 * column - position.columns + 1))


class PlainSearch:
    """UCT with the same tactics as the kernels, about a thousand times slower. It needs nothing compiled.

    `seed` is any integer. `think` may be called with any sequence of positions. If the last tree contains the next
    position, that part of the tree is kept.
    """

    def __init__(self, seed):
        self._random = (seed * 2 + 1) & 0xFFFFFFFFFFFFFFFF
        self._root = None

    def think(self, position, deadline, clock=time.monotonic):
        """Search until `deadline`, in seconds of `clock`. Returns the Decision. The position must have a legal move."""
        started = clock()
        outcome, columns = tactical_columns(position)
        if outcome is not None:
            return Decision(
                safe_move(position),
                {"win": 1.0, "loss": -1.0}[outcome],
                outcome,
                "tactics",
                [],
                0,
                0,
                0,
                clock() - started,
            )
        self._root = root = self._kept_node(position) or _Node(position)
        known = root.visits
        while root.solved is None and clock() < deadline:
            self._iterate(root)
        if not root.children:
            return Decision(safe_move(position), 0.0, None, None, [], 0, 0, 0, clock() - started)
        column = max(root.children, key=lambda column: self._worth(root, column))
        proven = {1: "win", 0: "draw", -1: "loss", None: None}[root.solved]
        value = -root.children[column].total / root.children[column].visits if proven is None else float(root.solved)
        return Decision(
            column, value, proven, proven and "search", [column], root.visits - known, 0, 0, clock() - started
        )

    def _kept_node(self, position):
        """Returns the node of `position` in the last tree, two plies below its root, or None if there is none."""
        children = self._root.children.values() if self._root is not None else ()
        for child in children:
            for node in child.children.values():
                if node.position == position:
                    return node
        return None

    @staticmethod
    def _worth(root, column):
        child = root.children[column]
        return (child.solved == -1, child.solved != 1, child.visits)

    def _iterate(self, root):
        """Do one descent, expansion, rollout and backup."""
        path = [root]
        node = root
        while node.solved is None and not node.untried:
            node = node.select()
            path.append(node)
        if node.solved is None:
            column = node.untried.pop(self._below(len(node.untried)))
            child = _Node(node.position.play(column))
            node.children[column] = child
            path.append(child)
            node = child
        value = node.solved if node.solved is not None else self._rollout(node.position)
        for node in reversed(path):
            node.visits += 1
            node.total += value
            node.learn()
            value = -value

    def _below(self, bound):
        self._random ^= (self._random << 13) & 0xFFFFFFFFFFFFFFFF
        self._random ^= self._random >> 7
        self._random ^= (self._random << 17) & 0xFFFFFFFFFFFFFFFF
        return (self._random >> 32) * bound >> 32

    def _rollout(self, position):
        """Play one random game. Returns its result (-1, 0 or 1) for the side to move in `position`."""
        side = 1
        while position.floor:
            outcome, columns = tactical_columns(position)
            if outcome is not None:
                return side if outcome == "win" else -side
            position = position.play(columns[self._below(len(columns))])
            side = -side
        return 0


class _Node:
    """A node of the plain search.

    `total`, the sum of results, and `solved`, the proven result -1, 0, 1 or None, are for its side to move.
    """

    __slots__ = ("position", "visits", "total", "untried", "children", "lost", "solved")

    def __init__(self, position):
        self.position, self.visits, self.total = position, 0, 0.0
        outcome, self.untried = tactical_columns(position)
        self.children, self.lost = {}, set()
        self.solved = {"win": 1, "loss": -1}.get(outcome, None if self.untried else 0)

    def select(self):
        """Returns the child to descend to, by UCB1 among the moves that are not proven losses."""
        log_visits = (self.visits + 1).bit_length() * 0.7
        best, best_worth = None, None
        for column, child in self.children.items():
            if column in self.lost:
                continue
            worth = -child.total / child.visits + _EXPLORATION * (log_visits / child.visits) ** 0.5
            if best is None or worth > best_worth:
                best, best_worth = child, worth
        return best

    def learn(self):
        """Update the node's `solved` and `lost` from the proven results of its children."""
        if self.solved is not None:
            return
        for column, child in self.children.items():
            if child.solved == -1:
                self.solved = 1
                return
            if child.solved == 1:
                self.lost.add(column)
        if not self.untried and self.children:
            if len(self.lost) == len(self.children):
                self.solved = -1
            elif all(child.solved is not None for child in self.children.values()):
                self.solved = 0
