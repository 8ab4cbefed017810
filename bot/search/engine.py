"""The values that every search of the bot returns, the base class of engines, and an engine that plays random moves.

Standard library only.
"""

from __future__ import annotations

from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Decision(ValueType):
    """The move that a search chooses, its value, and what the search has spent."""

    move: int  # in the game's own numbering, a column or a cell
    value: float  # -1..1 for the side to move
    proven: str | None  # "win", "draw" or "loss"
    proven_by: str | None  # "tactics", "search" or "solver"
    pv: Sequence[int]  # principal variation: the best line from the root, beginning with the move
    iterations: int
    depth: int  # plies: of the longest descent in a tree, or the depth of an alpha-beta search
    nodes: int  # positions in the tree, or positions visited by an alpha-beta search
    elapsed_s: float


class MoveValue(ValueType):
    """A move, and what a search knows of it."""

    move: int  # in the game's own numbering
    value: float | None  # -1..1 for the side that plays the move, None if nothing is known
    is_bound: bool  # whether `value` is only an upper bound
    visits: int | None  # simulations that took the move, None if the search has no simulations
    proven: str | None  # "win", "draw" or "loss"
    depth: int | None  # plies searched for this value, None if the number differs from line to line


def unknown(move):
    """Returns the MoveValue of a move that was not looked at."""
    return MoveValue(move, None, False, None, None, None)


def decided(decision):
    """Returns the MoveValue of the move that a Decision has chosen."""
    return MoveValue(decision.move, decision.value, False, None, decision.proven, decision.depth)


class Solution(ValueType):
    """What a solver has found out about a position."""

    outcome: str | None  # "win", "draw" or "loss" for the side to move, None where it is not settled
    # Plies to the end of the game if both sides play best (shortest win, longest loss). None if this was not asked for,
    # is not settled, or is the same for all moves.
    plies: int | None
    move: int | None  # a move that keeps the outcome, None where the outcome is not settled
    nodes: int  # positions visited
    elapsed_s: float
    # The score at the end of the game, for the side that is to move now: the difference in boxes, or in discs with the
    # empty squares given to the winner. None if it is not known or the game has no score.
    score: int | None


def outcome_of(lower, upper):
    """Returns "win", "draw" or "loss" for a score from `lower` to `upper`, or None if they allow several of these."""
    if lower > 0:
        return "win"
    if upper < 0:
        return "loss"
    return "draw" if lower == upper == 0 else None


class Engine:
    """The search of one game. A derived class implements `think`, and any of the other methods that it supports.

    `warning` says what keeps the engine from playing at its full strength. It is "" if the engine plays at full
    strength. `SEARCHES_APART` says whether move_values has to search each move separately, which takes time.
    """

    warning = ""
    SEARCHES_APART = False

    def think(self, position, budget_s=None, iterations=None):
        """Returns the Decision in a position that has a legal move.

        `budget_s` limits the time in seconds from now, and `iterations` limits the number of iterations. None means no
        limit. Without `budget_s` nothing depends on a clock.
        """
        raise NotImplementedError

    def knows(self, position):
        """Returns whether the engine can play on a board of the position's size."""
        return True

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """Returns a MoveValue for every move that the engine lists in a position.

        Returns [] if it does not compare moves. `decision` is what `think` has just returned for that position.
        `budget_s` and `iterations` limit further searches, as in `think`. Without `budget_s` nothing depends on a
        clock.
        """
        return []

    def static_values(self, position):
        """Returns (value of the position, {move: value of the move}) by the evaluation alone, without a search.

        Values are -1..1 for the side to move; moves that end the game are left out. Returns None if the engine has no
        such evaluation.
        """
        return None

    def priors(self, position):
        """Returns {move: the chance, 0..1, that a policy gives it before any search} of a position's legal moves.

        Returns None if the engine has no policy.
        """
        return None

    def best_so_far(self):
        """Returns the move that a running search prefers now, or None. Any thread may call it."""
        return None

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """Returns the Solution of a position, or None if the engine has no solver.

        The solver takes at most `budget_s` seconds and `nodes` positions; without either it runs to the end. With
        `exact` it also finds the length of the shortest win or longest loss, or the score.
        """
        return None

    def nodes_in_use(self):
        """Returns the number of nodes that the search keeps in memory."""
        return 0

    def search_bytes(self):
        """Returns the number of bytes of the search memory that are in use."""
        return 0

    def time_rollouts(self, position, count):
        """Run `count` rollouts from a position without a tree.

        Returns (seconds, plies), or (0.0, 0) if the engine has no rollouts.
        """
        return 0.0, 0


class RandomEngine(Engine):
    """An engine that plays random moves. `seed` is any integer."""

    def __init__(self, seed):
        self._state = (seed * 2 + 1) & 0xFFFFFFFFFFFFFFFF

    def think(self, position, budget_s=None, iterations=None):
        """Returns a Decision for a random legal move. The position must have a legal move. The limits are ignored."""
        moves = position.legal_moves()
        move = moves[self._below(len(moves))]
        return Decision(move, 0.0, None, None, [move], 0, 0, 0, 0.0)

    def _below(self, bound):
        """Returns a random number from 0 to bound - 1, by splitmix64 (Steele, Lea and Flood 2014)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return ((mixed ^ mixed >> 31) >> 32) * bound >> 32
