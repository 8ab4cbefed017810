"""Where a player is put through a check: its trials, what they have cost, and how long a case may take."""

import math
import threading

from judge.checks.costs import Costs
from judge.checks.shares import Shares
from judge.checks.trial import Conditions, Trial
from judge.games.boards import Board
from judge.players.players import BadCommand, Contestant

# What a player that is told its limit is told where games shall be many.
HURRIED_SHARE = 1 / 15
LEAST_TOLD_S = 0.1


class Unfit(Exception):
    """The player failed otherwise than by losing a game. str() is the reason."""


class Doubtful(Exception):
    """What the platform puts up with, or what only matters elsewhere. str() says what, and where."""


class Bench:
    """Starts trials of one player under the same Conditions and keeps what they cost.

    `earlier_moves` have been asked of the player before.
    """

    def __init__(
        self,
        contestant: Contestant,
        conditions: Conditions,
        shares: Shares | None = None,
        earlier_moves: int = 0,
    ) -> None:
        self.contestant = contestant
        self.conditions = conditions
        self.shares = shares
        self.costs: list[Costs] = []
        self.unread_costs: list[Costs] = []
        self.earlier_moves = earlier_moves
        self.runs_on = threading.Event()  # it has been seen not to end with its input
        self.hurried_limit_s = self._hurried_limit_s()

    def part(self) -> "Bench":
        """A Bench for one case, whose costs count once add() has them."""
        part = Bench(self.contestant, self.conditions, self.shares, self.moves)
        part.runs_on = self.runs_on
        return part

    def add(self, part: "Bench") -> None:
        """Count what a part has cost."""
        self.costs += part.costs
        self.unread_costs += part.unread_costs

    @property
    def moves(self) -> int:
        """How many moves the player was asked for and made."""
        return self.earlier_moves + sum(len(costs.walls_s) for costs in (*self.costs, *self.unread_costs))

    @property
    def hurried_moves(self) -> int:
        """How many of them in less time than the limit, as it was told."""
        return sum(len(costs.walls_s) for costs in (*self.costs, *self.unread_costs) if costs.hurried)

    def turn_s(self, is_hurried: bool | None = None) -> float | None:
        """The mean of the player's turns in seconds, None before the first; of the hurried ones, or of the others."""
        walls_s = [wall_s for costs in self.costs if is_hurried in (None, costs.hurried) for wall_s in costs.walls_s]
        return sum(walls_s) / len(walls_s) if walls_s else None

    @property
    def end(self) -> float:
        """The moment of time.monotonic() at which the check is to end."""
        return math.inf if self.shares is None else self.shares.end

    def trial(
        self,
        board: Board,
        drain_stderr: bool = True,
        hurried: bool = False,
        seed: int | None = None,
        is_counted: bool = True,
    ) -> Trial:
        """A new Trial on the board; without `drain_stderr` its costs, a full pipe's, are kept apart.

        A `hurried` player that takes a limit is told a short one. seed: the player's, None for the conditions'. Unless
        it is_counted its costs are nobody's.
        """
        told_s = self.hurried_limit_s if hurried else None
        told = (told_s or self.conditions.limit_s, self.conditions.seed if seed is None else seed)
        trial = Trial(self.contestant, self.conditions, board, drain_stderr, told)
        trial.costs.hurried = told_s is not None
        if is_counted:
            (self.costs if drain_stderr else self.unread_costs).append(trial.costs)
        return trial

    def until(self, name: str) -> float:
        """The moment of time.monotonic() until which the case of this name, which begins now, may go on."""
        return math.inf if self.shares is None else self.shares.begin(name)

    def finish(self, name: str) -> None:
        """The case of this name is over."""
        if self.shares is not None:
            self.shares.finish(name)

    def _hurried_limit_s(self) -> float | None:
        """What to tell a player in a hurry; None for one that is told no limit."""
        limit_s = self.conditions.limit_s
        told_s = max(LEAST_TOLD_S, limit_s * HURRIED_SHARE)
        if not self.conditions.effort.hurries or told_s >= limit_s:
            return None
        try:
            is_told = self.contestant.launch(limit_s, 0) != self.contestant.launch(told_s, 0)
        except BadCommand:
            return None
        return told_s if is_told else None
