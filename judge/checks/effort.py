"""How much a check asks of a player, and what that is worth: with what odds a rare fault would have shown."""

import math
from dataclasses import dataclass

FAULTS = 200  # the fault that odds are told of: one in so many moves
USUAL_ODDS, THOROUGH_ODDS = 0.99, 0.999
USUAL_S = 155.0  # at the platform's limit; a check stays below three minutes
PLATFORM_LIMIT_S = 3.0


def odds(moves: int) -> float:
    """The probability, 0 to 1, that a fault in one of FAULTS moves shows in so many of them."""
    return 1 - (1 - 1 / FAULTS) ** moves


def moves_for(wanted: float) -> int:
    """How many moves make these odds."""
    return math.ceil(math.log(1 - wanted) / math.log(1 - 1 / FAULTS))


@dataclass(frozen=True)
class Effort:
    """What a check may take, in seconds at PLATFORM_LIMIT_S a move, and how many moves it wants to see.

    With `hurries` a player that is told its limit is told a short one in most games, for more moves in the same time.
    """

    seconds: float
    moves: int
    hurries: bool

    def seconds_at(self, limit_s: float) -> float:
        """What a check may take with this limit, in seconds per move."""
        return self.seconds * max(1.0, limit_s / PLATFORM_LIMIT_S)


USUAL = Effort(USUAL_S, moves_for(USUAL_ODDS), hurries=True)
THOROUGH = Effort(math.inf, moves_for(THOROUGH_ODDS), hurries=False)
