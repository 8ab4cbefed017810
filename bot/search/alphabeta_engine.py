"""What the alpha-beta engines of all games share: the search memory, the deepening loop, the limits of a turn.

The kernel (alphabeta.py) searches one position to one depth in one window; a game's engine derives from AlphaBetaSearch
and decides which of them a turn asks for. Standard library only.

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
    """A search memory of its own and what other threads may ask; a deriving class has `think`, which sets `_best`.

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

    def _turn(self, position, budget_s, max_nodes):
        """The Turn that begins now, within the setting move_seconds too where there is a clock."""
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        return Turn(position, budget_s, max_nodes)

    def _search(self, turn, position, depth, beta=INFINITY, win_steps=-1):
        """(value for the side to move, best line) of a position that many plies deep; None where a limit ended it.

        beta: values not below it may be given as lower bounds; win_steps: as alphabeta_layout says.
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

    def _search_apart(self, children, depth, budget_s, max_nodes):
        """({move: its value for the side that plays it}, plies) of {move: position after it}, all searched as deep.

        plies: the move's own and those after it, at most `depth`; as many as the limits allow, none of it and 0 where
        they do not allow one.
        """
        turn = self._turn(None, budget_s, max_nodes)
        found, reached = {}, 0
        while reached < depth and turn.share_used() < 1:
            deeper = {}
            for move, child in children.items():
                answer = self._search(turn, child, reached)
                if answer is None:
                    return found, reached
                deeper[move] = -answer[0]
            found, reached = deeper, reached + 1
        return found, reached


class Turn:
    """One turn: its position, its limits, what is used of them, and whether one of them ended a search."""

    def __init__(self, position, budget_s, max_nodes):
        self.position, self._budget_s, self._max_nodes = position, budget_s, max_nodes
        self._started = time.monotonic()
        self.nodes = 0
        self.stopped = False

    def elapsed_s(self):
        return time.monotonic() - self._started

    def share_used(self):
        """The share of its time or its nodes that is used, whichever is more; 0 where there is no limit."""
        shares = [0.0]
        if self._budget_s is not None:
            shares.append(self.elapsed_s() / max(self._budget_s, 1e-9))
        if self._max_nodes is not None:
            shares.append(self.nodes / max(self._max_nodes, 1))
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
