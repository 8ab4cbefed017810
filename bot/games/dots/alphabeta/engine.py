"""The alpha-beta engine for boards of every size: deeper by a turn until the settings' depth or the time is reached.

What it shares with other games is in search/alphabeta/engine.py. Standard library only.
"""

from bot.search.alphabeta import layout
from bot.search.alphabeta.engine import AlphaBetaSearch
from bot.search.engine import Decision, MoveValue, decided, unknown

from ..plain import safe_move
from ..rules.board import EVALUATIONS
from ..rules.turn_decoder import TurnDecoder


class AlphaBetaEngine(AlphaBetaSearch):
    """One game's search. Positions are plain.Position values; moves are whole turns.

    kernels: a module with the entry points alphabeta(address), made of evaluation.py, and turn_edges. Nothing is kept
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
        value, line, depth = self._deepen(turn)
        self.raw_value = value
        proven = None
        if depth >= most_turns(position):
            proven = "win" if value > 0 else "loss" if value < 0 else "draw"
        shown = _shown(value, position)
        return Decision(
            line[0], shown, proven, proven and "search", line, turn.nodes, depth, turn.nodes, turn.elapsed_s()
        )

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: turns searched each by itself, all as deep, one for every edge that may begin one."""
        turns = {}
        for turn in [decision.move, *position.legal_moves()]:
            turns.setdefault(position.play(turn), turn)  # of those that draw the same edges one
        after = {turn: follows for follows, turn in turns.items() if turn != decision.move}
        found, depth = self._search_apart(after, decision.depth, budget_s, iterations)
        others = [
            MoveValue(turn, _shown(found[turn], position), False, None, None, depth) if found else unknown(turn)
            for turn in after
        ]
        return [decided(decision), *others]

    def _deepen(self, turn):
        """(value, line, depth) of the last finished depth; where there is none, a safe turn worth 0 at depth 0."""
        position = turn.position
        value, line, depth = 0, [], 0
        deepest = min(self._settings.depth, most_turns(position), layout.DEEPEST)
        try:
            while depth < deepest and turn.share_used() < 1:
                found = self._search(turn, position, depth + 1)
                if found is None:
                    break
                value, depth = found[0], depth + 1
                line = self._turns.line(position, found[1])
                self._best = line[0]
        finally:
            self._best, self._nodes = None, turn.nodes
        return value, line or [safe_move(position)], depth

    def static_value(self, position):
        """What the settings' evaluation says of a position without any search, in boxes for the side to move."""
        value, _ = self._search(self._turn(position, None, None), position, depth=0)
        return value


def _shown(value, position):
    """A number of boxes as a Decision's value: the share of all."""
    return max(-1.0, min(1.0, value / (position.rows * position.columns)))


def most_turns(position):
    """A bound on the turns that are left: every edge ends one but those that complete boxes, of which an edge may
    complete two, and a last turn may consist of such edges alone.
    """
    return position.free_edges() - position.boxes_left() + position.boxes_left() // 2 + 1
