"""What every search of the bot answers, and the player without a search. Standard library only."""

from __future__ import annotations

from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Decision(ValueType):
    """A move and how sure it is."""

    move: int  # in the game's own numbering, a column or a cell
    value: float  # -1..1 for the side to move
    proven: str | None  # "win", "draw" or "loss"
    proven_by: str | None  # "tactics", "search" or "solver"
    pv: Sequence[int]  # moves from the root on
    iterations: int
    depth: int  # plies of the longest descent
    nodes: int  # positions in the tree
    elapsed_s: float


class MoveValue(ValueType):
    """A move, and what is known of it."""

    move: int  # in the game's own numbering
    value: float | None  # -1..1 for the side that plays it, None where nothing is known
    is_bound: bool  # the move is worth that or less
    visits: int | None  # simulations that took it, None where the search counts none
    proven: str | None  # "win", "draw" or "loss"
    depth: int | None  # plies searched for this value, None where they differ from line to line


def unknown(move):
    """The MoveValue of a move that was not looked at."""
    return MoveValue(move, None, False, None, None, None)


def decided(decision):
    """The MoveValue of a Decision's own move, as decided."""
    return MoveValue(decision.move, decision.value, False, None, decision.proven, decision.depth)


class Solution(ValueType):
    """What is known of a position."""

    outcome: str | None  # "win", "draw" or "loss" for the side to move, None where it is not settled
    # To the end with best play of both sides (shortest win, longest loss); None where that was not asked for, not
    # settled, or is the same for all.
    plies: int | None
    move: int | None  # one that keeps the outcome, None where it is not settled
    nodes: int  # positions visited
    elapsed_s: float
    # At the end of the game, for the side to move now: discs more than the opponent's with the empty squares given to
    # the winner, boxes more than the opponent's; None where that is not known or the game has none.
    score: int | None


def outcome_of(lower, upper):
    """ "win", "draw" or "loss" by the bounds of a score, None where they leave it open."""
    if lower > 0:
        return "win"
    if upper < 0:
        return "loss"
    return "draw" if lower == upper == 0 else None


class Engine:
    """One game's search. A deriving class has `think`, and of the others what it can.

    warning: what keeps it from playing as it should, "" for nothing.
    SEARCHES_APART: whether move_values has to search each move by itself, which takes time.
    """

    warning = ""
    SEARCHES_APART = False

    def think(self, position, budget_s=None, iterations=None):
        """The Decision on a position with a legal move.

        budget_s: seconds from now for everything, or None; iterations: so many, or None. Without a budget nothing
        depends on a clock.
        """
        raise NotImplementedError

    def knows(self, position):
        """Whether it plays on boards of that size."""
        return True

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """A MoveValue of every move that the engine lists in a position; [] where it compares none.

        decision: what `think` has just said of that position; budget_s and iterations: as there, what may go into
        finding out more. Without budget_s nothing depends on a clock.
        """
        return []

    def static_values(self, position):
        """(value of a position, {move: value of playing it}) as the evaluation alone says, without a search.

        Values are -1..1 for the side to move; moves that end the game are left out. None where there is no such value.
        """
        return None

    def best_so_far(self):
        """The move a running search would answer now, or None; callable from another thread."""
        return None

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """The Solution of a position, None where the engine has no solver.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. exact: find the length
        of the shortest win and the longest loss, or the score, too.
        """
        return None

    def nodes_in_use(self):
        """Nodes that the search remembers."""
        return 0

    def search_bytes(self):
        """Bytes of the search memory that hold something."""
        return 0

    def time_rollouts(self, position, count):
        """(seconds, plies) of `count` rollouts from a position, without a tree; (0.0, 0) where there are none."""
        return 0.0, 0


class RandomEngine(Engine):
    """One game's moves by chance; seed: any integer."""

    def __init__(self, seed):
        self._state = (seed * 2 + 1) & 0xFFFFFFFFFFFFFFFF

    def think(self, position, budget_s=None, iterations=None):
        """A legal move of the position, which must have one; the limits are of no interest."""
        moves = position.legal_moves()
        move = moves[self._below(len(moves))]
        return Decision(move, 0.0, None, None, [move], 0, 0, 0, 0.0)

    def _below(self, bound):
        """A number below bound, by splitmix64 (Steele, Lea and Flood 2014)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return ((mixed ^ mixed >> 31) >> 32) * bound >> 32
