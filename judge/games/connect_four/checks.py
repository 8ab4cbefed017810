"""What `judge check` does to a player of connect four."""

from judge.games.check_cases import CheckCase, Kind, wanderer
from judge.games.connect_four.board import LARGEST_SIDE, Board
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


CASES = (
    CheckCase(
        recorded("first mover, 9 x 9, forbidden cell at the bottom"),
        Kind.WHOLE_GAME,
        Board(9, 9, (8, 4)),
        wanderer(1),
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
        wanderer(2),
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
        wanderer(3),
        player=0,
    ),
    CheckCase(
        recorded("second mover, 9 x 9, forbidden cell in a top corner"),
        Kind.WHOLE_GAME,
        Board(9, 9, (0, 0)),
        follower,
        player=1,
    ),
    CheckCase(recorded("input byte by byte"), Kind.BYTE_BY_BYTE, PLAIN_BOARD),
    CheckCase(recorded("input in parts"), Kind.IN_PARTS, PLAIN_BOARD),
    CheckCase(recorded("two messages in one piece"), Kind.JOINED, PLAIN_BOARD),
    CheckCase(recorded("slow judge"), Kind.SLOW_JUDGE, PLAIN_BOARD, follower),
    CheckCase(recorded("end of input before the first turn"), Kind.END_BEFORE_TURN, PLAIN_BOARD),
    CheckCase(recorded("end of input after a reply"), Kind.END_AFTER_REPLY, PLAIN_BOARD),
    CheckCase(recorded("stderr left unread"), Kind.UNREAD_STDERR, Board(LARGEST_SIDE, LARGEST_SIDE, (11, 6)), follower),
    CheckCase(
        recorded("long search on the largest board"),
        Kind.LONG_SEARCH,
        Board(LARGEST_SIDE, LARGEST_SIDE, (0, 11)),
        blocker,
    ),
)
