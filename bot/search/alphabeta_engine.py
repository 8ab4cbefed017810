"""The base class of the alpha-beta engines of all games: the search memory, iterative deepening, and a turn's limits.

The kernel (alphabeta.py) searches one position to one depth in one window. A game's engine derives from AlphaBetaSearch
and decides which of these searches a turn needs. Reversi's principal variation search has a separate engine
(games/reversi/pvs_engine.py). Standard library only.

Everything lies in one block of memory:

    byte 0        control: int64[64], the fields numbered below
    byte 512      frames: int64[61 * 8], what the search knows of each position on the path
    byte 4608     lines: int64[61 * 61], for each ply the best line found below it
    byte 36864    positions: 61 of 256 bytes each; the game's engine writes the first one
    byte 52480    moves: int16[61 * 128], for each ply the legal moves in the order in which they are tried

Ply 0 is the position that the search is called for.
"""

import time

from bot.kernels.memory_block import MemoryBlock
from bot.search.engine import Decision, MoveValue, decided, unknown

from .engine import Engine
from .limits import NO_LIMIT, nanoseconds

DEEPEST = 60  # plies; _PLACES is one more, for the position after the last ply
_PLACES = DEEPEST + 1

CONTROL_FIELDS = 64
(
    DEPTH,  # plies to search, 1..DEEPEST; 0 evaluates the position itself
    ALPHA,
    BETA,  # VALUE is exact if it lies between ALPHA and BETA, else it is a bound
    WIN_STEPS,  # a win at ply p is worth WIN * (1 + WIN_STEPS - p); if negative, any win is worth WIN
    EVALUATION,  # passed to the game's leaf_value
    BUDGET_NS,
    MAX_NODES,
    VALUE,
    NODES,
    STOPPED,  # written by the search: 1 if a limit stopped it; then VALUE is undefined
    LINE_LENGTH,  # the number of moves in the best line, which begins at the start of the lines
    PRUNING,  # 0: nothing is cut off, whatever the window (minimax)
    ORDER_LENGTH,
) = range(13)
ORDER = 16  # the first of ORDER_LENGTH fields: the order in which to try moves, for games whose list_moves reads it

FRAMES_OFFSET = 8 * CONTROL_FIELDS
(
    FRAME_ALPHA,
    FRAME_BETA,
    FRAME_BEST,
    FRAME_NEXT,  # index of the move to try next
    FRAME_MOVES,  # number of moves
    FRAME_MOVE,  # the move being tried
    FRAME_LINE,  # number of moves in the best line from this position on
) = range(7)
FRAME_FIELDS = 8

LINES_OFFSET = 4608
LINE_PLACES = _PLACES

POSITIONS_OFFSET = 36864
POSITION_BYTES = 256

MOVES_OFFSET = POSITIONS_OFFSET + _PLACES * POSITION_BYTES
MOST_MOVES = 128
MEMORY_BYTES = MOVES_OFFSET + _PLACES * MOST_MOVES * 2

# Far above every leaf value, so that no leaf value is mistaken for a win. The greatest value of a win is 61 * WIN.
WIN = 1_000_000
INFINITY = 1 << 40


class AlphaBetaSearch(Engine):
    """The search memory, iterative deepening, and what other threads may ask. A derived class implements `think`.

    `kernels` is a module with the entry point alphabeta(address). `settings` has `depth`, in plies, and `move_seconds`,
    the most seconds of a turn, where 0 means no limit. `evaluation` is a number that is passed to the game's
    leaf_value. If `pruning` is false, the search is minimax.
    """

    def __init__(self, kernels, settings, evaluation, pruning=True):
        self._kernels, self._settings = kernels, settings
        self._memory = MemoryBlock(MEMORY_BYTES)
        self._control = self._memory.array(0, CONTROL_FIELDS, "q")
        self._lines = self._memory.array(LINES_OFFSET, LINE_PLACES, "q")
        self._control[EVALUATION], self._control[PRUNING] = evaluation, pruning
        self._best = None
        self._nodes = 0

    def best_so_far(self):
        """Returns the move that a running search prefers now, or None. Any thread may call it."""
        return self._best

    def nodes_in_use(self):
        """Returns the number of nodes that the last search visited. None of them is kept in memory."""
        return self._nodes

    def static_value(self, position):
        """Returns the evaluation's value of a position, without a search, for the side to move.

        The value is in the unit of the game's leaf_value.
        """
        value, _ = self._search(self._turn(position, None, None), position, depth=0)
        return value

    def _turn(self, position, budget_s, max_nodes):
        """Returns a Turn that begins now. None for `budget_s` or `max_nodes` means no limit.

        If there is a time limit, the setting move_seconds caps it.
        """
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        return Turn(position, budget_s, max_nodes)

    def _search(self, turn, position, depth, beta=INFINITY, win_steps=-1):
        """Search a position to `depth` plies.

        Returns (value for the side to move, best line), or None if a limit of the turn stopped the search. If the value
        is at least `beta`, it may be only a lower bound. `win_steps` is written to control[WIN_STEPS].
        """
        self._memory.write(POSITIONS_OFFSET, position.to_bytes())
        control = self._control
        control[DEPTH], control[WIN_STEPS] = depth, win_steps
        control[ALPHA], control[BETA] = -INFINITY, beta
        control[BUDGET_NS], control[MAX_NODES] = turn.ns_left(), turn.nodes_left()
        self._kernels.alphabeta(self._memory.address)
        turn.nodes += control[NODES]
        if control[STOPPED]:
            return None
        return control[VALUE], list(self._lines[: control[LINE_LENGTH]])

    def _search_deeper(self, turn, most_plies):
        """Search the turn's position by iterative deepening.

        Returns (value, best line, depth) of the deepest finished search. The depth is limited by the settings, the
        turn's limits and `most_plies`, the plies to the end of the game. If no search was finished, returns (0, [], 0).
        """

        def search(depth):
            found = self._search(turn, turn.position, depth)
            if found is None:
                return None
            line = self._moves_of(turn.position, found[1])
            self._best = line[0]
            return found[0], line

        try:
            found, depth = turn.deepen(min(self._settings.depth, most_plies, DEEPEST), search)
        finally:
            self._best, self._nodes = None, turn.nodes
        value, line = found or (0, [])
        return value, line, depth

    def _moves_of(self, position, line):
        """Translate a line of the kernel's moves, played from `position`, into the game's moves.

        This method returns `line` itself. If the game's moves differ from its kernel's moves, the derived class
        overrides it.
        """
        return line

    def _values_apart(self, after, decision, budget_s, max_nodes, shown):
        """Returns the MoveValues of the decision's move and of other moves, each searched separately.

        `after` is {other move: the position after that move}. All other moves are searched to the same depth, which is
        at most the decision's depth. shown(value) converts a search value into a Decision's value.
        """
        turn = self._turn(None, budget_s, max_nodes)

        def search(depth):
            found = {}
            for move, position in after.items():
                answer = self._search(turn, position, depth - 1)
                if answer is None:
                    return None
                found[move] = -answer[0]
            return found

        found, depth = turn.deepen(decision.depth, search)
        others = [
            MoveValue(move, shown(found[move]), False, None, None, depth) if found else unknown(move) for move in after
        ]
        return [decided(decision), *others]


class Turn:
    """One turn: its position, its limits of time and nodes, and how much of these limits is used."""

    def __init__(self, position, budget_s, max_nodes):
        self.position, self._budget_s, self._max_nodes = position, budget_s, max_nodes
        self._started = time.monotonic()
        self.nodes = 0

    def deepen(self, deepest, search):
        """Call search(depth) for depth 1, 2, .. `deepest` until one of the turn's limits is reached.

        search(depth) must return its result, or None if a limit stopped it. Returns (result, depth) of the last search
        that was finished, or (None, 0) if none was finished.
        """
        found, reached = None, 0
        while reached < deepest and self.share_used() < 1:
            deeper = search(reached + 1)
            if deeper is None:
                break
            found, reached = deeper, reached + 1
        return found, reached

    def decision(self, move, value, proven, line, depth):
        """Returns the Decision for `move`, with the time and nodes that the turn has used.

        `value`, `proven` and `depth` are as in Decision, and `line` is its pv.
        """
        return Decision(move, value, proven, proven and "search", line, self.nodes, depth, self.nodes, self.elapsed_s())

    def elapsed_s(self):
        return time.monotonic() - self._started

    def share_used(self):
        """Returns the used share of the time or the used share of the nodes, whichever is greater.

        Returns 0 if there is no limit.
        """
        shares = [0.0]
        if self._budget_s is not None:
            shares.append(self.elapsed_s() / max(self._budget_s, 1e-9))
        if self._max_nodes is not None:
            shares.append(self.nodes / self._max_nodes if self._max_nodes else 1.0)
        return max(shares)

    def is_limited(self):
        """Returns whether the turn has a limit of time or of nodes."""
        return self._budget_s is not None or self._max_nodes is not None

    def ns_left(self):
        return nanoseconds(None if self._budget_s is None else self._budget_s - self.elapsed_s())

    def nodes_left(self):
        return NO_LIMIT if self._max_nodes is None else self._max_nodes - self.nodes


def shown_value(value, half_sure):
    """Convert an evaluation's value into a Decision's value, -1..1. The value `half_sure` becomes 0.5."""
    return value / (abs(value) + half_sure)
