"""The cases of `judge check` for dots and boxes, and their opponents.

Most cases use the contest's board of 5 x 5 boxes.
"""

from judge.games.boards import number_below
from judge.games.check_cases import CheckCase, Kind, Opponent, long_cases, picked, random_opponent, with_random_start
from judge.games.dots.board import Board
from judge.games.dots.rules import Dots
from judge.language import recorded

MOST_TURNS = 30  # the turns of one player in the longest game, as each turn draws at least one of 60 edges


def _board(rows: int, columns: int, opening: str = "") -> Board:
    """Return a board of this size; `opening` has the names of drawn edges, separated by blanks."""
    return Board(rows, columns, tuple(opening.split()))


START = _board(5, 5)
AFTER_AN_OPENING = _board(5, 5, "AAB BCD AFA BAC ADE BFB AEC BDA")
SINGLE_BOX = _board(1, 1)
LARGEST = _board(7, 7)
OBLONG = _board(2, 6)


def greedy(position: Dots, last_move: str | None) -> str:
    """Return the move of an opponent that takes every box it can, and otherwise prefers safe edges."""
    free = position.legal_moves()
    taking = [edge for edge in free if any(position.edges_drawn(*box) == 3 for box in position.boxes_beside(edge))]
    safe = [edge for edge in free if position.is_safe(edge)]
    return (taking or safe or free)[0]


def generous(position: Dots, last_move: str | None) -> str:
    """Return the move of an opponent that leaves boxes to the player, so that the player's turns get long."""
    free = position.legal_moves()
    modest = [edge for edge in free if all(position.edges_drawn(*box) != 3 for box in position.boxes_beside(edge))]
    return (modest or free)[-1]


def _chain(rows: int, columns: int) -> Board:
    """Return a board without safe edges.

    In the size used here all boxes form one chain. Whichever edge is drawn next, the other side can take all boxes.
    """
    position = Dots(rows, columns)
    while safe := [edge for edge in position.legal_moves() if position.is_safe(edge)]:
        position.play(safe[0])
    return Board(rows, columns, tuple(position.drawn))


ONE_TURN_TAKES_ALL = _chain(1, 7)
MOST_FREE_EDGES = 9  # the most free edges of a late position
OTHER_SIZES = ((3, 3), (4, 6), (6, 5), (7, 2))
MOST_RANDOM_PLIES = 30  # games of MANY_GAMES begin with fewer random plies than this


def any_opponent(seed: int) -> Opponent:
    """Return the opponent for this seed: greedy, generous or random, with pseudorandom first moves."""
    plies = number_below(MOST_RANDOM_PLIES, "plies", seed)
    return with_random_start(plies, seed, (greedy, generous, random_opponent(seed))[seed % 3])


def nearly_full(seed: int) -> tuple[Board, list[str]]:
    """Return (the contest's board with an opening that leaves 1 to MOST_FREE_EDGES edges free, no moves)."""
    position = Dots(START.rows, START.columns)
    free_edges = 1 + number_below(MOST_FREE_EDGES, "free", seed)
    while len(position.legal_moves()) > free_edges:
        position.play(picked(position.legal_moves(), seed, position))
    return Board(START.rows, START.columns, tuple(position.drawn)), []


def _of_size(rows: int, columns: int) -> CheckCase:
    """Return the case of a whole game on a board of this size. Where rows + columns is odd, the player moves second."""
    player = (rows + columns) % 2
    name = recorded("second mover, {rows} x {columns}") if player else recorded("first mover, {rows} x {columns}")
    full_name = name.format(rows=rows, columns=columns)
    return CheckCase(full_name, Kind.WHOLE_GAME, _board(rows, columns), random_opponent(rows * columns), player)


CASES = (
    CheckCase(recorded("first mover, 5 x 5"), Kind.WHOLE_GAME, START, random_opponent(1), player=0),
    CheckCase(recorded("second mover, 5 x 5"), Kind.WHOLE_GAME, START, random_opponent(2), player=1),
    CheckCase(recorded("first mover against a greedy opponent"), Kind.WHOLE_GAME, START, greedy, player=0),
    CheckCase(recorded("second mover against a greedy opponent"), Kind.WHOLE_GAME, START, greedy, player=1),
    CheckCase(recorded("first mover against a generous opponent"), Kind.WHOLE_GAME, START, generous, player=0),
    CheckCase(recorded("second mover against a generous opponent"), Kind.WHOLE_GAME, START, generous, player=1),
    CheckCase(recorded("first mover after an opening"), Kind.WHOLE_GAME, AFTER_AN_OPENING, greedy, player=0),
    CheckCase(
        recorded("second mover after an opening"), Kind.WHOLE_GAME, AFTER_AN_OPENING, random_opponent(3), player=1
    ),
    CheckCase(recorded("a single box"), Kind.WHOLE_GAME, SINGLE_BOX, random_opponent(4), player=0),
    CheckCase(recorded("first mover, 2 x 6"), Kind.WHOLE_GAME, OBLONG, random_opponent(5), player=0),
    CheckCase(recorded("second mover, 7 x 7"), Kind.WHOLE_GAME, LARGEST, generous, player=1),
    CheckCase(
        recorded("a turn that takes every box"), Kind.WHOLE_GAME, ONE_TURN_TAKES_ALL, random_opponent(6), player=1
    ),
    *(_of_size(rows, columns) for rows, columns in OTHER_SIZES),
    *long_cases(START, greedy, any_opponent, nearly_full),
    CheckCase(recorded("input byte by byte"), Kind.BYTE_BY_BYTE, START),
    CheckCase(recorded("input in parts"), Kind.IN_PARTS, START),
    CheckCase(recorded("first two messages in one piece"), Kind.JOINED, START),
    CheckCase(recorded("slow judge"), Kind.SLOW_JUDGE, START, greedy, weight=3),
    CheckCase(recorded("end of input before the first turn"), Kind.END_BEFORE_TURN, START),
    CheckCase(recorded("end of input after a reply"), Kind.END_AFTER_REPLY, START),
    CheckCase(recorded("stderr left unread"), Kind.UNREAD_STDERR, START, greedy, weight=2),
    CheckCase(recorded("long search"), Kind.LONG_SEARCH, START, greedy, weight=3),
)
