"""Where everything lies in the exact solver's one block of memory. Standard library only.

byte 0         control: int64[64], the fields numbered below
1 KB           the position asked about, 48 bytes as plain.Position.to_bytes and turns.store write it
2 KB           the edges of the turn found, int16[128]
3 KB           lengths of chains and loops, and their values, of the position under way: see loony.py
16 KB          two surveys, what a position falls into, see survey.py; their fields are numbered below
24 KB          frames: int64[FRAMES * FRAME_WORDS], a position under way each, the fields numbered below
TABLE_OFFSET   table: uint64[TABLE_ENTRIES], see table.py; a zeroed one is empty
"""

CONTROL_FIELDS = 64
POSITION_OFFSET = 1 << 10
TURN_OFFSET = 2 << 10
LENGTHS_OFFSET = 3 << 10
SURVEYS_OFFSET = 16 << 10
SURVEY_BYTES = 4 << 10
FRAMES_OFFSET = SURVEYS_OFFSET + 2 * SURVEY_BYTES

# Control fields. The question: the position; ROOT_ALPHA and ROOT_BETA, between which its value matters; BUDGET_NS and
# MAX_NODES for this call. The answer: STATUS; ROOT_LOWER and ROOT_UPPER, bounds of the value that are right at any
# time; TURN, the code (rules/turns.py) of one that reaches ROOT_LOWER, NO_TURN while none is known; TURN_EDGES of it
# lie at TURN_OFFSET. NODES counts since the memory was made. LOWER, UPPER and BEST_EDGE are of what remains of the
# position once ROOT_TAKEN boxes are taken, of which ROOT_LEFT could be left; ASKED is the bound in question.
(
    TABLE_ENTRIES,
    SYMMETRY_FROM,
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
    HORIZONTAL,
    VERTICAL,
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
