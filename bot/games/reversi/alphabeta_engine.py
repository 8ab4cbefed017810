"""The alpha-beta engine for boards of every size: deeper by a ply until the settings' depth or the time is reached.

bot/search/alphabeta_engine.py has what it shares with other games. Standard library only.
"""

from bot.search.alphabeta_engine import AlphaBetaSearch, shown_value

from .board import EVALUATIONS, PASS
from .plain import safe_move

# A value that is shown as a half: so many discs or moves.
_HALF_SURE = 20


class AlphaBetaEngine(AlphaBetaSearch):
    """One game's search. Positions are plain.Position values; moves are cells' numbers, or PASS.

    kernels: a module with the entry point alphabeta(address), made of alphabeta.py. Nothing is kept between turns.
    raw_value: the last decision's value as alphabeta.py counts, for the side to move; 0 before the first one.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, EVALUATIONS.index(settings.evaluation), settings.pruning)
        self.raw_value = 0

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the position must have a legal move. A pass is answered at once.

        The moves are searched 1, 2, .. plies deep; what the last depth that was finished says is played: of the moves
        worth most the one first on the board, row by row. budget_s: seconds from now for everything, of which the
        setting move_seconds may leave some; iterations: the most nodes. Without budget_s nothing depends on a clock:
        the same calls give the same decisions on every machine.
        """
        turn = self._turn(position, budget_s, iterations)
        if position.legal_moves() == [PASS]:
            self.raw_value, line, depth = self.static_value(position), [PASS], 0
        else:
            self.raw_value, line, depth = self._search_deeper(turn, position.free_cells())
            line = line or [safe_move(position)]
        return turn.decision(line[0], _shown(self.raw_value), None, line, depth)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: every move searched by itself, all as deep, and what follows valued from the other side.

        Where the side that follows has to pass the position is worth what it is, as everywhere in this search.
        """
        after = {move: position.play(move) for move in position.legal_moves() if move != decision.move}
        return self._values_apart(after, decision, budget_s, iterations, _shown)


def _shown(value):
    """A leaf value as a Decision's."""
    return shown_value(value, _HALF_SURE)
