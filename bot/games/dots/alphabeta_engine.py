"""The alpha-beta engine for boards of every size: deeper by a turn until the settings' depth or the time is reached.

bot/search/alphabeta_engine.py has what it shares with other games. Standard library only.
"""

from bot.search.alphabeta_engine import AlphaBetaSearch

from .board import EVALUATIONS
from .plain import safe_move
from .turn_decoder import TurnDecoder


class AlphaBetaEngine(AlphaBetaSearch):
    """One game's search. Positions are plain.Position values; moves are whole turns.

    kernels: a module with the entry points alphabeta(address), made of alphabeta.py, and turn_edges. Nothing is kept
    between turns. raw_value: the last decision's value in boxes, for the side to move; 0 before the first one.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, EVALUATIONS.index(settings.evaluation))
        self._turns = TurnDecoder(kernels)
        self.raw_value = 0

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the game must not be over.

        The turns are searched 1, 2, .. deep; what the last depth that was finished says is played: of the turns worth
        most the one tried first. budget_s: seconds from now for everything, of which the setting move_seconds may leave
        some; iterations: the most nodes. Without budget_s nothing depends on a clock: the same calls give the same
        decisions on every machine. value: boxes more than the other side's at the end of the line, as a share of all;
        proven: once every line has been searched to the end of the game.
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
        """As Engine has it: turns searched each by itself, all as deep, one for every edge that may begin one."""
        turns = {}
        for turn in [decision.move, *position.legal_moves()]:
            turns.setdefault(position.play(turn), turn)  # of those that draw the same edges one
        after = {turn: follows for follows, turn in turns.items() if turn != decision.move}
        return self._values_apart(after, decision, budget_s, iterations, lambda value: _shown(value, position))

    def _moves_of(self, position, line):
        """The whole turns that the kernels' codes of a line stand for."""
        return self._turns.line(position, line)


def _shown(value, position):
    """A number of boxes as a Decision's value: the share of all."""
    return max(-1.0, min(1.0, value / (position.rows * position.columns)))


def most_turns(position):
    """A bound on the turns that are left: every edge ends one but those that complete boxes, of which an edge may
    complete two, and a last turn may consist of such edges alone.
    """
    return position.free_edges() - position.boxes_left() + position.boxes_left() // 2 + 1
