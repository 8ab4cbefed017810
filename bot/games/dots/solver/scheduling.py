"""The exact solver's part of a turn: asked before the tree where it is likely to answer, after it about the turns that
the tree thinks best where it has a chance. Standard library only.
"""

from bot.search.engine import Solution, outcome_of

from ..plain import safe_move
from .engine import EVERYTHING, SolverEngine, deciding_window

# Processor seconds that the solver needs for half of the positions of 5x5 boxes with so many free edges (60 of them, on
# an AMD EPYC), and about how much longer it takes with one more.
_USUAL_EDGES, _USUAL_S, _TIMES_AN_EDGE = 38, 0.01, 3.0
# The most of a turn that a question about the position itself gets, asked where half of such positions take less.
_FIRST_SHARE = 0.75
# A turn is worth checking where half of the positions like the one before it take less than so many turns: a position
# that is lost for who is to move takes longer than one where a single turn wins.
_CHECKED_TURNS = 8


class SolverScheduler:
    """Questions about the result of one position after the other; the answer to one stays until the next is asked."""

    def __init__(self, kernels, table_mb):
        """kernels: with the entry point solve; table_mb: the solver's table at most, in megabytes."""
        self._engine = SolverEngine(kernels, table_mb)
        self._margin, self._found = 0, None

    def address(self):
        """Of the solver's memory, for kernels that ask it themselves."""
        return self._engine.address

    def open(self, position):
        """A new turn: from now on kernels may ask about positions of this board."""
        self._margin, self._found = position.margin, None
        self._engine.ask(position)
        self._engine.go_on(0, 0)

    def try_to_solve(self, position, budget_s):
        """Try to find out who wins, if a turn of so many seconds may be enough; the time it takes is part of them."""
        share_s = _FIRST_SHARE * budget_s
        if _usual_s(position) <= share_s:
            self._found = self._engine.solve(position, share_s, window=deciding_window(position))

    def can_check(self, position, budget_s):
        """Whether to ask about single turns where a turn has so many seconds."""
        return _usual_s(position) <= _CHECKED_TURNS * budget_s

    def outcome_after(self, position, turn, budget_s):
        """ "win", "draw" or "loss" for the side that plays a turn in a position; None where that takes longer."""
        return self._engine.outcome_after(position, turn, budget_s)

    def look_for_most(self, position, budget_s):
        """Look for the turn that ends with most boxes: where the position is lost, or won by bounds without a turn."""
        found = self._engine.solve(position, max(0.0, budget_s))
        if found.turn is not None:
            self._found = found

    def outcome(self):
        """ "win", "draw" or "loss" where that is known of the position asked about, else None."""
        if self._found is None:
            return None
        return outcome_of(self._found.lower + self._margin, self._found.upper + self._margin)

    def turn(self):
        """The turn that reaches the outcome, None while none is known."""
        return None if self._found is None else self._found.turn

    def solve(self, position, budget_s, nodes, exact):
        """The Solution (search/engine.py) of a position; exact: with its score."""
        window = EVERYTHING if exact else deciding_window(position)
        found = self._engine.solve(position, budget_s, nodes, window)
        lower, upper = found.lower + position.margin, found.upper + position.margin
        outcome = outcome_of(lower, upper)
        # Where bounds alone tell the outcome every turn keeps it.
        turn = (found.turn or safe_move(position)) if outcome else None
        return Solution(outcome, None, turn, found.nodes, found.elapsed_s, lower if lower == upper else None)


def _usual_s(position):
    """Seconds that half of the positions with so many free edges take."""
    return _USUAL_S * _TIMES_AN_EDGE ** (position.free_edges() - _USUAL_EDGES)
