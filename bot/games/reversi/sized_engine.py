"""The engine that the settings name, and for boards that the strong one does not know the one that knows all sizes.

Standard library only.
"""

from bot.search.random_engine import RandomEngine

from .alphabeta.engine import AlphaBetaEngine
from .pvs.engine import LARGEST_SIZE, ReversiEngine


class SizedEngine:
    """One game's search; which one it is shows with the first position. Its interface is engine.ReversiEngine's."""

    def __init__(self, kernels, settings, memory_mb, seed):
        if settings.engine == "random":
            self._usual = self._wide = RandomEngine(seed)
        elif settings.engine == "alphabeta":
            self._usual = self._wide = AlphaBetaEngine(kernels, settings)
        else:
            self._usual = ReversiEngine(kernels, settings, memory_mb, seed)
            # As deep as the time allows.
            self._wide = AlphaBetaEngine(kernels, settings._replace(depth=60))
        self._used = self._usual

    def think(self, position, budget_s=None, iterations=None):
        """The Decision on a position with a legal move, or a pass; limits as for the engines themselves."""
        self._used = self._for(position)
        return self._used.think(position, budget_s, iterations)

    def solve(self, position, *arguments, **limits):
        """What the strong engine's solver finds; None where the settings or the board are not its own."""
        engine = self._for(position)
        return engine.solve(position, *arguments, **limits) if hasattr(engine, "solve") else None

    def best_so_far(self):
        """The move a running search would answer now, or None; callable from another thread."""
        return self._used.best_so_far()

    def nodes_in_use(self):
        """Nodes that the search remembers."""
        return self._used.nodes_in_use()

    def search_bytes(self):
        """Bytes of the strong engine's memory, 0 where another one plays."""
        return self._usual.search_bytes() if hasattr(self._usual, "search_bytes") else 0

    def _for(self, position):
        return self._usual if position.size <= LARGEST_SIZE else self._wide
