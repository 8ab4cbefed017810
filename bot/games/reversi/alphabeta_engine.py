"""The alpha-beta engine for boards of every size.

It searches deeper by a ply until the settings' depth or the time ends. bot/search/alphabeta_engine.py has what it
shares with other games. Standard library only.
"""

from bot.search.alphabeta_engine import AlphaBetaSearch, shown_value

from .board import EVALUATIONS, PASS
from .plain import safe_move

# A search value, in discs or moves, that is shown as 0.5.
_HALF_SURE = 20


class AlphaBetaEngine(AlphaBetaSearch):
    """The alpha-beta search of one game. Positions are plain.Position values; moves are cells' numbers, or PASS.

    `kernels` is a module with the entry point alphabeta(address), made from alphabeta.py. Nothing is kept between
    turns. `raw_value` is the last decision's value in the unit of alphabeta.py, for the side to move; 0 before the
    first one.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, EVALUATIONS.index(settings.evaluation), settings.pruning)
        self.raw_value = 0

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the position must have a legal move. A pass is answered at once.

        Searches 1, 2, .. plies deep and plays the best move of the last depth that was finished; of equal moves, the
        first one on the board, row by row. `budget_s` is the time for everything in seconds from now; the setting
        move_seconds may reduce it. `iterations` is the most nodes. Without `budget_s` nothing depends on a clock: the
        same calls give the same decisions on every machine.
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

        If the other side has to pass after a move, the position is worth its leaf value, as everywhere in this search.
        """
        after = {move: position.play(move) for move in position.legal_moves() if move != decision.move}
        return self._values_apart(after, decision, budget_s, iterations, _shown)


def _shown(value):
    """Convert a search value into a Decision's value."""
    return shown_value(value, _HALF_SURE)
