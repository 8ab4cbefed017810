"""What the alpha-beta engines of all games share: the search memory, the deepening loop, the limits of a turn.

The kernel (alphabeta.py) searches one position to one depth in one window; a game's engine derives from AlphaBetaSearch
and decides which of them a turn asks for. Reversi's principal variation search has an engine apart
(games/reversi/pvs_engine.py). Standard library only.

Everything lies in one block of memory:

    byte 0        control: int64[64], the fields numbered below
    byte 512      frames: int64[61 * 8], what the search knows of each position on the path
    byte 4608     lines: int64[61 * 61], for each ply the best line found below it
    byte 36864    positions: 61 of 256 bytes each, the first one written by the game's engine
    byte 52480    moves: int16[61 * 128], for each ply the legal moves in the order in which they are tried

Ply 0 is the position that the search is called for.
"""

import time

from bot.kernels.memory_block import MemoryBlock
from bot.search.engine import Decision, MoveValue, decided, unknown

from .engine import Engine
from .limits import NO_LIMIT, nanoseconds

DEEPEST = 60  # plies; the positions at the end of a line have a place too
_PLACES = DEEPEST + 1

CONTROL_FIELDS = 64
(
    DEPTH,  # plies to search, 1..DEEPEST; 0 evaluates the position itself
    ALPHA,
    BETA,  # only a value between the two is exact; below and above it is a bound
    WIN_STEPS,  # a win at ply p is worth WIN * (1 + WIN_STEPS - p); negative: WIN, however far it is
    EVALUATION,  # handed on to the game's leaf_value
    BUDGET_NS,
    MAX_NODES,
    VALUE,
    NODES,
    STOPPED,  # written by the search; VALUE is undefined where STOPPED is not 0
    LINE_LENGTH,  # moves of the best line, at the start of the lines
    PRUNING,  # 0: no cuts, whatever the window: minimax
    ORDER_LENGTH,
) = range(13)
ORDER = 16  # from here on: moves in the order of trial, where a game's list_moves asks its engine for it

FRAMES_OFFSET = 8 * CONTROL_FIELDS
(
    FRAME_ALPHA,
    FRAME_BETA,
    FRAME_BEST,
    FRAME_NEXT,  # place among the moves of the one to try next
    FRAME_MOVES,  # how many moves there are
    FRAME_MOVE,  # the move being tried
    FRAME_LINE,
) = range(7)  # moves in the best line from here on
FRAME_FIELDS = 8

LINES_OFFSET = 4608
LINE_PLACES = _PLACES

POSITIONS_OFFSET = 36864
POSITION_BYTES = 256

MOVES_OFFSET = POSITIONS_OFFSET + _PLACES * POSITION_BYTES
MOST_MOVES = 128
MEMORY_BYTES = MOVES_OFFSET + _PLACES * MOST_MOVES * 2

# Far above every leaf value, so that none is taken for a win; the greatest value is 61 times that.
WIN = 1_000_000
INFINITY = 1 << 40


class AlphaBetaSearch(Engine):
    """A search memory, the deepening loop, and what other threads may ask; a deriving class has `think`.

    kernels: a module with the entry point alphabeta(address); settings: with move_seconds, the most seconds of a
    turn or 0; evaluation: the number that the game's kernels know a leaf's value by; pruning: off makes it minimax.
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
        """The move a running search would answer now, or None; callable from another thread."""
        return self._best

    def nodes_in_use(self):
        """Nodes of the last search; none of them is kept."""
        return self._nodes

    def static_value(self, position):
        """What the settings' evaluation says of a position without any search, in its own unit for the side to move."""
        value, _ = self._search(self._turn(position, None, None), position, depth=0)
        return value

    def _turn(self, position, budget_s, max_nodes):
        """The Turn that begins now, within the setting move_seconds too where there is a clock."""
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        return Turn(position, budget_s, max_nodes)

    def _search(self, turn, position, depth, beta=INFINITY, win_steps=-1):
        """(value for the side to move, best line) of a position that many plies deep; None where a limit ended it.

        beta: values not below it may be given as lower bounds; win_steps: as control[WIN_STEPS].
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
        """(value, line, depth) of the turn's position, the line [] and the depth 0 where no depth was finished.

        depth: as great as the settings, the turn's limits and most_plies, the plies to the end of the game, allow.
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
        """The moves of a kernel's line from that position on; a game overrides it where its own moves differ."""
        return line

    def _values_apart(self, after, decision, budget_s, max_nodes, shown):
        """`move_values` of the decision's move and the others, {move: position after it}, each searched by itself.

        All are searched as deep, at most as deep as the decision; shown: from a value to a Decision's.
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
    """One turn: its position, its limits, and what is used of them."""

    def __init__(self, position, budget_s, max_nodes):
        self.position, self._budget_s, self._max_nodes = position, budget_s, max_nodes
        self._started = time.monotonic()
        self.nodes = 0

    def deepen(self, deepest, search):
        """(what search(depth) finds, depth) of the greatest depth of 1, 2, .. deepest that the limits allow.

        search returns None where a limit ended it. (None, 0) where the limits do not allow a depth of 1.
        """
        found, reached = None, 0
        while reached < deepest and self.share_used() < 1:
            deeper = search(reached + 1)
            if deeper is None:
                break
            found, reached = deeper, reached + 1
        return found, reached

    def decision(self, move, value, proven, line, depth):
        """The Decision for a move, with what the turn has used; value: as a Decision's."""
        return Decision(move, value, proven, proven and "search", line, self.nodes, depth, self.nodes, self.elapsed_s())

    def elapsed_s(self):
        return time.monotonic() - self._started

    def share_used(self):
        """The share of its time or its nodes that is used, whichever is more; 0 where there is no limit."""
        shares = [0.0]
        if self._budget_s is not None:
            shares.append(self.elapsed_s() / max(self._budget_s, 1e-9))
        if self._max_nodes is not None:
            shares.append(self.nodes / self._max_nodes if self._max_nodes else 1.0)
        return max(shares)

    def is_limited(self):
        """Whether share_used can say anything."""
        return self._budget_s is not None or self._max_nodes is not None

    def ns_left(self):
        return nanoseconds(None if self._budget_s is None else self._budget_s - self.elapsed_s())

    def nodes_left(self):
        return NO_LIMIT if self._max_nodes is None else self._max_nodes - self.nodes


def shown_value(value, half_sure):
    """A leaf value as a Decision's, -1..1; half_sure is shown as a half."""
    return value / (abs(value) + half_sure)
