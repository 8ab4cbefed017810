"""What `judge check` does to a player of dots and boxes: on the contest's board of 5 x 5, and on others."""

from judge import check_runs
from judge.check_runs import Check, wanderer, whole_game
from judge.dots_boards import Board
from judge.rules.dots import Dots

MOST_TURNS = 30  # of one player in the longest game: an edge at least in each of them


def _board(rows: int, columns: int, opening: str = "") -> Board:
    return Board(rows, columns, tuple(opening.split()))


START = _board(5, 5)
AFTER_AN_OPENING = _board(5, 5, "AAB BCD AFA BAC ADE BFB AEC BDA")
SINGLE_BOX = _board(1, 1)
LARGEST = _board(7, 7)
OBLONG = _board(2, 6)


def greedy(position: Dots, last_move: str | None) -> str:
    """An opponent that takes every box it can, and otherwise gives none away while it can help it."""
    free = position.legal_moves()
    taking = [edge for edge in free if any(position.edges_drawn(*box) == 3 for box in position.boxes_beside(edge))]
    safe = [edge for edge in free if position.is_safe(edge)]
    return (taking or safe or free)[0]


def generous(position: Dots, last_move: str | None) -> str:
    """An opponent that leaves boxes to be taken, many at once towards the end: the player's turns are long."""
    free = position.legal_moves()
    modest = [edge for edge in free if all(position.edges_drawn(*box) != 3 for box in position.boxes_beside(edge))]
    return (modest or free)[-1]


def _chain(rows: int, columns: int) -> Board:
    """A board on which nothing is safe: all boxes form one chain, and the first edge drawn gives them all away."""
    position = Dots(rows, columns)
    while safe := [edge for edge in position.legal_moves() if position.is_safe(edge)]:
        position.play(safe[0])
    return Board(rows, columns, tuple(position.drawn))


ONE_TURN_TAKES_ALL = _chain(1, 7)

RUNS: tuple[tuple[str, Check], ...] = (
    ("first mover, 5 x 5", whole_game(START, 0, wanderer(1))),
    ("second mover, 5 x 5", whole_game(START, 1, wanderer(2))),
    ("first mover against a greedy opponent", whole_game(START, 0, greedy)),
    ("second mover against a greedy opponent", whole_game(START, 1, greedy)),
    ("first mover against a generous opponent", whole_game(START, 0, generous)),
    ("second mover against a generous opponent", whole_game(START, 1, generous)),
    ("first mover after an opening", whole_game(AFTER_AN_OPENING, 0, greedy)),
    ("second mover after an opening", whole_game(AFTER_AN_OPENING, 1, wanderer(3))),
    ("a single box", whole_game(SINGLE_BOX, 0, wanderer(4))),
    ("first mover, 2 x 6", whole_game(OBLONG, 0, wanderer(5))),
    ("second mover, 7 x 7", whole_game(LARGEST, 1, generous)),
    ("a turn that takes every box", whole_game(ONE_TURN_TAKES_ALL, 1, wanderer(6))),
    ("input byte by byte", check_runs.byte_by_byte(START)),
    ("input in parts", check_runs.in_parts(START)),
    ("first two messages in one piece", check_runs.joined(START)),
    ("slow judge", check_runs.slow_judge(START, wanderer(7))),
    ("end of input before the first turn", check_runs.end_before_turn(START)),
    ("end of input after a reply", check_runs.end_after_reply(START)),
    ("stderr left unread", check_runs.unread_stderr(START, greedy)),
    ("long search", check_runs.long_search(START, greedy)),
)
