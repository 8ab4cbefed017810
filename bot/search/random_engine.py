"""A player without a search: every legal move is as likely as the next. Standard library only."""

from .decision import Decision
from .engine import Engine


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
