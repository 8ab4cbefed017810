"""What `judge check` puts a player of a game through, said by the game; judge/checks/runs.py does it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from judge.games.boards import Board
from judge.games.positions import AnyMove, Position

# From the position and the move that the player made last (None before the first) to the opponent's move.
Opponent = Callable[[Any, Any], AnyMove]


class Kind(Enum):
    """What is done to the player in a case."""

    WHOLE_GAME = "a game to its end"
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
    """One case of a check, under a name of its own (of recorded()).

    The player is number 0 or 1 where the kind leaves that open.
    """

    name: str
    kind: Kind
    board: Board
    opponent: Opponent | None = None
    player: int = 0


def wanderer(seed: int) -> Callable[[Position, object], AnyMove]:
    """An opponent that plays any legal move, the same for the same seed."""
    generator = random.Random(seed)
    return lambda position, last_move: generator.choice(position.legal_moves())
