"""The engine that the settings name, with what every caller may ask of one. Standard library only."""

from bot.search.random_engine import RandomEngine

from .alphabeta.engine import AlphaBetaEngine
from .uct.engine import UctEngine


def _make(kernels, settings, memory_mb, seed):
    if settings.engine == "random":
        return RandomEngine(seed)
    if settings.engine == "alphabeta":
        return AlphaBetaEngine(kernels, settings)
    return UctEngine(kernels, settings, memory_mb, seed)


class ChosenEngine:
    """One game's search. Positions are plain.Position values, moves whole turns."""

    def __init__(self, kernels, settings, memory_mb, seed):
        self._engine = _make(kernels, settings, memory_mb, seed)
        if hasattr(self._engine, "time_rollouts"):  # what `bot bench` looks for
            self.time_rollouts = self._engine.time_rollouts

    def think(self, position, budget_s=None, iterations=None):
        """The Decision on a position that is not over; limits as for the engines themselves."""
        return self._engine.think(position, budget_s, iterations)

    def solve(self, position, *arguments, **limits):
        """What the strong engine's solver finds; None where the settings' engine has none."""
        return self._engine.solve(position, *arguments, **limits) if hasattr(self._engine, "solve") else None

    def best_so_far(self):
        """The turn a running search would answer now, or None; callable from another thread."""
        return self._engine.best_so_far()

    def nodes_in_use(self):
        """Nodes that the search remembers."""
        return self._engine.nodes_in_use()

    def search_bytes(self):
        """Bytes of the strong engine's memory, 0 where another one plays."""
        return self._engine.search_bytes() if hasattr(self._engine, "search_bytes") else 0
