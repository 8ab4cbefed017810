"""The alpha-beta engine for boards of every size.

The engine searches one ply deeper again and again, until it reaches the depth in the settings or a limit. Its base
class is in bot/search/alphabeta_engine.py. Standard library only.
"""

from bot.search.alphabeta_engine import AlphaBetaSearch, shown_value

from .board import EVALUATIONS, PASS
from .plain import safe_move

# The search value, in discs or moves, that is shown as 0.5.
_HALF_SURE = 20


class AlphaBetaEngine(AlphaBetaSearch):
    """The alpha-beta search of one game. Positions are plain.Position values; moves are cells' numbers, or PASS.

    `kernels` is a module with the entry point alphabeta(address), made from alphabeta.py. Nothing is kept between
    turns. `raw_value` is the value of the last decision, for the side to move, in the unit of alphabeta.py. Before the
    first decision it is 0.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, EVALUATIONS.index(settings.evaluation), settings.pruning)
        self.raw_value = 0

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the position must have a legal move. A pass is answered at once.

        Searches 1, 2, .. plies deep and plays the best move of the deepest search that was finished. If several moves
        are best, it plays the first one on the board, row by row. `budget_s` limits the time in seconds from now, and
        the setting move_seconds may reduce it. `iterations` limits the number of nodes. None means no limit. Without
        `budget_s` nothing depends on a clock: the same calls give the same decisions on every machine.
        """
        turn = self._turn(position, budget_s, iterations)
        if position.legal_moves() == [PASS]:
            self.raw_value, line, depth = self.static_value(position), [PASS], 0
        else:
            self.raw_value, line, depth = self._search_deeper(turn, position.free_cells())
            line = line or [safe_move(position)]
        return turn.decision(line[0], _shown(self.raw_value), None, line, depth)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """See Engine.move_values. Each move is searched separately, to the same depth.

        If the other side has to pass after a move, the position after the move gets its leaf value, as in the whole
        search.
        """
        after = {move: position.play(move) for move in position.legal_moves() if move != decision.move}
        return self._values_apart(after, decision, budget_s, iterations, _shown)


def _shown(value):
    """Convert a search value into a Decision's value."""
    return shown_value(value, _HALF_SURE)
