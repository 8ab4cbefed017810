"""Where everything lies in the one block of memory of the 8x8 search. Standard library only.

byte 0         control: int64[128], the fields numbered below
1 KB           frames of the endgame: uint64[16 * 96], by the number of empty squares, see endgame/search.py
16 KB          frames of the last plies: uint64[4 * 160], see leaf.py
24 KB          features of the last plies: int16[16 * 64]
32 KB          features of the frames: int16[128 * 64]
64 KB          frames: uint64[128 * 192], a position under way each, the fields numbered below
1 MB           weights, see evaluation/weights.py
TABLE_OFFSET   table: TABLE_BUCKETS of 64 bytes each, see position_table.py
"""

from ..weights.pattern_set import MAX_KNOTS, TABLE_WEIGHTS, UNIQUE_WEIGHTS

CONTROL_FIELDS = 128
SMALL_FRAMES_OFFSET = 1 << 10
LEAF_FRAMES_OFFSET = 16 << 10
LEAF_FEATURES_OFFSET = 24 << 10
FEATURES_OFFSET = 32 << 10
FRAMES_OFFSET = 64 << 10
FEATURE_BYTES = 128
MAX_PLIES = 128
FRAME_WORDS = 192

# One table of weights for every STAGE_DISCS discs on the board: int16[STAGES * TABLE_WORDS], see evaluation/weights.py.
STAGE_DISCS, FIRST_DISCS = 2, 4
STAGES = 31
TABLE_WORDS = 226368
WEIGHTS_OFFSET = 1 << 20
TABLE_OFFSET = WEIGHTS_OFFSET + (2 * STAGES * TABLE_WORDS + 4095) // 4096 * 4096
# While weights are made ready, the room of the table of positions has from its start on what a file holds,
# bytes[2 * knots * UNIQUE_WEIGHTS], and then: the same unfolded, int16[knots * UNIQUE_WEIGHTS]; int32[TABLE_WEIGHTS],
# which of the unique weights belongs to each place of a table of weights; one shape's or one stage's own numbers.
_FILE_BYTES = (2 * MAX_KNOTS * UNIQUE_WEIGHTS + 63) // 64 * 64
UNFOLDED_OFFSET = TABLE_OFFSET + _FILE_BYTES
UNIQUE_OFFSET = UNFOLDED_OFFSET + _FILE_BYTES
SCRATCH_OFFSET = UNIQUE_OFFSET + 4 * TABLE_WORDS
LEAST_TABLE_BYTES = SCRATCH_OFFSET + 2 * TABLE_WORDS - TABLE_OFFSET
assert TABLE_WEIGHTS < TABLE_WORDS

# Control fields; TABLE_BUCKETS is below 2**32, TABLE_USED counts entries. The question: the position, its window,
# depth and level in frame 0. The answer: ANSWER, ROOT_MOVE.
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
KNOT_DISCS = 32  # int64[MAX_KNOTS]: at how many discs
NOT_STARTED, UNFINISHED, DONE = range(3)

# Frame fields; from MOVES on MOVE_WORDS for each move. Those still to be tried come first and end at MOVES_END; the one
# under way is there.
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
# What the position under way in the frame below is: a probe of the same one, above beta or below alpha, or a move's.
PROBED_HIGH, PROBED_LOW, TRYING_MOVES = range(1, 4)
# A move: how good it looks, its square, the discs that it turns, the replies to it.
ORDER, MOVE_SQUARE, TURNED, REPLIES = range(4)
MOVE_WORDS = 4
PASS_SQUARE = 65
