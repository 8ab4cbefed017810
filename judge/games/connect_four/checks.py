"""The cases of `judge check` for connect four, and their opponents.

The keeper is an opponent that prolongs the game. It avoids making four, and looks ahead to keep the player from making
four. It uses bitboards, because asking the rules about each line would take as long as the players' moves. The cell of
column c in row r, counted from the bottom, is bit c * (rows + 1) + r. The bit above each column is never set.
"""

import functools

from judge.games.boards import number_below
from judge.games.check_cases import CheckCase, Kind, Opponent, picked
from judge.games.connect_four.board import LARGEST_SIDE, SMALLEST_SIDE, Board, completing_cells, draw_board
from judge.games.connect_four.rules import LINE_LENGTH, ConnectFour
from judge.language import recorded

# Costs of a move, the worst first.
OWN_FOUR = 10**9
LOST_AT_ONCE = OWN_FOUR // 2  # plus 1 for each cell in which the player wins: few such cells it may overlook
LOST_SOON = LOST_AT_ONCE - 1
# Costs of each line of four without the keeper's stones, by the number of the player's stones in it.
COST_OF_OPEN_LINE = (1, 4, 30, 200)
MOST_TURNS = LARGEST_SIDE**2 // 2  # the turns of one player in the longest game
PLAIN_BOARD = Board(10, 11, (4, 5))


def keeper(seed: int, random_plies: int = 0) -> Opponent:
    """Return a keeper, which the module's docstring describes.

    `seed` determines its choice among the moves of least cost. During the first `random_plies` plies it chooses among
    all moves that do not lose soon.
    """

    def choose(position: ConnectFour, last_column: int | None) -> int:
        board = _Bits(position)
        costs = {column: board.cost_of(cell) for column, cell in board.landings.items()}
        most_accepted = min(costs.values())
        if len(position.moves) < random_plies:
            most_accepted = max(most_accepted, LOST_SOON - 1)  # every move that does not lose soon
        column = picked([column for column, cost in costs.items() if cost <= most_accepted], seed, position)
        assert isinstance(column, int)  # all moves of connect four are integers
        return column

    return choose


class _Bits:
    """A position as bitboards: the stones of the side to move (`own`) and of its opponent (`other`).

    `rows` is the number of rows, and `height` the number of bits for a column. `blocked` is the forbidden cell, 0 if
    there is none. `cells` are all cells. `landings` is {column: the cell where a stone lands}. `lines` are all lines of
    four.
    """

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
        """Return the bit of a cell; row 0 is the top row."""
        return 1 << column * self.height + self.rows - 1 - row

    def cost_of(self, cell: int) -> int:
        """Return the cost to the keeper of a stone in this cell.

        The cost is OWN_FOUR if the stone makes four, or the cost of a loss if the move loses. Otherwise it is the sum
        of the costs of the lines that are still open to the player.
        """
        if self._winning_cells(self.own) & cell:
            return OWN_FOUR
        own = self.own | cell
        cost = self._cost_of_loss(own)
        if cost:
            return cost
        closed = own | self.blocked
        return sum(COST_OF_OPEN_LINE[(line & self.other).bit_count()] for line in self.lines if not line & closed)

    def _cost_of_loss(self, own: int) -> int:
        """Return the cost of a loss if the keeper has the stones `own` and the player is to move.

        The cost is at least LOST_AT_ONCE if the player can make four. It is LOST_SOON if the player can make threats
        that cannot all be answered, and 0 if neither holds.
        """
        free = self.cells & ~(own | self.other | self.blocked)
        landings = self._landing_cells(free)
        winning = self._winning_cells(self.other) & landings
        if winning:
            return LOST_AT_ONCE + winning.bit_count()
        for cell in _bits_of(landings):
            free_after = free & ~cell
            winning = self._winning_cells(self.other | cell)
            threats = winning & self._landing_cells(free_after)
            if threats.bit_count() > 1:
                return LOST_SOON
            # The keeper answers the only threat, and the player makes four in the cell above.
            if threats and winning & self._landing_cells(free_after & ~threats) & ~threats:
                return LOST_SOON
        return 0

    def _landing_cells(self, free: int) -> int:
        """Return the lowest free cell of each column as bits. `free` are the free cells without the forbidden cell."""
        cells = 0
        column = (1 << self.rows) - 1
        while column <= self.cells:
            inside = free & column
            cells |= inside & -inside
            column <<= self.height
        return cells

    def _winning_cells(self, stones: int) -> int:
        """Return as bits the cells in which one more stone would make four with `stones`, free or not."""
        return completing_cells(stones, self.height) & self.cells


def _bits_of(cells: int) -> list[int]:
    """Return the set bits of a number, each as a number of its own."""
    bits = []
    while cells:
        bits.append(cells & -cells)
        cells &= cells - 1
    return bits


@functools.cache
def _lines(rows: int, columns: int) -> tuple[int, ...]:
    """Return every line of four on the board, each as bits. The module's docstring numbers the bits."""
    height = rows + 1
    lines = []
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        # The first cells of the lines in this direction; rows are counted from the bottom.
        for column in range(columns - (LINE_LENGTH - 1) * right):
            for row in range(rows):
                if 0 <= row + (LINE_LENGTH - 1) * up < rows:
                    first, step = column * height + row, right * height + up
                    lines.append(sum(1 << first + number * step for number in range(LINE_LENGTH)))
    return tuple(lines)


def follower(position: ConnectFour, last_column: int | None) -> int:
    """Return the move of an opponent that plays on top of the player's last stone, so that columns fill up early."""
    legal = position.legal_moves()
    return last_column if last_column in legal else legal[len(legal) // 2]


def blocker(position: ConnectFour, last_column: int | None) -> int:
    """Return the move of an opponent that prolongs the game: it blocks a line of four, and avoids making one itself."""
    columns = position.legal_moves()
    threatened = [column for column in columns if _makes_line(position, column, 1 - position.to_move)]
    harmless = [column for column in columns if not _makes_line(position, column, position.to_move)]
    return (threatened or harmless or columns)[0]


def _makes_line(position: ConnectFour, column: int, player: int) -> bool:
    """Return whether a stone of the player in this column, which is not full, would make a line of four."""
    row = position.landing_row(column)
    assert row is not None  # the column is a legal move
    position.owner[row][column] = player
    won = position.completes_line(row, column)
    position.owner[row][column] = None
    return won


LATE_TRIES = 8  # the most games that are tried for a late position
MOST_RANDOM_PLIES = 40  # games of MANY_GAMES begin with fewer random plies than this
MOST_FREE_CELLS = 12  # the most free cells of a late position
SIDES = range(SMALLEST_SIDE, LARGEST_SIDE + 1)
CORNERS = (SMALLEST_SIDE, LARGEST_SIDE)


def _of_size(rows: int, cols: int) -> CheckCase:
    """Return the case of a game on a board of this size with a pseudorandom forbidden cell.

    Where rows + cols is odd, the player moves second.
    """
    row, column = number_below(rows, "row", rows, cols), number_below(cols, "column", rows, cols)
    player = (rows + cols) % 2
    name = (
        recorded("second mover, {rows} x {cols}, forbidden cell {cell}")
        if player
        else recorded("first mover, {rows} x {cols}, forbidden cell {cell}")
    )
    board = Board(rows, cols, (row, column))
    full_name = name.format(rows=rows, cols=cols, cell=f"{row},{column}")
    return CheckCase(full_name, Kind.WHOLE_GAME, board, keeper(rows * cols), player)


def keeper_after_a_random_beginning(seed: int) -> Opponent:
    """Return a keeper whose first moves are pseudorandom moves that do not lose soon."""
    return keeper(seed, number_below(MOST_RANDOM_PLIES, "plies", seed))


def nearly_full(seed: int) -> tuple[Board, list[int]]:
    """Return (a board, the moves of a game on it that leaves few cells free and has no line of four).

    The number of moves is drawn. The game is the first of LATE_TRIES games that has so many moves, or the longest of
    them if none has.
    """
    board = draw_board(seed, 0)
    goal = board.rows * board.cols - 1 - number_below(MOST_FREE_CELLS, "free", seed)  # 1 for the forbidden cell
    longest: list[int] = []
    for attempt in range(LATE_TRIES):
        position = ConnectFour(board.rows, board.cols, board.forbidden)
        opponent = keeper(number_below(2**31, "late", seed, attempt))
        while len(position.moves) < goal and not position.over:
            quiet = [column for column in position.legal_moves() if not _makes_line(position, column, position.to_move)]
            if not quiet:
                break
            is_early = len(position.moves) < goal // 4
            position.play(picked(quiet, attempt, position) if is_early else opponent(position, None))
        played = [column for _row, column in (position.moves[:-1] if position.over else position.moves)]
        longest = max(longest, played, key=len)
        if len(longest) == goal:
            break
    return board, longest


CASES = (
    CheckCase(
        recorded("first mover, 9 x 9, forbidden cell at the bottom"),
        Kind.WHOLE_GAME,
        Board(9, 9, (8, 4)),
        keeper(11),
        player=0,
    ),
    CheckCase(
        recorded("second mover, 12 x 12, forbidden cell at the top"),
        Kind.WHOLE_GAME,
        Board(12, 12, (0, 5)),
        follower,
        player=1,
    ),
    CheckCase(
        recorded("second mover, 9 x 12, forbidden cell in the middle"),
        Kind.WHOLE_GAME,
        Board(9, 12, (4, 6)),
        keeper(12),
        player=1,
    ),
    CheckCase(
        recorded("first mover, 12 x 9, forbidden cell at a side"),
        Kind.WHOLE_GAME,
        Board(12, 9, (5, 0)),
        follower,
        player=0,
    ),
    CheckCase(
        recorded("first mover, 12 x 12, forbidden cell in a bottom corner"),
        Kind.WHOLE_GAME,
        Board(12, 12, (11, 11)),
        keeper(13),
        player=0,
    ),
    CheckCase(
        recorded("second mover, 9 x 9, forbidden cell in a top corner"),
        Kind.WHOLE_GAME,
        Board(9, 9, (0, 0)),
        follower,
        player=1,
    ),
    *(_of_size(rows, cols) for rows in SIDES for cols in SIDES if not (rows in CORNERS and cols in CORNERS)),
    CheckCase(
        recorded("first mover, a game as long as possible"),
        Kind.LONG_GAME,
        Board(LARGEST_SIDE, LARGEST_SIDE, (3, 7)),
        keeper(1),
        player=0,
        weight=40,
        whole_limit=True,
    ),
    CheckCase(
        recorded("second mover, a game as long as possible"),
        Kind.LONG_GAME,
        Board(LARGEST_SIDE, LARGEST_SIDE, (8, 2)),
        keeper(2),
        player=1,
        weight=6,
    ),
    CheckCase(recorded("against itself"), Kind.AGAINST_ITSELF, Board(LARGEST_SIDE, 11, (5, 5)), weight=6),
    CheckCase(
        recorded("many games on random boards"),
        Kind.MANY_GAMES,
        PLAIN_BOARD,
        opponents=keeper_after_a_random_beginning,
        weight=6,
    ),
    CheckCase(
        recorded("boards nearly full"),
        Kind.LATE_POSITIONS,
        PLAIN_BOARD,
        opponents=keeper,
        late_position=nearly_full,
        weight=2,
    ),
    CheckCase(recorded("input byte by byte"), Kind.BYTE_BY_BYTE, PLAIN_BOARD),
    CheckCase(recorded("input in parts"), Kind.IN_PARTS, PLAIN_BOARD),
    CheckCase(recorded("two messages in one piece"), Kind.JOINED, PLAIN_BOARD),
    CheckCase(recorded("slow judge"), Kind.SLOW_JUDGE, PLAIN_BOARD, keeper(3), weight=3),
    CheckCase(recorded("end of input before the first turn"), Kind.END_BEFORE_TURN, PLAIN_BOARD),
    CheckCase(recorded("end of input after a reply"), Kind.END_AFTER_REPLY, PLAIN_BOARD),
    CheckCase(
        recorded("stderr left unread"),
        Kind.UNREAD_STDERR,
        Board(LARGEST_SIDE, LARGEST_SIDE, (11, 6)),
        keeper(4),
        weight=2,
    ),
    CheckCase(
        recorded("long search on the largest board"),
        Kind.LONG_SEARCH,
        Board(LARGEST_SIDE, LARGEST_SIDE, (0, 11)),
        blocker,
        weight=3,
    ),
)
