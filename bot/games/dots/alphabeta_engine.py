"""The alpha-beta engine for boards of every size.

The engine searches one turn deeper again and again, until it reaches the depth in the settings or a limit. Its base
class is in bot/search/alphabeta_engine.py. Standard library only.
"""

from bot.search.alphabeta_engine import AlphaBetaSearch

from .board import EVALUATIONS
from .plain import safe_move
from .turn_decoder import TurnDecoder


class AlphaBetaEngine(AlphaBetaSearch):
    """The alpha-beta search of one game. Positions are plain.Position values; moves are whole turns.

    `kernels` is a module with the entry points alphabeta(address), made from alphabeta.py, and turn_edges. Nothing is
    kept between turns. `raw_value` is the value in boxes, for the side to move, of the last decision, and 0 before the
    first decision.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, EVALUATIONS.index(settings.evaluation))
        self._turns = TurnDecoder(kernels)
        self.raw_value = 0

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the game must not be over.

        Searches 1, 2, .. turns deep and plays the best turn of the deepest search that was finished. If several turns
        are best, it plays the first one tried. `budget_s` limits the time in seconds from now, and the setting
        move_seconds may reduce it. `iterations` limits the number of nodes. None means no limit. Without `budget_s`
        nothing depends on a clock: the same calls give the same decisions on every machine. The Decision's value is the
        difference in boxes at the end of the line, as a share of all boxes. It is proven if every line was searched to
        the end of the game.
        """
        turn = self._turn(position, budget_s, iterations)
        most = most_turns(position)
        self.raw_value, line, depth = self._search_deeper(turn, most)
        line = line or [safe_move(position)]
        proven = None
        if depth >= most:
            proven = "win" if self.raw_value > 0 else "loss" if self.raw_value < 0 else "draw"
        return turn.decision(line[0], _shown(self.raw_value, position), proven, line, depth)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """See Engine.move_values.

        For every edge that may begin a turn, one turn is searched. All are searched separately, to the same depth.
        """
        turns = {}
        for turn in [decision.move, *position.legal_moves()]:
            turns.setdefault(position.play(turn), turn)  # if several turns draw the same edges, only the first is kept
        after = {turn: follows for follows, turn in turns.items() if turn != decision.move}
        return self._values_apart(after, decision, budget_s, iterations, lambda value: _shown(value, position))

    def _moves_of(self, position, line):
        """Returns the whole turns that the codes in `line`, which are played from `position`, stand for."""
        return self._turns.line(position, line)


def _shown(value, position):
    """Convert a difference in boxes into a Decision's value: its share of all boxes, limited to -1..1."""
    return max(-1.0, min(1.0, value / (position.rows * position.columns)))


def most_turns(position):
    """Returns an upper bound of the number of turns that are left in a game.

    Every edge ends a turn, except edges that complete boxes. An edge may complete two boxes, and all edges of the last
    turn may complete boxes.
    """
    return position.free_edges() - position.boxes_left() + position.boxes_left() // 2 + 1
