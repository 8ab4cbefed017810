"""What the alpha-beta engines of all games share: the search memory, a call of the kernel, the limits of a turn.

The kernel (search.py) knows one position, one depth and one window; a game's engine decides which of them a turn
asks for, and derives from AlphaBetaSearch. Standard library only.
"""

import time

from bot.kernels.memory_block import MemoryBlock

from ..engine import Engine
from ..limits import NO_LIMIT, nanoseconds
from . import layout


class AlphaBetaSearch(Engine):
    """A search memory of its own and what other threads may ask; a deriving class has `think`, which sets `_best`.

    kernels: a module with the entry point alphabeta(address); settings: with move_seconds, the most seconds of a
    turn or 0; evaluation: the number that the game's kernels know a leaf's value by; pruning: off makes it minimax.
    """

    def __init__(self, kernels, settings, evaluation, pruning=True):
        self._kernels, self._settings = kernels, settings
        self._memory = MemoryBlock(layout.MEMORY_BYTES)
        self._control = self._memory.array(0, layout.CONTROL_FIELDS, "q")
        self._lines = self._memory.array(layout.LINES_OFFSET, layout.LINE_PLACES, "q")
        self._control[layout.EVALUATION], self._control[layout.PRUNING] = evaluation, pruning
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

    def _search(self, turn, position, depth, beta=layout.INFINITY, win_steps=-1):
        """(value for the side to move, best line) of a position that many plies deep; None where a limit ended it.

        beta: values not below it may be given as lower bounds; win_steps: as alphabeta_layout says.
        """
        self._memory.write(layout.POSITIONS_OFFSET, position.to_bytes())
        control = self._control
        control[layout.DEPTH], control[layout.WIN_STEPS] = depth, win_steps
        control[layout.ALPHA], control[layout.BETA] = -layout.INFINITY, beta
        control[layout.BUDGET_NS], control[layout.MAX_NODES] = turn.ns_left(), turn.nodes_left()
        self._kernels.alphabeta(self._memory.address)
        turn.nodes += control[layout.NODES]
        if control[layout.STOPPED]:
            return None
        return control[layout.VALUE], list(self._lines[: control[layout.LINE_LENGTH]])

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
