"""The exact solver as an object: owns its memory, asks its kernel one question after another, reads the answers.

Standard library only. Values are net boxes for the side to move from the position on: what was taken before (the
position's margin) does not count.
"""

import ctypes
import mmap
import time

from bot.search.solution import outcome_of
from protocol.value_types import value_type

from ..rules.board import turn_of
from . import layout

MEGABYTE = 1 << 20
# Longest stretch inside the kernel, so that Ctrl-C is heard.
_SLICE_S = 0.5
_NO_LIMIT = 1 << 62
_LEAST_ENTRIES = 1024
# A window that any value lies in.
EVERYTHING = (-64, 64)
# Positions with at least so many free edges are one with their images: in games begun, few positions with fewer have an
# image that is searched too. From an empty board on it is worth the time with far fewer.
SYMMETRY_FROM, SYMMETRY_FROM_EMPTY = 36, 14

Solution = value_type("Solution", "lower upper turn nodes elapsed_s")
Solution.__doc__ = """What is known of a position.

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
        self._memory = mmap.mmap(-1, layout.TABLE_OFFSET + 8 * entries)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                self._memory.madvise(mmap.MADV_HUGEPAGE)  # looks into the table then seldom wait for a page
            except OSError:
                pass
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        view = memoryview(self._memory)
        self._control = view[: 8 * layout.CONTROL_FIELDS].cast("q")
        self._turn = view[layout.TURN_OFFSET : layout.TURN_OFFSET + 256].cast("h")
        self._control[layout.TABLE_ENTRIES] = entries
        self._control[layout.SYMMETRY_FROM] = symmetry_from
        self._table = view[layout.TABLE_OFFSET :]
        self._size = None

    def table(self):
        """Its table as bytes, a view that can be written to; table.py says what they mean."""
        return self._table

    def forget(self):
        """Empty the table."""
        ctypes.memset(self.address + layout.TABLE_OFFSET, 0, 8 * self._control[layout.TABLE_ENTRIES])

    def solve(self, position, budget_s=None, nodes=None, window=EVERYTHING):
        """The Solution of a position with a free edge.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. window: (alpha, beta);
        it ends once the value is known as far as it lies between, `lower` being at least beta or `upper` at most
        alpha otherwise.
        """
        self.ask(position, window)
        started, visited = time.perf_counter(), 0
        while True:
            spent = time.perf_counter() - started
            left_s = _SLICE_S if budget_s is None else min(_SLICE_S, max(0.0, budget_s - spent))
            visited += self.go_on(left_s, _NO_LIMIT if nodes is None else nodes - visited)
            spent = time.perf_counter() - started
            is_spent = budget_s is not None and spent >= budget_s or nodes is not None and visited >= nodes
            if self.is_done() or is_spent:
                return self.solution(visited, spent)

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
        data = position.to_bytes()
        self._memory[layout.POSITION_OFFSET : layout.POSITION_OFFSET + len(data)] = data
        control[layout.ROOT_ALPHA], control[layout.ROOT_BETA] = window
        control[layout.STATUS] = layout.NOT_STARTED

    def go_on(self, seconds, nodes):
        """Work on the question within these limits; positions visited."""
        self._control[layout.BUDGET_NS], self._control[layout.MAX_NODES] = int(seconds * 1e9), nodes
        return self._solve(self.address)

    def is_done(self):
        """Whether the question has its answer."""
        return self._control[layout.STATUS] == layout.DONE

    def solution(self, nodes, elapsed_s):
        """The Solution as far as it is known; nodes and elapsed_s: what it has cost."""
        control, turn = self._control, None
        if control[layout.TURN] != layout.NO_TURN:
            turn = turn_of(list(self._turn[: control[layout.TURN_EDGES]]))
        return Solution(control[layout.ROOT_LOWER], control[layout.ROOT_UPPER], turn, nodes, elapsed_s)
