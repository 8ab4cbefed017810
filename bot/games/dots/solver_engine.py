"""The exact solver as Python objects: questions about positions, and the solver's part in a turn.

Standard library only. A value is the net boxes that the side to move gets from the position on. Boxes taken before,
which are in the position's margin, do not count. The kernels of solver.py and solver_positions.py work in one block of
memory:

    byte 0         control: int64[64], the fields numbered below
    1 KB           the position that the question is about, 48 bytes as plain.Position.to_bytes and rules.py's store
                   write it
    2 KB           the edges of the turn found, int16[128]
    3 KB           lengths of chains and loops, and their values, of the current position: see solver_positions.py
    16 KB          two surveys of the parts of a position, see solver_positions.py; their fields are numbered below
    24 KB          frames: int64[FRAMES * FRAME_WORDS], one for each position being searched; the fields numbered below
    TABLE_OFFSET   table: uint64[TABLE_ENTRIES], see solver.py; a zeroed table is empty
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

# Control fields. The question is the position, and the window ROOT_ALPHA, ROOT_BETA in which its value matters.
# BUDGET_NS and MAX_NODES limit a call. The answer is in STATUS; in ROOT_LOWER and ROOT_UPPER, which are bounds of the
# value at any time; in TURN, the code (rules.py) of a turn that reaches ROOT_LOWER, or NO_TURN if none is known; and in
# TURN_EDGES, the number of edges of that turn, which lie at TURN_OFFSET. NODES counts since the memory was made. LOWER,
# UPPER and BEST_EDGE are about what remains of the position after ROOT_TAKEN boxes are taken, of which ROOT_LEFT could
# be left. ASKED is the bound being asked for.
(
    TABLE_ENTRIES,
    IMAGES_FROM,  # positions with at least so many free edges are normalized among their images
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
# Control fields of the board: the words of all its edges and boxes, and its size.
ALL_HORIZONTAL, ALL_VERTICAL, ALL_BOXES, ROWS, COLUMNS = range(32, 37)
NOT_STARTED, UNFINISHED, DONE = range(3)
NO_TURN = -1

# Fields of a survey: the boxes with two edges drawn; the free edges that belong to no chain; the sum of the key's terms
# for the chains; the number of chains; the number of chains that hang on other boxes; and the number of boxes in such
# chains. From CHAINS on there are CHAIN_WORDS for each chain: its boxes, its free edges, the boxes that it hangs on,
# its term of the key, its length, and its kind.
TWO, SAFE_ACROSS, SAFE_BESIDE, TERMS, COUNT, HANGING, HANGING_BOXES = range(7)
CHAINS = 8
BOXES, ACROSS, BESIDE, JOINTS, TERM, LENGTH, KIND = range(7)
CHAIN_WORDS = 8
HANGS, CHAIN_ALONE, LOOP_ALONE = range(3)
# Frame fields. From MOVES on there are MOVE_WORDS for each move. First come the moves that are left. They end at
# MOVES_END, where the move being tried lies.
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
# Fields of a move: its order; its code; the edges that are drawn when the move has been made and all that it gives away
# has been taken; the key of that position; and 8 times the number of boxes given away, plus the number of those boxes
# that the other side may leave instead of taking them (0, 2 or 4).
ORDER, CODE, MOVE_HORIZONTAL, MOVE_VERTICAL, MOVE_KEY, GIVEN = range(6)
MOVE_WORDS = 6
MOST_MOVES = 112
MAX_PLIES = 113
FRAME_WORDS = MOVES + MOVE_WORDS * MOST_MOVES
TABLE_OFFSET = (FRAMES_OFFSET + 8 * FRAME_WORDS * (MAX_PLIES + 1) + 4095) // 4096 * 4096

# A window that contains every value.
EVERYTHING = (-64, 64)
# Positions with at least so many free edges share a key with their images. In the middle of a game, few positions with
# fewer free edges have an image that is searched too. In a search from an empty board, images are worth while with far
# fewer free edges.
SYMMETRY_FROM, SYMMETRY_FROM_EMPTY = 36, 14

Bounds = value_type("Bounds", "lower upper turn nodes elapsed_s")
Bounds.__doc__ = """What is known of a position.

lower, upper: bounds of the net boxes of the side to move from here on; equal where its value is known; turn: one
(board.turn_of) that reaches `lower`, None while none is known; nodes: positions visited; elapsed_s: seconds.
"""


def deciding_window(position):
    """Returns the window (alpha, beta) in which the value of a position decides who wins the game."""
    return -position.margin - 1, -position.margin + 1


class SolverEngine:
    """Solves positions of one board.

    What it learns stays in its table until `forget` or until the board's size changes. `kernels` is a module with the
    entry point solve of kernels.py. `table_mb` is the largest size of the table in megabytes. Positions with at least
    `symmetry_from` free edges are normalized among their images. The attribute `address` is the address of the memory,
    for kernels that ask the solver themselves (solver.solve_within). Before they do, `ask` and `go_on` must have been
    called with a position of their board.
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
        """Returns a writable memoryview of the table's bytes. solver.py describes the table."""
        return self._memory.view[TABLE_OFFSET:]

    def forget(self):
        """Empty the table."""
        self._memory.clear_from(TABLE_OFFSET)

    def solve(self, position, budget_s=None, nodes=None, window=EVERYTHING):
        """Returns the Bounds of a position that has a free edge.

        The solver takes at most `budget_s` seconds and `nodes` positions. None means no limit. `window` is (alpha,
        beta). The search ends when the value is exact, or `lower` is at least beta, or `upper` is at most alpha.
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
        """Returns "win", "draw" or "loss" for the side that plays `turn` in a position.

        Returns None if `budget_s` seconds do not suffice.
        """
        after = position.play(turn)
        if after.is_over():
            return outcome_of(-after.margin, -after.margin)
        found = self.solve(after, budget_s, window=deciding_window(after))
        return outcome_of(-found.upper - after.margin, -found.lower - after.margin)

    def ask(self, position, window=EVERYTHING):
        """Set the question, which `go_on` works on. If the board has another size than before, the table is emptied.

        `window` is as in `solve`.
        """
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
        """Work on the question for at most `seconds` and `nodes` positions. Returns the number of positions visited."""
        self._control[BUDGET_NS], self._control[MAX_NODES] = nanoseconds(seconds), nodes
        return self._solve(self.address)

    def is_done(self):
        """Returns whether the question is answered."""
        return self._control[STATUS] == DONE

    def bounds(self, nodes, elapsed_s):
        """Returns the Bounds known so far.

        `nodes` and `elapsed_s` are passed on: the positions and seconds that the bounds have cost.
        """
        control, turn = self._control, None
        if control[TURN] != NO_TURN:
            turn = turn_of(list(self._turn[: control[TURN_EDGES]]))
        return Bounds(control[ROOT_LOWER], control[ROOT_UPPER], turn, nodes, elapsed_s)


# The solver needs at most _USUAL_S processor seconds for half of the positions of 5x5 boxes with _USUAL_EDGES free
# edges (measured with 60 of them on an AMD EPYC), and about _TIMES_AN_EDGE times as long with one more free edge.
_USUAL_EDGES, _USUAL_S, _TIMES_AN_EDGE = 38, 0.01, 3.0
# The largest share of a turn that a question about the position itself gets. The question is asked only if half of the
# positions with as many free edges take less time.
_FIRST_SHARE = 0.75
# The solver checks single turns if half of the positions with as many free edges take less time than so many turns
# have. A position that is lost for the side to move takes longer than one in which a single turn wins.
_CHECKED_TURNS = 8


class SolverScheduler:
    """Asks the solver about the positions of a game. An answer is kept until the next turn is opened."""

    def __init__(self, kernels, table_mb):
        """`kernels` and `table_mb` are as in SolverEngine."""
        self._engine = SolverEngine(kernels, table_mb)
        self._margin, self._found = 0, None

    def address(self):
        """Returns the address of the solver's memory, for kernels that ask the solver themselves."""
        return self._engine.address

    def open(self, position):
        """Begin a new turn with `position`. After this call, kernels may ask about positions of the same board."""
        self._margin, self._found = position.margin, None
        self._engine.ask(position)
        self._engine.go_on(0, 0)

    def try_to_solve(self, position, budget_s):
        """Try to find out who wins, if a turn of `budget_s` seconds is expected to be long enough for that.

        The attempt takes only a part of these seconds.
        """
        share_s = _FIRST_SHARE * budget_s
        if _usual_s(position) <= share_s:
            self._found = self._engine.solve(position, share_s, window=deciding_window(position))

    def can_check(self, position, budget_s):
        """Returns whether a turn of `budget_s` seconds is long enough to ask outcome_after() about single turns."""
        return _usual_s(position) <= _CHECKED_TURNS * budget_s

    def outcome_after(self, position, turn, budget_s):
        """Returns "win", "draw" or "loss" for the side that plays `turn` in a position.

        Returns None if `budget_s` seconds do not suffice.
        """
        return self._engine.outcome_after(position, turn, budget_s)

    def look_for_most(self, position, budget_s):
        """Search for at most `budget_s` seconds for the turn that gives its side the most boxes by the end of the game.

        This is meant for positions that are lost, or whose outcome was proven without finding a turn that reaches it.
        """
        found = self._engine.solve(position, max(0.0, budget_s))
        if found.turn is not None:
            self._found = found

    def outcome(self):
        """Returns "win", "draw" or "loss" for the side to move in the turn's position, or None if that is not known."""
        if self._found is None:
            return None
        return outcome_of(self._found.lower + self._margin, self._found.upper + self._margin)

    def turn(self):
        """Returns a turn that reaches the outcome, or None if no such turn is known."""
        return None if self._found is None else self._found.turn

    def solve(self, position, budget_s, nodes, exact):
        """Returns the Solution (search/engine.py) of a position. With `exact` the score is found too.

        `budget_s` and `nodes` are as in SolverEngine.solve.
        """
        window = EVERYTHING if exact else deciding_window(position)
        found = self._engine.solve(position, budget_s, nodes, window)
        lower, upper = found.lower + position.margin, found.upper + position.margin
        outcome = outcome_of(lower, upper)
        # If bounds alone prove the outcome, every turn keeps it.
        turn = (found.turn or safe_move(position)) if outcome else None
        return Solution(outcome, None, turn, found.nodes, found.elapsed_s, lower if lower == upper else None)


def _usual_s(position):
    """Returns the seconds within which half of the positions with as many free edges as `position` are solved."""
    return _USUAL_S * _TIMES_AN_EDGE ** (position.free_edges() - _USUAL_EDGES)
