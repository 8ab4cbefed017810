"""Where everything lies in the memory of search.py. Standard library only.

The memory is one block:

    byte 0        control: int64[256], the fields of control.py and those numbered below
    byte 2048     the position to search, at most 768 bytes; the game's engine writes it
    byte 2816     the position at the tree's root, in the same form; the kernels write it
    byte 4096     path: int64[2 * 256]; for each ply of the descent its node and the side that moved into it
    byte 8192     moves: int16[512], the moves that the game lists
    byte 9216     trace: int16[1024], the moves of the last rollout
    byte 11264    stamps: int64[2 * 256]; for each side and AMAF key the last simulation with such a move
    byte 15360    scratch: int16[512], for the game's own use
    byte 16384    keys: float32[512], the selection's value of each child that it compares
    byte 18432    nodes: one array for each field below, with node_capacity places; node 0 stands for "none"

    field          type      of a node
    VISITS         uint32    simulations through it
    MEANS          float32   their mean result, -1..1, for the side that made the move; before the first visit the
                             first-play value
    AMAF_VISITS    uint32    simulations in which that side made the move here or later
    AMAF_MEANS     float32   their mean result for that side; before the first the first-play value
    FIRST_CHILD    uint32    its first child, 0 for none
    CHECKS         uint32    the low half of the position's hash; the first visit writes it
    COUNTS         int16     number of children
    CODES          int16     the game's code of the move that leads here
    SCORES         int16     proven score (scores.py) for the side that made the move
    NODE_FLAGS     int16     AGAIN, HAS_DRAW

The children of a node lie side by side, in the order in which the game lists the moves. This is their block. Vector
instructions can therefore compute a formula for all of them. A block begins with one more node, the head: its
FIRST_CHILD is the parent, its COUNTS the number of children, and its NODE_FLAGS are KEPT while the tree is moved. A
block always lies behind its parent. The root has no move: its values are for its own side to move.

A node holds no board. The descent rebuilds it.
"""

from ..control import *  # noqa: F403 its fields are this layout's too
from ..control import LIVE_LIMIT, NODE_CAPACITY, OWN_FIELDS

ROOT_POSITION_OFFSET = 2048
KEPT_POSITION_OFFSET = 2816
POSITION_HALVES = 384
PATH_OFFSET = 4096
MOVES_OFFSET = 8192
MOST_MOVES = 512
TRACE_OFFSET = 9216
TRACE_PLACES = 1024
STAMPS_OFFSET = 11264
MOVE_KEYS = 256  # a game's amaf_key is below it
SCRATCH_OFFSET = 15360
SCRATCH_HALVES = 512
KEYS_OFFSET = 16384
NODES_OFFSET = 18432

# A field is the number of bytes of all fields before it: times the capacity it is the offset of the field's array.
VISITS, MEANS, AMAF_VISITS, AMAF_MEANS, FIRST_CHILD, CHECKS = range(0, 24, 4)
COUNTS, CODES, SCORES, NODE_FLAGS = range(24, 32, 2)
NODE_BYTES = 32

AGAIN = 1  # the side that made the move is to move again
HAS_DRAW = 2  # a child is a proven draw
KEPT = 4  # of a head: the block belongs to what is kept

(
    TOP,  # the first node that was never used
    SIM_MIN,  # below so many visits a node comes first, whatever its value
    SIM_MAX,  # a node gets children once it has so many visits
    SOLVE_VISITS,  # at so many visits a leaf is given to the game's exact solver
    ALPHA,  # float
    RESERVE_PENALTY,  # float
    MARGIN_SHARE,  # float: the part of a result's value that its margin decides
    GREATEST_MARGIN,
    SERIAL,  # simulations so far, ever: the stamp of the running one
    PATH_DEPTH,  # plies of the last simulation's descent
    LEAVES_SOLVED,
) = range(OWN_FIELDS, OWN_FIELDS + 11)

RANDOM_STATE = 24  # one word, not zero
GAME_PARAMETERS = 32  # from here on: numbers that only the game's kernels read and write


def plan_memory(total_bytes):
    """Control fields that describe a block of at most `total_bytes`, and "total_bytes" themselves; a dict.

    Raises ValueError when fewer than 1024 nodes would fit.
    """
    capacity = (total_bytes - NODES_OFFSET) // NODE_BYTES // 16 * 16
    if capacity < 1024:
        raise ValueError(
            f"search memory of {total_bytes} bytes is too small; at least {NODES_OFFSET + 1024 * NODE_BYTES} are needed"
        )
    return {
        NODE_CAPACITY: capacity,
        LIVE_LIMIT: capacity * 6 // 10,
        "total_bytes": NODES_OFFSET + capacity * NODE_BYTES,
    }
