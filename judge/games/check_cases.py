"""The form in which a game describes its cases of `judge check`, and opponents that several games use.

judge/checks/checks.py runs these cases.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from judge.games.boards import Board, number_below
from judge.games.positions import AnyMove, Position
from judge.language import recorded

# (position, the player's last move or None) -> the opponent's move
Opponent = Callable[[Any, Any], AnyMove]
# seed -> (board, the moves made on it before the player is asked)
LatePosition = Callable[[int], tuple[Board, Sequence[AnyMove]]]


class Kind(Enum):
    """The kind of a case, which determines how the player is tested."""

    WHOLE_GAME = "a game to its end"
    LONG_GAME = "a game against an opponent that keeps it going"
    AGAINST_ITSELF = "a game against a second process of the player"
    MANY_GAMES = "games on random boards with random beginnings, each with another seed"
    LATE_POSITIONS = "boards that are nearly full when the player is first asked"
    BYTE_BY_BYTE = "every byte of the first messages comes by itself"
    IN_PARTS = "every message comes in three parts, cut anywhere"
    JOINED = "the first two messages come in one piece"
    SLOW_JUDGE = "long pauses before the first message and before turns: the player waits, in silence"
    END_BEFORE_TURN = "the input ends before the first turn, after the first message where a game has one"
    END_AFTER_REPLY = "the input ends after a reply"
    UNREAD_STDERR = "nobody reads stderr: a player that writes more than the pipe holds would block"
    LONG_SEARCH = "several whole searches, while memory is watched"


@dataclass(frozen=True)
class CheckCase:
    """One case of a check. `name` is unique, and is a recorded() message.

    `opponent` is None if the kind has no opponent, or for a random one. `player` is the player's number, 0 or 1, unless
    the kind determines it. The kinds MANY_GAMES and LATE_POSITIONS need opponents(seed), which returns an opponent; for
    MANY_GAMES the opponent makes random first moves. LATE_POSITIONS also needs late_position(seed), which returns the
    start of a game. If a player is too slow for all cases, the time is divided among the cases in proportion to
    `weight`. With `whole_limit` a player whose command takes a time limit is never told a shorter limit than the real
    one.
    """

    name: str
    kind: Kind
    board: Board
    opponent: Opponent | None = None
    player: int = 0
    weight: int = 1
    whole_limit: bool = False
    opponents: Callable[[int], Opponent] | None = None
    late_position: LatePosition | None = None


def long_cases(
    board: Board, patient: Opponent, any_opponent: Callable[[int], Opponent], nearly_full: LatePosition
) -> tuple[CheckCase, ...]:
    """Return the cases with many moves, all on the board `board`.

    `patient` is an opponent that prolongs games. For any_opponent(seed) see CheckCase.opponents, for nearly_full(seed)
    see CheckCase.late_position.
    """
    long_game = (Kind.LONG_GAME, board, patient)
    return (
        CheckCase(
            recorded("first mover, a game as long as possible"), *long_game, player=0, weight=12, whole_limit=True
        ),
        CheckCase(recorded("second mover, a game as long as possible"), *long_game, player=1, weight=6),
        CheckCase(recorded("against itself"), Kind.AGAINST_ITSELF, board, weight=6),
        CheckCase(recorded("many games on random boards"), Kind.MANY_GAMES, board, opponents=any_opponent, weight=6),
        CheckCase(
            recorded("boards nearly full"),
            Kind.LATE_POSITIONS,
            board,
            opponents=random_opponent,
            late_position=nearly_full,
            weight=2,
        ),
    )


def random_opponent(seed: int) -> Callable[[Position, object], AnyMove]:
    """Return an opponent that plays pseudorandom legal moves. They are the same for the same seed."""
    return lambda position, last_move: picked(position.legal_moves(), seed, position)


def picked(moves: Sequence[AnyMove], seed: int, position: Position) -> AnyMove:
    """Return one of the moves, chosen by the seed and by the number of moves that led to the position."""
    return moves[number_below(len(moves), "opponent", seed, len(position.moves))]


def with_random_start(plies: int, seed: int, opponent: Opponent) -> Opponent:
    """Return an opponent that first plays pseudorandom legal moves, and then the moves of `opponent`.

    The moves of the first `plies` plies of the game are random; they are the same for the same seed.
    """
    at_random = random_opponent(seed)
    return lambda position, last_move: (at_random if len(position.moves) < plies else opponent)(position, last_move)
