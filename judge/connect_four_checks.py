"""What `judge check` does to a player of connect four."""

from judge import check_runs
from judge.check_runs import Check, wanderer, whole_game
from judge.connect_four_boards import LARGEST_SIDE, Board
from judge.rules.connect_four import ConnectFour

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


RUNS: tuple[tuple[str, Check], ...] = (
    ("first mover, 9 x 9, forbidden cell at the bottom", whole_game(Board(9, 9, (8, 4)), 0, wanderer(1))),
    ("second mover, 12 x 12, forbidden cell at the top", whole_game(Board(12, 12, (0, 5)), 1, follower)),
    ("second mover, 9 x 12, forbidden cell in the middle", whole_game(Board(9, 12, (4, 6)), 1, wanderer(2))),
    ("first mover, 12 x 9, forbidden cell at a side", whole_game(Board(12, 9, (5, 0)), 0, follower)),
    (
        "first mover, 12 x 12, forbidden cell in a bottom corner",
        whole_game(Board(12, 12, (11, 11)), 0, wanderer(3)),
    ),
    ("second mover, 9 x 9, forbidden cell in a top corner", whole_game(Board(9, 9, (0, 0)), 1, follower)),
    ("input byte by byte", check_runs.byte_by_byte(PLAIN_BOARD)),
    ("input in parts", check_runs.in_parts(PLAIN_BOARD)),
    ("two messages in one piece", check_runs.joined(PLAIN_BOARD)),
    ("slow judge", check_runs.slow_judge(PLAIN_BOARD, follower)),
    ("end of input before the first turn", check_runs.end_before_turn(PLAIN_BOARD)),
    ("end of input after a reply", check_runs.end_after_reply(PLAIN_BOARD)),
    ("stderr left unread", check_runs.unread_stderr(Board(LARGEST_SIDE, LARGEST_SIDE, (11, 6)), follower)),
    (
        "long search on the largest board",
        check_runs.long_search(Board(LARGEST_SIDE, LARGEST_SIDE, (0, 11)), blocker),
    ),
)
