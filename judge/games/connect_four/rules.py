"""The referee's rules of connect four with gravity and a forbidden cell, written for clarity instead of speed.

Players are 0 (moves first) and 1. Row 0 is the top row and column 0 the left one. The rules share no code with the
bot's kernels, so that tests can compare the two.
"""

from judge.games.positions import AFTER_THE_END, AnyMove, Cell, IllegalMove, Owners, check_range
from judge.language import _, recorded

SMALLEST_SIDE = 4
LARGEST_SIDE = 12
LINE_LENGTH = 4
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

EMPTY = None
# Reasons, as records store them.
NO_COLUMN = recorded("{column} is no column, expected an integer", "connect_four.no_column")
OFF_THE_BOARD = recorded("column {column} is off the board, expected 0..{last}", "connect_four.off_the_board")
FULL = recorded("column {column} is full, expected one of {columns}", "connect_four.full")
ROW_OFF_THE_BOARD = recorded(
    "row {row} in column {column} is off the board, expected 0..{last}", "connect_four.row_off_the_board"
)
FORBIDDEN = recorded(
    "row {row} in column {column} is the forbidden cell: a stone in this column comes to rest in row {landing}",
    "connect_four.forbidden",
)
FORBIDDEN_AND_FULL = recorded(
    "row {row} in column {column} is the forbidden cell, and the rest of the column is full: expected one of {columns}",
    "connect_four.forbidden_and_full",
)
TAKEN = recorded(
    "row {row} in column {column} is taken: a stone in this column comes to rest in row {landing}",
    "connect_four.taken",
)
IN_THE_AIR = recorded(
    "row {row} in column {column} is in the air: a stone falls on to row {landing} (row 0 is on top)",
    "connect_four.in_the_air",
)
# Older records hold this reason in place of FORBIDDEN, FORBIDDEN_AND_FULL, TAKEN and IN_THE_AIR.
recorded("row {row} in column {column} is not where a stone lands, expected row {landing}", "connect_four.wrong_row")
COLUMN = recorded("column {column}", "connect_four.column")


class ConnectFour:
    """A position and the moves that led to it.

    `rows` and `cols` are from 4 to 12. `forbidden` is a (row, column) on the board, or None. `owner[row][column]` is 0,
    1 or EMPTY. Raises ValueError, which names the argument that is out of range.
    """

    def __init__(self, rows: int, cols: int, forbidden: Cell | None = None) -> None:
        check_range("rows", rows, SMALLEST_SIDE, LARGEST_SIDE)
        check_range("cols", cols, SMALLEST_SIDE, LARGEST_SIDE)
        if forbidden is not None:
            forbidden = forbidden[0], forbidden[1]
            if not (0 <= forbidden[0] < rows and 0 <= forbidden[1] < cols):
                message = _("forbidden cell {cell} is off the {rows} x {cols} board")
                raise ValueError(message.format(cell=forbidden, rows=rows, cols=cols))
        self.rows = rows
        self.cols = cols
        self.forbidden = forbidden
        self.owner: list[list[int | None]] = [[EMPTY] * cols for _ in range(rows)]
        self.moves: list[Cell] = []
        self.winner: int | None = None
        self._first = 0

    @property
    def to_move(self) -> int:
        """The player whose turn it is: 0 or 1. Meaningless when the game is over."""
        return (self._first + len(self.moves)) % 2

    def set_up(self, owner: Owners, to_move: int) -> None:
        """Put the stones `owner` on the empty board, unchecked, and let player `to_move` move.

        Precondition: no move was played.
        """
        self.owner = [list(row) for row in owner]
        self._first = to_move

    @property
    def last(self) -> Cell | None:
        """The (row, column) of the last stone, None before the first stone."""
        return self.moves[-1] if self.moves else None

    @property
    def full(self) -> bool:
        """True when no column takes another stone."""
        return all(self.landing_row(column) is None for column in range(self.cols))

    @property
    def over(self) -> bool:
        """True when somebody has won or the board is full."""
        return self.winner is not None or self.full

    def landing_row(self, column: int) -> int | None:
        """Return the row where a stone dropped into the column lands, None if the column is full.

        A stone falls to the lowest cell that is neither taken nor forbidden. Raise IndexError for a column off the
        board.
        """
        if not 0 <= column < self.cols:
            raise IndexError(OFF_THE_BOARD.format(column=column, last=self.cols - 1))
        for row in reversed(range(self.rows)):
            if self.owner[row][column] is EMPTY and (row, column) != self.forbidden:
                return row
        return None

    def legal_cells(self) -> list[Cell]:
        """Return every cell that the side to move may play, from the left; [] if the game is over."""
        if self.winner is not None:
            return []
        landings = [(self.landing_row(column), column) for column in range(self.cols)]
        return [(row, column) for row, column in landings if row is not None]

    def legal_moves(self) -> list[int]:
        """Return the columns of legal_cells()."""
        return [column for _, column in self.legal_cells()]

    def play(self, column: AnyMove) -> Cell:
        """Drop a stone of the side to move into the column, and return its (row, column).

        Raise IllegalMove if the game is over, or the column is full, off the board or a text.
        """
        if self.over:
            raise IllegalMove(AFTER_THE_END.format(move=COLUMN.format(column=column)))
        if isinstance(column, str):
            raise IllegalMove(NO_COLUMN.format(column=repr(column)))
        if not 0 <= column < self.cols:
            raise IllegalMove(OFF_THE_BOARD.format(column=column, last=self.cols - 1))
        row = self.landing_row(column)
        if row is None:
            raise IllegalMove(FULL.format(column=column, columns=self.legal_moves()))
        player = self.to_move
        self.owner[row][column] = player
        self.moves.append((row, column))
        if self.completes_line(row, column):
            self.winner = player
        return row, column

    def play_cell(self, row: int, column: int) -> Cell:
        """Drop a stone into the column if it lands in this row; return (row, column).

        Raise IllegalMove if the game is over, the column is full or off the board, or the stone lands in another row.
        The `cell` of the exception is the number of this cell, None if it is off the board.
        """
        is_on_board = 0 <= row < self.rows and 0 <= column < self.cols
        try:
            if 0 <= column < self.cols and not self.over:
                self._check_row(row, column)
            return self.play(column)
        except IllegalMove as error:
            error.cell = row * self.cols + column if is_on_board else None
            raise

    def _check_row(self, row: int, column: int) -> None:
        """Raise IllegalMove, which says why, if a stone in this column of the board does not land in this row.

        Of a full column only the forbidden cell is refused here; play() refuses the others.
        """
        landing = self.landing_row(column)
        fields = {
            "row": row,
            "column": column,
            "landing": landing,
            "last": self.rows - 1,
            "columns": self.legal_moves(),
        }
        if (row, column) == self.forbidden:
            raise IllegalMove((FORBIDDEN_AND_FULL if landing is None else FORBIDDEN).format(**fields))
        if landing is None or landing == row:
            return
        if not 0 <= row < self.rows:
            raise IllegalMove(ROW_OFF_THE_BOARD.format(**fields))
        raise IllegalMove((IN_THE_AIR if row < landing else TAKEN).format(**fields))

    def completes_line(self, row: int, column: int) -> bool:
        """Return True if the stone at (row, column) is part of a line of at least four stones of its owner."""
        return any(len(self.line_through(row, column, step)) >= LINE_LENGTH for step in DIRECTIONS)

    def line_through(self, row: int, column: int, step: tuple[int, int]) -> list[Cell]:
        """Return, in order, the cells of the unbroken line of one owner's stones through (row, column).

        `step` is the (rows, columns) from one cell of the line to the next.
        """
        behind = self.stones_from(row, column, (-step[0], -step[1]))
        return behind[::-1] + [(row, column)] + self.stones_from(row, column, step)

    def stones_from(self, row: int, column: int, step: tuple[int, int]) -> list[Cell]:
        """Return the cells of the unbroken line of stones that begins beside (row, column), nearest first.

        All its stones have the owner of the stone at (row, column), which is left out. `step` is the direction: the
        (rows, columns) from one cell to the next.
        """
        owner = self.owner[row][column]
        cells = []
        row, column = row + step[0], column + step[1]
        while 0 <= row < self.rows and 0 <= column < self.cols and self.owner[row][column] == owner:
            cells.append((row, column))
            row, column = row + step[0], column + step[1]
        return cells

    def winning_cells(self) -> set[Cell]:
        """Return the cells of every line that the last stone has completed; an empty set if nobody has won."""
        if self.winner is None:
            return set()
        lines = [self.line_through(*self.moves[-1], step) for step in DIRECTIONS]
        return {cell for line in lines if len(line) >= LINE_LENGTH for cell in line}

    def tops(self) -> tuple[int, ...]:
        """Return for each column its landing row plus 1: from this row on down all cells are taken or forbidden.

        It is 0 for a full column, and `rows` for an empty column whose lowest cell is not forbidden.
        """
        landings = [self.landing_row(column) for column in range(self.cols)]
        return tuple(0 if row is None else row + 1 for row in landings)

    def board_for(self, player: int) -> tuple[int, ...]:
        """Return the cells row by row from the top: 0 free or forbidden, 1 the opponent's stone, 2 the player's own."""
        value = {EMPTY: 0, player: 2, 1 - player: 1}
        return tuple(value[owner] for row in self.owner for owner in row)
