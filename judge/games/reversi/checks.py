"""The cases of `judge check` for reversi, on the platform's board of 8 x 8, and their opponents."""

from collections.abc import Callable, Sequence

from judge.games.boards import number_below
from judge.games.check_cases import CheckCase, Kind, Opponent, long_cases, picked, random_opponent, with_random_start
from judge.games.positions import AnyMove
from judge.games.reversi.board import Board
from judge.games.reversi.rules import Reversi, cell_of, turned
from judge.language import recorded

MOST_TURNS = 60  # an upper bound for one player: both players together make at most 60 moves


def _board_after(moves: str) -> Board:
    """Return the board of 8 x 8 with these moves as its opening."""
    return Board(8, tuple(moves.split()))


START = Board(8)

# Black is to move after eight moves, white after thirteen.
MIDDLE = _board_after("e6 f4 e3 d6 c5 f3 c4 f6")
ODD = _board_after("c4 c5 d6 e7 e6 c3 e8 f8 b3 f6 g8 a3 b4")

# White's only move is a2; then black has none and white is asked again.
OPPONENT_PASSES = _board_after("d3 c3 b3 f4 f6 c2 g4 a4 b1 d1 a3 f5 g6")
# Black's only move is a1. After white's c1 black has no move, so white plays e3 before black is asked again.
PLAYER_PASSES = _board_after("d3 c3 e6 d6 b3 b2 d7 a3")
PASSED_OVER_BY = ("c1", "e3")


def greedy(position: Reversi, last_move: str | None) -> str:
    """Return the move of an opponent that turns the most discs. Games against it have few legal moves, and passes."""
    return max(position.legal_moves(), key=lambda move: _count_turned(position, move))


def _count_turned(position: Reversi, move: str) -> int:
    """Return the number of discs that a move of the side to move would turn."""
    return len(turned(position.owner, position.to_move, *cell_of(move)))


def modest(position: Reversi, last_move: str | None) -> str:
    """Return the move of an opponent that turns the fewest discs. Games against it are long, with many legal moves."""
    return min(position.legal_moves(), key=lambda move: _count_turned(position, move))


def following(moves: Sequence[str], opponent: Opponent) -> Callable[[Reversi, str | None], AnyMove]:
    """Return an opponent that plays `moves` first, and then the moves of `opponent`.

    Precondition: the player begins.
    """

    def choose(position: Reversi, last_move: str | None) -> AnyMove:
        done = len(position.moves) - 1  # without the player's first move
        return moves[done] if done < len(moves) else opponent(position, last_move)

    return choose


MOST_FREE_CELLS = 9  # the most free cells of a late position
MOST_RANDOM_PLIES = 30  # games of MANY_GAMES begin with fewer random plies than this


def any_opponent(seed: int) -> Opponent:
    """Return the opponent for this seed: greedy, modest or random, with pseudorandom first moves."""
    plies = number_below(MOST_RANDOM_PLIES, "plies", seed)
    return with_random_start(plies, seed, (greedy, modest, random_opponent(seed))[seed % 3])


def nearly_full(seed: int) -> tuple[Board, list[str]]:
    """Return (a board with an opening that leaves 1 to MOST_FREE_CELLS cells free, no moves).

    The side to move has a legal move.
    """
    goal = 60 - 1 - number_below(MOST_FREE_CELLS, "free", seed)
    while True:
        position, opening = Reversi(8), list[str]()
        while len(opening) < goal and not position.over:
            opening.append(str(picked(position.legal_moves(), seed, position)))
            position.play(opening[-1])
        if not position.over:
            return Board(8, tuple(opening)), []
        seed += 1


CASES = (
    CheckCase(recorded("first mover, 8 x 8"), Kind.WHOLE_GAME, START, random_opponent(1), player=0),
    CheckCase(recorded("second mover, 8 x 8"), Kind.WHOLE_GAME, START, random_opponent(2), player=1),
    CheckCase(recorded("first mover against a greedy opponent"), Kind.WHOLE_GAME, START, greedy, player=0),
    CheckCase(recorded("second mover against a greedy opponent"), Kind.WHOLE_GAME, START, greedy, player=1),
    CheckCase(recorded("asked first in the middle of a game"), Kind.WHOLE_GAME, MIDDLE, modest, player=0),
    CheckCase(recorded("asked second in the middle of a game"), Kind.WHOLE_GAME, ODD, random_opponent(3), player=0),
    CheckCase(
        recorded("asked twice running: the opponent has to pass"),
        Kind.WHOLE_GAME,
        OPPONENT_PASSES,
        random_opponent(4),
        player=1,
    ),
    CheckCase(
        recorded("asked after two moves of the opponent: it has to pass"),
        Kind.WHOLE_GAME,
        PLAYER_PASSES,
        following(PASSED_OVER_BY, random_opponent(5)),
    ),
    *long_cases(START, modest, any_opponent, nearly_full),
    CheckCase(recorded("input byte by byte"), Kind.BYTE_BY_BYTE, START),
    CheckCase(recorded("input in parts"), Kind.IN_PARTS, START),
    CheckCase(recorded("slow judge"), Kind.SLOW_JUDGE, START, random_opponent(6), weight=3),
    CheckCase(recorded("end of input before the first turn"), Kind.END_BEFORE_TURN, START),
    CheckCase(recorded("end of input after a reply"), Kind.END_AFTER_REPLY, START),
    CheckCase(recorded("stderr left unread"), Kind.UNREAD_STDERR, START, modest, weight=2),
    CheckCase(recorded("long search"), Kind.LONG_SEARCH, MIDDLE, modest, weight=3),
)
