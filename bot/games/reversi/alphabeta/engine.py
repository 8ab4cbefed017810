"""The alpha-beta engine for boards of every size: deeper by a ply until the settings' depth or the time is reached.

What it shares with other games is in search/alphabeta/engine.py. Standard library only.
"""

from bot.search.alphabeta.engine import AlphaBetaSearch, shown_value
from bot.search.alphabeta.layout import DEEPEST
from bot.search.engine import Decision, MoveValue, decided, unknown

from ..plain import safe_move
from ..rules.board import EVALUATIONS, PASS

# A value that is shown as a half: so many discs or moves.
_HALF_SURE = 20


class AlphaBetaEngine(AlphaBetaSearch):
    """One game's search. Positions are plain.Position values; moves are cells' numbers, or PASS.

    kernels: a module with the entry point alphabeta(address), made of evaluation.py. Nothing is kept between turns.
    raw_value: the last decision's value as evaluation.py counts, for the side to move; 0 before the first one.
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
            self.raw_value, line, depth = self._deepen(turn)
        return Decision(
            line[0],
            shown_value(self.raw_value, _HALF_SURE),
            None,
            None,
            line,
            turn.nodes,
            depth,
            turn.nodes,
            turn.elapsed_s(),
        )

    def _deepen(self, turn):
        """(value, line, depth) of the last finished depth; where there is none, a safe move worth 0 at depth 0."""
        value, line, depth = 0, [], 0
        deepest = min(self._settings.depth, turn.position.free_cells(), DEEPEST)
        try:
            while depth < deepest and turn.share_used() < 1:
                found = self._search(turn, turn.position, depth + 1)
                if found is None:
                    break
                value, line = found
                self._best, depth = line[0], depth + 1
        finally:
            self._best, self._nodes = None, turn.nodes
        return value, line or [safe_move(turn.position)], depth

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: every move searched by itself, all as deep, and what follows valued from the other side.

        Where the side that follows has to pass the position is worth what it is, as everywhere in this search.
        """
        after = {move: position.play(move) for move in position.legal_moves() if move != decision.move}
        found, depth = self._search_apart(after, decision.depth, budget_s, iterations)
        others = [
            MoveValue(move, shown_value(found[move], _HALF_SURE), False, None, None, depth) if found else unknown(move)
            for move in after
        ]
        return [decided(decision), *others]

    def static_value(self, position):
        """What the settings' evaluation says of a position without any search, for the side to move."""
        value, _ = self._search(self._turn(position, None, None), position, depth=0)
        return value
