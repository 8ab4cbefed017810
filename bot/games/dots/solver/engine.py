"""The exact solver as an object: owns its memory, asks its kernel one question after another, reads the answers.

Standard library only. Values are net boxes for the side to move from the position on: what was taken before (the
position's margin) does not count.
"""

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from bot.search.engine import outcome_of
from bot.search.limits import NO_LIMIT, SLICE_S, nanoseconds
from protocol.value_types import value_type

from ..rules.board import turn_of
from . import layout

_LEAST_ENTRIES = 1024
# A window that any value lies in.
EVERYTHING = (-64, 64)
# Positions with at least so many free edges are one with their images: in games begun, few positions with fewer have an
# image that is searched too. From an empty board on it is worth the time with far fewer.
SYMMETRY_FROM, SYMMETRY_FROM_EMPTY = 36, 14

Bounds = value_type("Bounds", "lower upper turn nodes elapsed_s")
Bounds.__doc__ = """What is known of a position.

lower, upper: bounds of the net boxes of the side to move from here on; equal where its value is known; turn: one
(board.turn_of) that reaches `lower`, None while none is known; nodes: positions visited; elapsed_s: seconds.
"""


def deciding_window(position):
    """The window in which the value of what is left decides who wins the game."""
    return -position.margin - 1, -position.margin + 1


def table_entries(megabytes):
    """Entries of the largest table that fits: a power of two."""
    entries = int(megabytes * MEGABYTE) // 8
    if entries < _LEAST_ENTRIES:
        raise ValueError(f"a solver's table takes at least 0.01 MB, got {megabytes}")
    return 1 << (entries.bit_length() - 1)


class SolverEngine:
    """Solves positions of one board after the other; what it learns stays in its table until `forget`.

    kernels: a module with kernels.py's solve. table_mb: size of the table at most, in megabytes. symmetry_from: how
    many free edges a position has at least for which its images are looked at. `address` is its memory's, for kernels
    that ask it themselves (solver_root.solve_within), once `ask` and `go_on` have put a position of their board there.
    """

    def __init__(self, kernels, table_mb, symmetry_from=SYMMETRY_FROM):
        self._solve = kernels.solve
        entries = table_entries(table_mb)
        self._memory = MemoryBlock(layout.TABLE_OFFSET + 8 * entries, huge_pages=True)
        self.address = self._memory.address
        self._control = self._memory.array(0, layout.CONTROL_FIELDS, "q")
        self._turn = self._memory.array(layout.TURN_OFFSET, 128, "h")
        self._control[layout.TABLE_ENTRIES] = entries
        self._control[layout.SYMMETRY_FROM] = symmetry_from
        self._size = None

    def table(self):
        """Its table as bytes, a view that can be written to; table.py says what they mean."""
        return self._memory.view[layout.TABLE_OFFSET :]

    def forget(self):
        """Empty the table."""
        self._memory.clear_from(layout.TABLE_OFFSET)

    def solve(self, position, budget_s=None, nodes=None, window=EVERYTHING):
        """The Bounds of a position with a free edge.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. window: (alpha, beta);
        it ends once the value is known as far as it lies between, `lower` being at least beta or `upper` at most
        alpha otherwise.
        """
        self.ask(position, window)
        started, visited = time.perf_counter(), 0
        while True:
            spent = time.perf_counter() - started
            left_s = SLICE_S if budget_s is None else min(SLICE_S, max(0.0, budget_s - spent))
            visited += self.go_on(left_s, NO_LIMIT if nodes is None else nodes - visited)
            spent = time.perf_counter() - started
            is_spent = budget_s is not None and spent >= budget_s or nodes is not None and visited >= nodes
            if self.is_done() or is_spent:
                return self.bounds(visited, spent)

    def outcome_after(self, position, turn, budget_s=None):
        """ "win", "draw" or "loss" for the side that plays a turn in a position; None where that takes longer."""
        after = position.play(turn)
        if after.is_over():
            return outcome_of(-after.margin, -after.margin)
        found = self.solve(after, budget_s, window=deciding_window(after))
        return outcome_of(-found.upper - after.margin, -found.lower - after.margin)

    def ask(self, position, window=EVERYTHING):
        """Put a question; `go_on` works on it. What was learnt is forgotten where the board has another size."""
        size = (position.rows, position.columns)
        control = self._control
        if size != self._size:
            if self._size is not None:
                self.forget()
            self._size = size
            control[layout.ROWS], control[layout.COLUMNS] = size
        self._memory.write(layout.POSITION_OFFSET, position.to_bytes())
        control[layout.ROOT_ALPHA], control[layout.ROOT_BETA] = window
        control[layout.STATUS] = layout.NOT_STARTED

    def go_on(self, seconds, nodes):
        """Work on the question within these limits; positions visited."""
        self._control[layout.BUDGET_NS], self._control[layout.MAX_NODES] = nanoseconds(seconds), nodes
        return self._solve(self.address)

    def is_done(self):
        """Whether the question has its answer."""
        return self._control[layout.STATUS] == layout.DONE

    def bounds(self, nodes, elapsed_s):
        """The Bounds as far as it is known; nodes and elapsed_s: what it has cost."""
        control, turn = self._control, None
        if control[layout.TURN] != layout.NO_TURN:
            turn = turn_of(list(self._turn[: control[layout.TURN_EDGES]]))
        return Bounds(control[layout.ROOT_LOWER], control[layout.ROOT_UPPER], turn, nodes, elapsed_s)
