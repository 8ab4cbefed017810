"""The alpha-beta engine: searches the moves of a position one by one and decides how deep to search.

Its base class is in bot/search/alphabeta_engine.py. This module decides how a turn is used: the order of the moves, the
trial search, and the depth of this turn and of the next one. Standard library only.
"""

from bot.search.alphabeta_engine import DEEPEST, INFINITY, ORDER, ORDER_LENGTH, WIN, AlphaBetaSearch, shown_value
from bot.search.engine import MoveValue, unknown
from protocol.value_types import value_type

from .plain import safe_move, tactical_columns

# When this share of a turn's limits is used, the remaining moves and the next turn are searched one ply less deep.
HALF_USED = 0.5
# One more ply costs four to five times as much. So a turn that used less than this share of its limits could mostly
# have searched one ply deeper within half of them. Then the next turn searches one ply deeper.
FAR_TOO_EARLY = 0.1
# In the opening, with fewer stones than this on the board, a root move's value is raised by CENTRE_WORTH for every
# column between it and the edge of the board. That adds at most 5, less than a run of two with both ends open is worth
# (alphabeta.py), so that runs count first.
OPENING_STONES = 8
CENTRE_WORTH = 1
# The search value that is shown as 0.5. It is the value of two runs of three with both ends open.
_HALF_SURE = 160

_Searched = value_type("_Searched", "column value line")


class AlphaBetaEngine(AlphaBetaSearch):
    """The alpha-beta search of one game, with the interface of UctEngine. Columns count from the left.

    `kernels` is a module with the entry point alphabeta(address). Between turns the engine keeps only the values of the
    last turn's moves and, if settings.adaptive_depth is on, the depth of the next search.
    """

    def __init__(self, kernels, settings):
        super().__init__(kernels, settings, evaluation=settings.evaluation == "open_runs")
        self._depth = settings.depth
        self._searched, self._searched_depth = [], 0  # the results and the depth of the last turn

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide. The position must have a legal move and must not be won already.

        `budget_s` limits the time in seconds from now, and the setting move_seconds may reduce it. `iterations` limits
        the number of nodes. If both are None, the search is as deep as the settings say. Without `budget_s` nothing
        depends on a clock: the same calls give the same decisions on every machine. If the limits allow no search, or
        only searches of moves that turn out to lose, the decision is a move that was not searched, with value 0 and
        depth 0.
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
            # No move was searched, or all searched moves lose. A move that was not searched may be better.
            safe = safe_move(position)
            move = left[0] if safe in known or len(trial) == len(order) else safe
            return turn.decision(move, 0.0, None, [], 0)
        return self._decision(turn, self._searched, self._searched_depth)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """See Engine.move_values.

        If a move is no better than the best move searched before it, its value is an upper bound. A move that was not
        searched has no value.
        """
        values = {column: unknown(column) for column in position.legal_moves()}
        best = -INFINITY
        for move in self._searched:
            shown, proven = _shown(move.value)
            is_bound = move.value <= best and proven != "loss"
            values[move.column] = MoveValue(move.column, shown, is_bound, None, proven, self._searched_depth)
            best = max(best, move.value)
        return list(values.values())

    def _tried_first(self, position, columns):
        """Returns `columns` in the order in which the root's moves are tried.

        If moves have equal values, the first one in this order is played.
        """
        if not self._settings.centre_opening:
            return list(columns)
        return sorted(columns, key=lambda column: abs(2 * column - position.columns + 1))

    def _set_order(self, columns):
        self._control[ORDER_LENGTH] = len(columns)
        for place, column in enumerate(columns):
            self._control[ORDER + place] = column

    def _search_moves(self, turn, order, depth, exact):
        """Search the root's moves, which are the columns `order`, to `depth` plies.

        Returns a list with a _Searched for each move whose search was finished, in the same order. With `exact` each
        move gets its exact value. Otherwise a move that is no better than the best move before it may get an upper
        bound of its value.
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
        """Returns the value of a move that completes a four, in a search of `depth` plies. No value is greater."""
        return WIN * depth if self._settings.nearest_win else WIN

    def _search_move(self, turn, column, whole_depth, depth, alpha):
        """Search a root move to `depth` plies, the move included.

        Returns (value, columns of the line after the move). Returns None if a limit of the turn was reached. If the
        value is not above `alpha`, it may be only an upper bound. `whole_depth` is the depth of the other moves'
        searches; with the setting nearest_win, the values of wins are computed for this depth.
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
        """Choose the depth of the next turn.

        `depth` is the depth of this turn; the used share of its limits decides.
        """
        share = turn.share_used()
        if not self._settings.adaptive_depth or not turn.is_limited():
            return
        if share >= HALF_USED:
            self._depth = max(1, depth - 1)
        elif share < FAR_TOO_EARLY and depth == self._depth:
            self._depth = min(depth + 1, DEEPEST)

    def _decision(self, turn, searched, depth):
        """Returns the Decision for the best move in `searched`, or the first of them if several are best."""
        best = max(searched, key=lambda move: move.value)
        value, proven = _shown(best.value)
        return turn.decision(best.column, value, proven, _whole_line(turn.position, best), depth)


def _shown(value):
    """Convert a search value. Returns (a Decision's value, "win" or "loss" if the value proves that, else None)."""
    if abs(value) < WIN:
        return shown_value(value, _HALF_SURE), None
    return (1.0, "win") if value > 0 else (-1.0, "loss")


def _whole_line(position, move):
    """Returns the columns of the whole line that begins with `move`, a _Searched.

    The line that a search returns ends one ply before a four, because the search sees a winning move without making it.
    So the winning move is added here.
    """
    line = [move.column] + move.line
    for column in line:
        position = position.play(column)
    if abs(move.value) >= WIN and not position.opponent_has_won():
        line.append(tactical_columns(position)[1][0])
    return line
