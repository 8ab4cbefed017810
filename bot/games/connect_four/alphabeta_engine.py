"""The alpha-beta engine: searches the root's moves one by one and decides how deep to look.

bot/search/alphabeta_engine.py has what it shares with other games. This module says how this game uses its turns: the
order of the moves, the trial search, the depth of this turn and of the next. Standard library only.
"""

from bot.search.alphabeta_engine import DEEPEST, INFINITY, ORDER, ORDER_LENGTH, WIN, AlphaBetaSearch, shown_value
from bot.search.engine import MoveValue, unknown
from protocol.value_types import value_type

from .plain import safe_move, tactical_columns

# From this share of a turn on, the moves still to be searched are searched one ply less deep, and so is the next turn.
HALF_USED = 0.5
# A ply costs four to five times more: a turn that needed less than this would mostly have ended within its first
# half one ply deeper, which is what the next turn then does.
FAR_TOO_EARLY = 0.1
# The opening: fewer stones than this on the board. A root move's value gets so much for every column between it and
# the edge of the board: at most 5, less than a two with both ends open is worth (alphabeta.py), so that runs count
# first.
OPENING_STONES = 8
CENTRE_WORTH = 1
# A value that is shown as a half: two threes with both ends open.
_HALF_SURE = 160

_Searched = value_type("_Searched", "column value line")


class AlphaBetaEngine(AlphaBetaSearch):
    """One game's search, with the interface of engine.UctEngine; columns count from the left.

    kernels: a module with the entry point alphabeta(address). Nothing is kept between turns but, where
    settings.adaptive_depth is on, the depth of the next one.
    """

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, evaluation=settings.evaluation == "open_runs")
        self._depth = settings.depth
        self._searched, self._searched_depth = [], 0  # of the last turn

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide. The position must have a legal move and not be won already.

        budget_s: seconds from now for everything, of which the setting move_seconds may leave some; iterations: the
        most nodes. Without budget_s nothing depends on a clock: the same calls give the same decisions on every
        machine. With neither, the search is as deep as the settings say. Where the limits allow no search, or one of
        moves that lose alone, it answers another move, worth 0 at depth 0.
        """
        turn = self._turn(position, budget_s, iterations)
        depth = min(self._depth, position.free_cells(), DEEPEST)
        order = self._tried_first(position, position.legal_moves())
        self._set_order(self._tried_first(position, range(position.columns)))
        try:
            trial = []
            if 0 < self._settings.trial_depth < depth:
                trial = self._search_moves(turn, order, self._settings.trial_depth, exact=True)
                ranks = {move.column: move.value for move in trial}
                order.sort(key=lambda column: -ranks.get(column, -INFINITY))
            searched = self._search_moves(turn, order, depth, exact=False)
        finally:
            self._best, self._nodes = None, turn.nodes
        self._adapt_depth(turn, depth)
        self._searched = searched or trial
        self._searched_depth = depth if searched else self._settings.trial_depth
        known = {move.column for move in self._searched}
        left = [column for column in order if column not in known]
        if left and all(move.value <= -WIN for move in self._searched):
            # Nothing was searched, or only moves that lose: another one may be better.
            safe = safe_move(position)
            move = left[0] if safe in known or len(trial) == len(order) else safe
            return turn.decision(move, 0.0, None, [], 0)
        return self._decision(turn, self._searched, self._searched_depth)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: a move that was no better than the best before it has a bound, one not reached nothing."""
        values = {column: unknown(column) for column in position.legal_moves()}
        best = -INFINITY
        for move in self._searched:
            shown, proven = _shown(move.value)
            is_bound = move.value <= best and proven != "loss"
            values[move.column] = MoveValue(move.column, shown, is_bound, None, proven, self._searched_depth)
            best = max(best, move.value)
        return list(values.values())

    def _tried_first(self, position, columns):
        """Columns in the order in which moves are tried: of moves worth the same, the first one is played."""
        if not self._settings.centre_opening:
            return list(columns)
        return sorted(columns, key=lambda column: abs(2 * column - position.columns + 1))

    def _set_order(self, columns):
        self._control[ORDER_LENGTH] = len(columns)
        for place, column in enumerate(columns):
            self._control[ORDER + place] = column

    def _search_moves(self, turn, order, depth, exact):
        """A _Searched for every root move that got done, in that order.

        exact: give each move its own value; otherwise moves no better than the best before them get an upper bound.
        """
        searched, best = [], -INFINITY
        for column in order:
            share = turn.share_used()
            late = self._settings.adaptive_depth and share >= HALF_USED
            bonus = self._centre_bonus(turn.position, column)
            alpha = -INFINITY if exact else best - bonus
            found = None
            if share < 1:
                found = self._search_move(turn, column, depth, max(1, depth - 1) if late else depth, alpha)
            if found is None:
                break
            value, line = found
            if abs(value) < WIN:
                value += bonus
            searched.append(_Searched(column, value, line))
            if value > best:
                self._best, best = column, value
            if value == self._four_at_once(depth):
                break
        return searched

    def _centre_bonus(self, position, column):
        if not self._settings.centre_opening or position.plies() >= OPENING_STONES:
            return 0
        return CENTRE_WORTH * min(column, position.columns - 1 - column)

    def _four_at_once(self, depth):
        """Value of a move that completes a four, in a search of that depth: nothing is worth more."""
        return WIN * depth if self._settings.nearest_win else WIN

    def _search_move(self, turn, column, whole_depth, depth, alpha):
        """(value, columns of the line after it) of a root move searched to `depth` plies, itself one of them.

        None if a limit of the turn was reached. whole_depth: what the worth of a win counts from; alpha: values not
        above it may be given as bounds.
        """
        child = turn.position.play(column)
        if child.opponent_has_won():
            turn.nodes += 1
            return self._four_at_once(whole_depth), []
        found = self._search(
            turn, child, depth - 1, beta=-alpha, win_steps=whole_depth - 1 if self._settings.nearest_win else -1
        )
        return None if found is None else (-found[0], found[1])

    def _adapt_depth(self, turn, depth):
        """Choose the next turn's depth by how much of this turn's limits was used."""
        share = turn.share_used()
        if not self._settings.adaptive_depth or not turn.is_limited():
            return
        if share >= HALF_USED:
            self._depth = max(1, depth - 1)
        elif share < FAR_TOO_EARLY and depth == self._depth:
            self._depth = min(depth + 1, DEEPEST)

    def _decision(self, turn, searched, depth):
        """The best of the moves searched, the first one of equals."""
        best = max(searched, key=lambda move: move.value)
        value, proven = _shown(best.value)
        return turn.decision(best.column, value, proven, _whole_line(turn.position, best), depth)


def _shown(value):
    """(a value as a Decision's, whether it is a proven "win" or "loss", else None)."""
    if abs(value) < WIN:
        return shown_value(value, _HALF_SURE), None
    return (1.0, "win") if value > 0 else (-1.0, "loss")


def _whole_line(position, move):
    """Columns of a move's line, with the four that the search saw one ply before it."""
    line = [move.column] + move.line
    for column in line:
        position = position.play(column)
    if abs(move.value) >= WIN and not position.opponent_has_won():
        line.append(tactical_columns(position)[1][0])
    return line
