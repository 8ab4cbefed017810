"""Where everything lies in the alpha-beta search's one block of memory. Standard library only.

    byte 0        control: int64[64], the fields numbered below
    byte 512      frames: int64[61 * 8], what the search knows of each position on the path
    byte 4608     lines: int64[61 * 61], for each ply the best line found below it
    byte 36864    positions: 61 of 256 bytes each, the first one written by the game's engine
    byte 52480    moves: int16[61 * 128], for each ply the legal moves in the order in which they are tried

Ply 0 is the position that the search is called for.
"""

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
