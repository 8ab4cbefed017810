"""The exact solver as objects: questions about positions, one after another, and its part in a turn beside the tree.

Standard library only. Values are net boxes for the side to move from the position on: what was taken before (the
position's margin) does not count. The kernels of solver.py and solver_positions.py work in one block of memory:

    byte 0         control: int64[64], the fields numbered below
    1 KB           the position asked about, 48 bytes as plain.Position.to_bytes and rules.py's store write it
    2 KB           the edges of the turn found, int16[128]
    3 KB           lengths of chains and loops, and their values, of the position under way: see solver_positions.py
    16 KB          two surveys, what a position falls into, see solver_positions.py; their fields are numbered below
    24 KB          frames: int64[FRAMES * FRAME_WORDS], a position under way each, the fields numbered below
    TABLE_OFFSET   table: uint64[TABLE_ENTRIES], see solver.py; a zeroed one is empty
"""

import time

from bot.kernels.memory_block import MemoryBlock, table_entries
from bot.search.engine import Solution, outcome_of
from bot.search.limits import NO_LIMIT, SLICE_S, nanoseconds
from protocol.value_types import value_type

from .board import turn_of
from .plain import safe_move

CONTROL_FIELDS = 64
POSITION_OFFSET = 1 << 10
TURN_OFFSET = 2 << 10
LENGTHS_OFFSET = 3 << 10
SURVEYS_OFFSET = 16 << 10
SURVEY_BYTES = 4 << 10
FRAMES_OFFSET = SURVEYS_OFFSET + 2 * SURVEY_BYTES

# Control fields. The question: the position; ROOT_ALPHA and ROOT_BETA, between which its value matters; BUDGET_NS and
# MAX_NODES for this call. The answer: STATUS; ROOT_LOWER and ROOT_UPPER, bounds of the value that are right at any
# time; TURN, the code (rules.py) of one that reaches ROOT_LOWER, NO_TURN while none is known; TURN_EDGES of it
# lie at TURN_OFFSET. NODES counts since the memory was made. LOWER, UPPER and BEST_EDGE are of what remains of the
# position once ROOT_TAKEN boxes are taken, of which ROOT_LEFT could be left; ASKED is the bound in question.
(
    TABLE_ENTRIES,
    IMAGES_FROM,  # free edges a position has at least for which its images are looked at
    BUDGET_NS,
    MAX_NODES,
    ROOT_ALPHA,
    ROOT_BETA,
    ROOT_LOWER,
    ROOT_UPPER,
    TURN,
    TURN_EDGES,
    STATUS,
    NODES,
    DEPTH,
    ROOT_TAKEN,
    ROOT_LEFT,
    LOWER,
    UPPER,
    BEST_EDGE,
    ASKED,
) = range(19)
# The board: words of all its edges and boxes, and its size.
ALL_HORIZONTAL, ALL_VERTICAL, ALL_BOXES, ROWS, COLUMNS = range(32, 37)
NOT_STARTED, UNFINISHED, DONE = range(3)
NO_TURN = -1

# A survey: the boxes with two edges drawn; the free edges that belong to no chain; the sum of the chains' terms of the
# key; how many chains there are; of those that hang on other boxes their number and their boxes. From CHAINS on
# CHAIN_WORDS for each chain: its boxes, its free edges, the boxes it hangs on, its term of the key, its length, and
# which kind of chain it is.
TWO, SAFE_ACROSS, SAFE_BESIDE, TERMS, COUNT, HANGING, HANGING_BOXES = range(7)
CHAINS = 8
BOXES, ACROSS, BESIDE, JOINTS, TERM, LENGTH, KIND = range(7)
CHAIN_WORDS = 8
HANGS, CHAIN_ALONE, LOOP_ALONE = range(3)
# Frame fields; from MOVES on MOVE_WORDS for each move, those still to be tried first. These end at MOVES_END, where the
# move under way is.
(
    FRAME_HORIZONTAL,
    FRAME_VERTICAL,
    KEY,
    BOXES_LEFT,
    BOUND,
    BEST,
    BEST_MOVE,
    KNOWN_LOWER,
    KNOWN_UPPER,
    NODES_BEFORE,
    MOVES_END,
    PHASE,
    CHILD_UPPER,
) = range(13)
MOVES = 16
# A move: how good it looks; its code; the edges drawn after it and after all that it gives away, and the key of that
# position; how many boxes these are, times 8, and how many of them the other side may leave instead of taking them (0,
# 2 or 4).
ORDER, CODE, MOVE_HORIZONTAL, MOVE_VERTICAL, MOVE_KEY, GIVEN = range(6)
MOVE_WORDS = 6
MOST_MOVES = 112
MAX_PLIES = 113
FRAME_WORDS = MOVES + MOVE_WORDS * MOST_MOVES
TABLE_OFFSET = (FRAMES_OFFSET + 8 * FRAME_WORDS * (MAX_PLIES + 1) + 4095) // 4096 * 4096

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


class SolverEngine:
    """Solves positions of one board after the other; what it learns stays in its table until `forget`.

    kernels: a module with kernels.py's solve. table_mb: size of the table at most, in megabytes. symmetry_from: how
    many free edges a position has at least for which its images are looked at. `address` is its memory's, for kernels
    that ask it themselves (solver.solve_within), once `ask` and `go_on` have put a position of their board there.
    """

    def __init__(self, kernels, table_mb, symmetry_from=SYMMETRY_FROM):
        self._solve = kernels.solve
        entries = table_entries(table_mb)
        self._memory = MemoryBlock(TABLE_OFFSET + 8 * entries, huge_pages=True)
        self.address = self._memory.address
        self._control = self._memory.array(0, CONTROL_FIELDS, "q")
        self._turn = self._memory.array(TURN_OFFSET, 128, "h")
        self._control[TABLE_ENTRIES] = entries
        self._control[IMAGES_FROM] = symmetry_from
        self._size = None

    def table(self):
        """Its table as bytes, a view that can be written to; solver.py says what they mean."""
        return self._memory.view[TABLE_OFFSET:]

    def forget(self):
        """Empty the table."""
        self._memory.clear_from(TABLE_OFFSET)

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
            control[ROWS], control[COLUMNS] = size
        self._memory.write(POSITION_OFFSET, position.to_bytes())
        control[ROOT_ALPHA], control[ROOT_BETA] = window
        control[STATUS] = NOT_STARTED

    def go_on(self, seconds, nodes):
        """Work on the question within these limits; positions visited."""
        self._control[BUDGET_NS], self._control[MAX_NODES] = nanoseconds(seconds), nodes
        return self._solve(self.address)

    def is_done(self):
        """Whether the question has its answer."""
        return self._control[STATUS] == DONE

    def bounds(self, nodes, elapsed_s):
        """The Bounds as far as it is known; nodes and elapsed_s: what it has cost."""
        control, turn = self._control, None
        if control[TURN] != NO_TURN:
            turn = turn_of(list(self._turn[: control[TURN_EDGES]]))
        return Bounds(control[ROOT_LOWER], control[ROOT_UPPER], turn, nodes, elapsed_s)


# Processor seconds that the solver needs for half of the positions of 5x5 boxes with so many free edges (60 of them, on
# an AMD EPYC), and about how much longer it takes with one more.
_USUAL_EDGES, _USUAL_S, _TIMES_AN_EDGE = 38, 0.01, 3.0
# The most of a turn that a question about the position itself gets, asked where half of such positions take less.
_FIRST_SHARE = 0.75
# A turn is worth checking where half of the positions like the one before it take less than so many turns: a position
# that is lost for who is to move takes longer than one where a single turn wins.
_CHECKED_TURNS = 8


class SolverScheduler:
    """Questions about the result of one position after the other; the answer to one stays until the next is asked."""

    def __init__(self, kernels, table_mb):
        """kernels: with the entry point solve; table_mb: the solver's table at most, in megabytes."""
        self._engine = SolverEngine(kernels, table_mb)
        self._margin, self._found = 0, None

    def address(self):
        """Of the solver's memory, for kernels that ask it themselves."""
        return self._engine.address

    def open(self, position):
        """A new turn: from now on kernels may ask about positions of this board."""
        self._margin, self._found = position.margin, None
        self._engine.ask(position)
        self._engine.go_on(0, 0)

    def try_to_solve(self, position, budget_s):
        """Try to find out who wins, if a turn of so many seconds may be enough; the time it takes is part of them."""
        share_s = _FIRST_SHARE * budget_s
        if _usual_s(position) <= share_s:
            self._found = self._engine.solve(position, share_s, window=deciding_window(position))

    def can_check(self, position, budget_s):
        """Whether to ask about single turns where a turn has so many seconds."""
        return _usual_s(position) <= _CHECKED_TURNS * budget_s

    def outcome_after(self, position, turn, budget_s):
        """ "win", "draw" or "loss" for the side that plays a turn in a position; None where that takes longer."""
        return self._engine.outcome_after(position, turn, budget_s)

    def look_for_most(self, position, budget_s):
        """Look for the turn that ends with most boxes: where the position is lost, or won by bounds without a turn."""
        found = self._engine.solve(position, max(0.0, budget_s))
        if found.turn is not None:
            self._found = found

    def outcome(self):
        """ "win", "draw" or "loss" where that is known of the position asked about, else None."""
        if self._found is None:
            return None
        return outcome_of(self._found.lower + self._margin, self._found.upper + self._margin)

    def turn(self):
        """The turn that reaches the outcome, None while none is known."""
        return None if self._found is None else self._found.turn

    def solve(self, position, budget_s, nodes, exact):
        """The Solution (search/engine.py) of a position; exact: with its score."""
        window = EVERYTHING if exact else deciding_window(position)
        found = self._engine.solve(position, budget_s, nodes, window)
        lower, upper = found.lower + position.margin, found.upper + position.margin
        outcome = outcome_of(lower, upper)
        # Where bounds alone tell the outcome every turn keeps it.
        turn = (found.turn or safe_move(position)) if outcome else None
        return Solution(outcome, None, turn, found.nodes, found.elapsed_s, lower if lower == upper else None)


def _usual_s(position):
    """Seconds that half of the positions with so many free edges take."""
    return _USUAL_S * _TIMES_AN_EDGE ** (position.free_edges() - _USUAL_EDGES)
