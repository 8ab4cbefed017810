"""An opponent in connect four that keeps the game going: it never makes four, and looks two plies ahead to prevent it.

Boards are integers here, a bit per cell, as an opponent that asked the rules for each line would take as long as the
players: column c's cell in row r, from the bottom, is bit c * (rows + 1) + r. The bit above each column is never set.
"""

import functools

from judge.games.check_cases import Opponent, picked
from judge.games.connect_four.rules import LINE_LENGTH, ConnectFour

# What a move costs, the worst first.
OWN_FOUR = 10**9
LOST_AT_ONCE = OWN_FOUR // 2  # and one for each cell that loses: the player may overlook one
LOST_SOON = LOST_AT_ONCE - 1
# What it costs to leave the player a line of four that holds so many stones of its own and none of the keeper's.
COST_OF_OPEN_LINE = (1, 4, 30, 200)


def keeper(seed: int, random_plies: int = 0) -> Opponent:
    """The opponent; the seed picks among moves that serve equally well.

    While the game is shorter than so many plies, all serve that do not end it.
    """

    def choose(position: ConnectFour, last_column: int | None) -> int:
        board = _Bits(position)
        costs = {column: board.cost_of(cell) for column, cell in board.landings.items()}
        least = min(costs.values())
        if len(position.moves) < random_plies:
            least = max(least, LOST_SOON - 1)
        column = picked([column for column, cost in costs.items() if cost <= least], seed, position)
        assert isinstance(column, int)  # as all of connect four's moves
        return column

    return choose


class _Bits:
    """A position as integers: `own` stones of the side to move, `other` of its opponent, {column: bit} of landings."""

    def __init__(self, position: ConnectFour) -> None:
        self.rows, self.height = position.rows, position.rows + 1
        self.lines = _lines(position.rows, position.cols)
        self.own = self.other = self.blocked = 0
        for row, owners in enumerate(position.owner):
            for column, owner in enumerate(owners):
                if owner == position.to_move:
                    self.own |= self._bit(row, column)
                elif owner is not None:
                    self.other |= self._bit(row, column)
        if position.forbidden is not None:
            self.blocked = self._bit(*position.forbidden)
        self.cells = sum(((1 << self.rows) - 1) << column * self.height for column in range(position.cols))
        self.landings = {column: self._bit(row, column) for row, column in position.legal_cells()}

    def _bit(self, row: int, column: int) -> int:
        return 1 << column * self.height + self.rows - 1 - row

    def cost_of(self, cell: int) -> int:
        """How bad it is to play the cell: it ends the game, now or soon, or leaves the player lines to complete."""
        own = self.own | cell
        if self._winning_cells(self.own) & cell:
            return OWN_FOUR
        lost = self._lost_with(own)
        return lost or sum(
            COST_OF_OPEN_LINE[(line & self.other).bit_count()]
            for line in self.lines
            if not line & (own | self.blocked) and line & ~self.other
        )

    def _lost_with(self, own: int) -> int:
        """LOST_AT_ONCE if the opponent, now to move, makes four, LOST_SOON if it can threaten two; else 0."""
        free = self.cells & ~(own | self.other | self.blocked)
        landings = self._landing_cells(free)
        winning = self._winning_cells(self.other) & landings
        if winning:
            return LOST_AT_ONCE + winning.bit_count()
        for cell in _bits_of(landings):
            left = free & ~cell
            threats = self._winning_cells(self.other | cell) & self._landing_cells(left)
            if threats.bit_count() > 1:
                return LOST_SOON
            # The keeper answers the only threat, and the opponent makes four above it.
            if threats and self._winning_cells(self.other | cell) & self._landing_cells(left & ~threats) & ~threats:
                return LOST_SOON
        return 0

    def _landing_cells(self, free: int) -> int:
        """The lowest free cell of each column; the forbidden cell is not free, and stones fall past it."""
        found = 0
        column = (1 << self.rows) - 1
        while column <= self.cells:
            inside = free & column
            found |= inside & -inside
            column <<= self.height
        return found

    def _winning_cells(self, stones: int) -> int:
        """The cells, taken ones too, that would make four with these stones."""
        found = 0
        for step in (1, self.height - 1, self.height, self.height + 1):
            up1, up2, up3 = stones >> step, stones >> 2 * step, stones >> 3 * step
            down1, down2, down3 = stones << step, stones << 2 * step, stones << 3 * step
            found |= (up1 & up2 & up3) | (down1 & up1 & up2) | (down1 & down2 & up1) | (down1 & down2 & down3)
        return found & self.cells


def _bits_of(cells: int) -> list[int]:
    found = []
    while cells:
        found.append(cells & -cells)
        cells &= cells - 1
    return found


@functools.cache
def _lines(rows: int, columns: int) -> tuple[int, ...]:
    """Every line of four on the board, as bits."""
    height, found = rows + 1, []
    for column in range(columns):
        for row in range(rows):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                end_column, end_row = column + 3 * right, row + 3 * up
                if end_column < columns and 0 <= end_row < rows:
                    cells = ((column + n * right) * height + row + n * up for n in range(LINE_LENGTH))
                    found.append(sum(1 << cell for cell in cells))
    return tuple(found)
