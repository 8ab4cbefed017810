"""Where everything lies in a solver's one block of memory. Standard library only.

byte 0         control: int64[64], the fields numbered below
byte 512       the position: uint16[80] as position.load_root reads it
byte 4096      frames: int64[160 * 32], a position under way each, the fields numbered below
byte 45056     boards: uint16[160 * 64], own, opponent, floor and above of each frame, 16 lanes each
byte 65536     replies: int32[256 * 256], by the cell of the last stone and that of the answer
byte 327680    table: uint64[table_entries], see table.py
"""

CONTROL_FIELDS = 64
POSITION_OFFSET = 512
FRAMES_OFFSET = 4096
BOARDS_OFFSET = 45056
REPLIES_OFFSET = 65536
TABLE_OFFSET = 327680

MAX_DEPTH = 160
FRAME_WORDS = 32
# Places in a frame's board.
OWN_AT, OPPONENT_AT, FLOOR_AT, ABOVE_AT = range(0, 64, 16)
BOARD_HALVES = 64
CELL_NUMBERS = 256
NO_CELL = 255  # instead of the last stone's cell at the root

# Control fields. The question: ROOT_BETA, and ROOT_HINT, the column to try first or -1. The answer: ANSWER, a bound of
# the value on one side of ROOT_BETA, and ROOT_MOVE, the column that reaches it, or -1. NODES counts on.
TABLE_ENTRIES, BUDGET_NS, MAX_NODES, ROOT_BETA, ROOT_HINT, STATUS, ANSWER, ROOT_MOVE, NODES, DEPTH = range(10)
# int64[16], by column: an upper bound of what the move is worth, NO_ROOT_BOUND before it has been tried in vain.
ROOT_BOUNDS = 32
NO_ROOT_BOUND = 256
NOT_STARTED, UNFINISHED, SETTLED = range(3)

# Frame fields. The listed moves begin at MOVES, one word each (moves.py), those still left first. These end at
# MOVES_END, where the move under way is; all that were listed end at LISTED_END.
BETA, BEST, FREE_CELLS, HASH, NODES_BEFORE, LOWER, UPPER, MOVES_END, BEST_MOVE, LISTED_END, LAST_CELL = range(11)
MOVES = 16
MOVE_WORDS = 1
