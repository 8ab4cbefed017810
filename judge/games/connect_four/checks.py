"""What `judge check` does to a player of connect four."""

from judge.games.boards import number_below
from judge.games.check_cases import CheckCase, Kind, Opponent, picked
from judge.games.connect_four.board import LARGEST_SIDE, SMALLEST_SIDE, Board, draw_board
from judge.games.connect_four.keeper import keeper
from judge.games.connect_four.rules import ConnectFour
from judge.language import recorded

MOST_TURNS = LARGEST_SIDE**2 // 2  # of one player in the longest game
PLAIN_BOARD = Board(10, 11, (4, 5))


def follower(position: ConnectFour, last_column: int | None) -> int:
    """An opponent that plays on top of the player's stone: it blocks columns and fills them."""
    legal = position.legal_moves()
    return last_column if last_column in legal else legal[len(legal) // 2]


def blocker(position: ConnectFour, last_column: int | None) -> int:
    """An opponent that never wins and stops a line of four where it can, so that the game lasts."""
    columns = position.legal_moves()
    threatened = [column for column in columns if _wins(position, column, 1 - position.to_move)]
    harmless = [column for column in columns if not _wins(position, column, position.to_move)]
    return (threatened or harmless or columns)[0]


def _wins(position: ConnectFour, column: int, player: int) -> bool:
    row = position.landing_row(column)
    assert row is not None  # the column is a legal move
    position.owner[row][column] = player
    won = position.completes_line(row, column)
    position.owner[row][column] = None
    return won


LATE_TRIES = 8  # at a full board without a line of four
MOST_RANDOM_PLIES = 40  # at the beginning of one of many games
MOST_FREE_CELLS = 12  # of a late position
SIDES = range(SMALLEST_SIDE, LARGEST_SIDE + 1)
CORNERS = (SMALLEST_SIDE, LARGEST_SIDE)
FIRST_ON = recorded("first mover, {rows} x {cols}, forbidden cell {cell}")
SECOND_ON = recorded("second mover, {rows} x {cols}, forbidden cell {cell}")


def _of_size(rows: int, cols: int) -> CheckCase:
    """A game on a board of this size, with its forbidden cell anywhere."""
    forbidden = number_below(rows, "row", rows, cols), number_below(cols, "column", rows, cols)
    player = (rows + cols) % 2
    name = (FIRST_ON, SECOND_ON)[player].format(rows=rows, cols=cols, cell=f"{forbidden[0]},{forbidden[1]}")
    return CheckCase(name, Kind.WHOLE_GAME, Board(rows, cols, forbidden), keeper(rows * cols), player)


def keeper_after_a_random_beginning(seed: int) -> Opponent:
    """A keeper whose first moves are any that do not lose."""
    return keeper(seed, number_below(MOST_RANDOM_PLIES, "plies", seed))


def nearly_full(seed: int) -> tuple[Board, list[int]]:
    """A board and moves that leave at most MOST_FREE_CELLS of it free, without a line of four where that comes about.

    It is the longest of several random games in which nobody makes four while there is another move.
    """
    board = draw_board(seed, 0)
    longest: list[int] = []
    for attempt in range(LATE_TRIES):
        position = ConnectFour(board.rows, board.cols, board.forbidden)
        goal = board.rows * board.cols - 1 - number_below(MOST_FREE_CELLS, "free", seed)
        peaceful = keeper(number_below(2**31, "late", seed, attempt))
        while len(position.moves) < goal and not position.over:
            quiet = [column for column in position.legal_moves() if not _wins(position, column, position.to_move)]
            if not quiet:
                break
            position.play(
                picked(quiet, attempt, position) if len(position.moves) < goal // 4 else peaceful(position, 0)
            )
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
