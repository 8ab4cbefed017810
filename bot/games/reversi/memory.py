"""The memory of the search on boards up to 8x8: its layout, and how Python asks the kernels a question.

Standard library only. Squares are numbered as in bitboard.py, and scores are as in pvs.py. One block of memory holds

    byte 0         control: int64[128], the fields numbered below
    1 KB           frames of the endgame: uint64[16 * 96], by the number of empty squares, see endgame.py
    16 KB          frames of the last plies: uint64[4 * 160], see pvs.py
    24 KB          features of the last plies: int16[16 * 64]
    32 KB          features of the frames: int16[128 * 64]
    64 KB          frames: uint64[128 * 192], one for each position being searched; the fields numbered below
    1 MB           weights: int16[STAGES * TABLE_WORDS], see evaluation.py
    TABLE_OFFSET   table of positions: TABLE_BUCKETS of 64 bytes each, see position_table.py
"""

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from bot.search.limits import nanoseconds

from .weights import MAX_KNOTS, TABLE_WEIGHTS, UNIQUE_WEIGHTS

CONTROL_FIELDS = 128
SMALL_FRAMES_OFFSET = 1 << 10
LEAF_FRAMES_OFFSET = 16 << 10
LEAF_FEATURES_OFFSET = 24 << 10
FEATURES_OFFSET = 32 << 10
FRAMES_OFFSET = 64 << 10
FEATURE_BYTES = 128
MAX_PLIES = 128
FRAME_WORDS = 192

# There is one table of weights for every STAGE_DISCS numbers of discs on the board. All tables together are
# int16[STAGES * TABLE_WORDS]. evaluation.py fills them.
STAGE_DISCS, FIRST_DISCS = 2, 4
STAGES = 31
TABLE_WORDS = 226368
WEIGHTS_OFFSET = 1 << 20
TABLE_OFFSET = WEIGHTS_OFFSET + (2 * STAGES * TABLE_WORDS + 4095) // 4096 * 4096
# While the tables of weights are made, the room of the table of positions holds, in this order: the weights as a file
# has them, bytes[2 * knots * UNIQUE_WEIGHTS]; the same weights unfolded, int16[knots * UNIQUE_WEIGHTS];
# int32[TABLE_WEIGHTS], the number of the unique weight for each place of a table of weights; scratch numbers for one
# shape or one stage.
_FILE_BYTES = (2 * MAX_KNOTS * UNIQUE_WEIGHTS + 63) // 64 * 64
UNFOLDED_OFFSET = TABLE_OFFSET + _FILE_BYTES
UNIQUE_OFFSET = UNFOLDED_OFFSET + _FILE_BYTES
SCRATCH_OFFSET = UNIQUE_OFFSET + 4 * TABLE_WORDS
LEAST_TABLE_BYTES = SCRATCH_OFFSET + 2 * TABLE_WORDS - TABLE_OFFSET
assert TABLE_WEIGHTS < TABLE_WORDS

# Control fields. TABLE_BUCKETS is below 2**32; TABLE_USED counts entries. The question is the position, window, depth
# and level in frame 0. The answer is ANSWER and ROOT_MOVE.
(
    TABLE_BUCKETS,
    TABLE_USED,
    TABLE_DATE,
    NODES,
    BOARD,
    BOARD_CORNERS,
    TRAINED,
    KNOTS,
    STEPS,
    BUDGET_NS,
    MAX_NODES,
    STATUS,
    ANSWER,
    ROOT_MOVE,
    ROOT_SCORE,
    PLY,
) = range(16)
KNOT_DISCS = 32  # the first of MAX_KNOTS fields: the number of discs at each knot
NOT_STARTED, UNFINISHED, DONE = range(3)

# Frame fields. From MOVES on there are MOVE_WORDS for each move. First come the moves that are left. They end at
# MOVES_END, where the move being tried lies.
(
    OWN,
    OPPONENT,
    KEY,
    ALPHA,
    BETA,
    BEST,
    BEST_MOVE,
    DEPTH,
    LEVEL,
    PHASE,
    MOVES_END,
    TRIED,
    FIRST_ALPHA,
    SQUARE,
    WINDOW_END,
    PROBE_BOUND,
) = range(16)
MOVES = 16
# Values of PHASE: the next frame searches a probe of the same position above beta, a probe below alpha, or the position
# after a move.
PROBED_HIGH, PROBED_LOW, TRYING_MOVES = range(1, 4)
# Fields of a move: its order, its square, the discs that it turns, the legal replies to it.
ORDER, MOVE_SQUARE, TURNED, REPLIES = range(4)
MOVE_WORDS = 4
NO_SQUARE, PASS_SQUARE = 64, 65
# The highest level: a search without probes.
EXACT = 7

_BUCKET_BYTES, _ENTRY_BYTES = 64, 16
_EVERY_BIT = (1 << 64) - 1
_CORNER_PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
# Multipliers of the table's hash (position_table.py).
OWN_MULTIPLIER, OPPONENT_MULTIPLIER, INDEX_MULTIPLIER = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93


class SearchMemory:
    """The memory of one search.

    `kernels` is a module with the entry points pvs and prepare_weights of kernels.py. `megabytes` is the size of the
    table of positions. `weights` is what weights.unpack_weights returns, or None to play without weights.
    """

    def __init__(self, kernels, megabytes, weights):
        self._kernels = kernels
        self.buckets = max(int(megabytes * MEGABYTE), LEAST_TABLE_BYTES) // _BUCKET_BYTES
        memory = self._memory = MemoryBlock(TABLE_OFFSET + self.buckets * _BUCKET_BYTES, huge_pages=True)
        self._address = memory.address
        self._control = memory.array(0, CONTROL_FIELDS, "q")
        self._words = memory.array(0, CONTROL_FIELDS, "Q")
        self._root_words = memory.array(FRAMES_OFFSET, FRAME_WORDS, "Q")
        self._root_numbers = memory.array(FRAMES_OFFSET, FRAME_WORDS, "q")
        self._table = memory.array(TABLE_OFFSET, self.buckets * _BUCKET_BYTES // 8, "Q")
        self._control[TABLE_BUCKETS] = self.buckets
        self._size, self._trained = None, weights is not None
        if self._trained:
            self._take_weights(weights)

    def _take_weights(self, weights):
        knots, low, high, steps = weights
        self._memory.write(TABLE_OFFSET, low + high)
        for place, discs in enumerate(knots):
            self._control[KNOT_DISCS + place] = discs
        self._control[KNOTS], self._control[STEPS] = len(knots), steps
        self._kernels.prepare_weights(self._address)

    def set_size(self, size):
        """Search boards of `size` x `size` squares, 4 .. 8, from now on.

        If the size changes, empties the table of positions.
        """
        if size == self._size:
            return
        if self._size is not None:
            self.forget()
        self._size = size
        # Weights exist only for the features of the 8x8 board.
        self._control[TRAINED] = self._trained and size == 8
        row = (1 << size) - 1
        self._words[BOARD] = sum(row << 8 * line for line in range(size))
        self._words[BOARD_CORNERS] = sum(
            1 << 8 * (size - 1) * down + (size - 1) * right for down, right in _CORNER_PLACES
        )

    def forget(self):
        """Empty the table of positions."""
        self._memory.clear_from(TABLE_OFFSET)
        self._control[TABLE_USED] = 0

    def new_date(self):
        """Begin a new search.

        In the table, entries of earlier searches are replaced before entries of the new search.
        """
        self._control[TABLE_DATE] = self._control[TABLE_DATE] % 255 + 1

    def entries_in_use(self):
        """Returns the number of positions in the table."""
        return self._control[TABLE_USED]

    def bytes_in_use(self):
        """Returns the number of bytes of the memory that are in use.

        The table's entries are counted as if they lay side by side.
        """
        return TABLE_OFFSET + _ENTRY_BYTES * self.entries_in_use()

    def ask(self, own, opponent, depth, level, alpha, beta):
        """Ask for the score of a position in the window (alpha, beta).

        `go_on` searches `depth` plies at `level` (pvs.py). `own` and `opponent` are the discs as words (bitboard.py).
        """
        self._root_words[OWN], self._root_words[OPPONENT] = own, opponent
        numbers = self._root_numbers
        numbers[DEPTH], numbers[LEVEL] = depth, level
        numbers[ALPHA], numbers[BETA] = alpha, beta
        self._control[ROOT_MOVE] = NO_SQUARE
        self._control[STATUS] = NOT_STARTED

    def go_on(self, seconds, nodes):
        """Work on the question for at most `seconds` and `nodes` positions.

        Returns (the score, or None if a limit ended the search before it was known; the number of positions visited).
        """
        self._control[BUDGET_NS], self._control[MAX_NODES] = nanoseconds(seconds), nodes
        visited = self._kernels.pvs(self._address)
        done = self._control[STATUS] == DONE
        return self._control[ANSWER] if done else None, visited

    def best_square(self):
        """Returns the best move found so far for the question, or NO_SQUARE if no move has a score above alpha yet."""
        return self._control[ROOT_MOVE]

    def known_move(self, own, opponent):
        """Returns the best move that the table has for a position, or NO_SQUARE if it has none."""
        key = own * OWN_MULTIPLIER & _EVERY_BIT
        swapped = int.from_bytes((opponent * OPPONENT_MULTIPLIER & _EVERY_BIT).to_bytes(8, "little"), "big")
        key = key + swapped & _EVERY_BIT
        spread = (key * INDEX_MULTIPLIER & _EVERY_BIT) >> 32
        first = (spread * self.buckets >> 32) * 8
        for slot in range(first, first + 8, 2):
            if self._table[slot] == key:
                return self._table[slot + 1] >> 32 & 0xFF
        return NO_SQUARE
