"""The referee's rules of reversi, written for clarity instead of speed.

Players are 0 (black, moves first) and 1. Row 0 is the top row and column 0 the left one. A move is written as
the column's letter and the row's number from 1 at the top, so "d3" is row 2, column 3. The rules share no code with
the bot's kernels, so that tests can compare the two.
"""

from collections.abc import Iterable

from judge.games.positions import (
    AFTER_THE_END,
    AnyMove,
    Cell,
    IllegalMove,
    Owners,
    check_range,
    counts_of,
    leader,
    play_opening,
)
from judge.language import recorded

SMALLEST_SIZE = 4
LARGEST_SIZE = 10
LETTERS = "abcdefghij"
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))

EMPTY = None
# Reasons, as records store them.
NO_CELL = recorded("{move} is no cell, expected a letter and a number such as d3", "reversi.no_cell")
OFF_THE_BOARD = recorded("{cell} is off the board, expected rows and columns 0..{last}", "reversi.off_the_board")
TAKEN = recorded("{cell} is taken", "reversi.taken")
TURNS_NOTHING = recorded("{cell} turns no disc, expected one of {cells}", "reversi.turns_nothing")
CELL = recorded("row {row}, column {column}", "reversi.cell")


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell, "d3" for row 2 and column 3. Precondition: row and column are in 0..9."""
    return f"{LETTERS[column]}{row + 1}"


def cell_of(move: AnyMove) -> Cell:
    """Return the (row, column) of a move such as "d3" on the largest board.

    Raise IllegalMove for any other value.
    """
    if isinstance(move, str) and move[:1] in tuple(LETTERS):
        number = move[1:]
        if number in [str(row + 1) for row in range(LARGEST_SIZE)]:
            return int(number) - 1, LETTERS.index(move[0])
    raise IllegalMove(NO_CELL.format(move=repr(move)))


def turned(owner: Owners, player: int, row: int, column: int) -> list[Cell]:
    """Return the (row, column) of each disc that a disc of the player on the cell (row, column) would turn.

    `owner` is the board: `owner[row][column]` is 0, 1 or None. The list is empty if the cell is taken or off the board.
    """
    size = len(owner)
    if not (0 <= row < size and 0 <= column < size) or owner[row][column] is not EMPTY:
        return []
    discs: list[Cell] = []
    for down, right in DIRECTIONS:
        line = []
        place = row + down, column + right
        while _owner_at(owner, place) == 1 - player:
            line.append(place)
            place = place[0] + down, place[1] + right
        if _owner_at(owner, place) == player:
            discs += line
    return discs


def _owner_at(owner: Owners, place: Cell) -> int | None:
    """Return the owner of the disc at `place`, a (row, column).

    Return EMPTY for an empty cell and for a place off the board.
    """
    row, column = place
    size = len(owner)
    return owner[row][column] if 0 <= row < size and 0 <= column < size else EMPTY


def cells_to_play(owner: Owners, player: int) -> list[Cell]:
    """Return every (row, column) where the player's disc would turn at least one disc, row by row."""
    size = len(owner)
    return [(row, column) for row in range(size) for column in range(size) if turned(owner, player, row, column)]


class Reversi:
    """A position and the moves that led to it. A player who cannot move is passed over.

    `size` is from 4 to 10. `opening` is a sequence of moves ("d3", ...) made before the game; they are not in `moves`.
    `owner[row][column]` is 0, 1 or EMPTY. Raises ValueError, which names the wrong argument; an opening that ends the
    game is wrong, too.
    """

    def __init__(self, size: int, opening: Iterable[AnyMove] = ()) -> None:
        check_range("size", size, SMALLEST_SIZE, LARGEST_SIZE)
        self.size = size
        self.owner: list[list[int | None]] = [[EMPTY] * size for _ in range(size)]
        lower = (size - 1) // 2
        upper = lower + 1
        self.owner[lower][lower] = self.owner[upper][upper] = 1
        self.owner[lower][upper] = self.owner[upper][lower] = 0
        self.to_move = 0
        self.over = False
        self.moves: list[Cell] = []
        self._hand_over(0)
        play_opening(self, opening)
        self.moves = []

    @property
    def last(self) -> Cell | None:
        """The (row, column) of the last disc placed, None before the first move."""
        return self.moves[-1] if self.moves else None

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of discs of players 0 and 1."""
        return counts_of(self.owner)

    @property
    def winner(self) -> int | None:
        """The player with more discs once the game is over; None before the end of the game, and for a draw."""
        return leader(self.counts) if self.over else None

    @property
    def passed(self) -> bool:
        """True if the side to move also made the last move, because the other side had to pass."""
        return bool(self.moves) and not self.over and _owner_at(self.owner, self.moves[-1]) == self.to_move

    def legal_cells(self) -> list[Cell]:
        """Return every cell that the side to move may play, row by row; [] when the game is over."""
        return list(self._legal_cells)

    def legal_moves(self) -> list[str]:
        """Return the names of legal_cells(), such as "d3"."""
        return [cell_name(*cell) for cell in self.legal_cells()]

    def play(self, move: AnyMove) -> Cell:
        """Place a disc of the side to move on the cell that `move` names, and return its (row, column).

        Afterwards `to_move` is the other side. If that side has no legal move, the same side moves again; if neither
        side has a move, the game is over. Raise IllegalMove if the move is not a cell or not legal.
        """
        return self.play_cell(*cell_of(move))

    def play_cell(self, row: int, column: int) -> Cell:
        """Place a disc of the side to move on the cell (row, column), and return (row, column).

        The rest is as for play(). Raise IllegalMove if the move is not legal.
        """
        if self.over:
            raise IllegalMove(AFTER_THE_END.format(move=self._cell_in_words(row, column)))
        player = self.to_move
        discs = turned(self.owner, player, row, column)
        if not discs:
            number = row * self.size + column if self._is_on_board(row, column) else None
            raise IllegalMove(self._reason_of_refusal(row, column), number)
        for disc_row, disc_column in [(row, column), *discs]:
            self.owner[disc_row][disc_column] = player
        self.moves.append((row, column))
        self._hand_over(1 - player)
        return row, column

    def set_up(self, owner: Owners, to_move: int) -> None:
        """Put the discs `owner` on the board in place of the usual four, and let player `to_move` move.

        A player without a legal move is passed over, as in a game. Precondition: no move was played.
        """
        self.owner = [list(row) for row in owner]
        self._hand_over(to_move)

    def _hand_over(self, player: int) -> None:
        """Let the player move, or the other player if this one has no move. End the game if neither has a move.

        Sets `to_move`, `over` and the legal cells.
        """
        for mover in (player, 1 - player):
            self._legal_cells = cells_to_play(self.owner, mover)
            if self._legal_cells:
                self.to_move = mover
                return
        self.over = True

    def cells(self) -> tuple[int, ...]:
        """Return the board row by row as numbers: 0 and 1 for the players' discs, 2 for an empty cell."""
        return tuple(2 if owner is EMPTY else owner for row in self.owner for owner in row)

    def _is_on_board(self, row: int, column: int) -> bool:
        return 0 <= row < self.size and 0 <= column < self.size

    def _cell_in_words(self, row: int, column: int) -> str:
        return cell_name(row, column) if self._is_on_board(row, column) else CELL.format(row=row, column=column)

    def _reason_of_refusal(self, row: int, column: int) -> str:
        """Return a recorded() message that says why the side to move may not play this cell."""
        cell = self._cell_in_words(row, column)
        if not self._is_on_board(row, column):
            return OFF_THE_BOARD.format(cell=cell, last=self.size - 1)
        if self.owner[row][column] is not EMPTY:
            return TAKEN.format(cell=cell)
        return TURNS_NOTHING.format(cell=cell, cells=" ".join(self.legal_moves()))
