"""The memory layout of a wide tree's search, and how Python reads it. Standard library only.

The memory is one block:

    byte 0        control, position and game words (control.py); the fields numbered below
    byte 1280     kept: the position at the tree's root, at most 768 bytes; the kernels write it
    byte 4096     path: int64[2 * 256]; for each ply of the descent, its node and the side that moved into it
    byte 8192     moves: int16[512], the moves that the game lists
    byte 9216     trace: int16[1024], the moves of the last rollout
    byte 11264    stamps: int64[2 * 256]; for each side and AMAF key, the number of the last simulation with such a move
    byte 15360    scratch: int16[512], for the game's own use
    byte 16384    keys: float32[512], the selection's value of each child that it compares
    byte 18432    nodes: one array for each field below, with node_capacity elements; node 0 stands for "none"

    field          type      of a node
    VISITS         uint32    number of simulations through it
    MEANS          float32   mean result of these simulations, -1..1, for the side that made the move; before the
                             first visit the first-play value
    AMAF_VISITS    uint32    number of simulations in which that side made the move here or later
    AMAF_MEANS     float32   mean result of these simulations for that side; before the first the first-play value
    FIRST_CHILD    uint32    its first child, 0 if it has none
    CHECKS         uint32    the low half of the position's hash; the first visit writes it
    COUNTS         int16     number of children
    CODES          int16     the game's code of the move that leads here
    SCORES         int16     proven score (search/scores.py) for the side that made the move
    NODE_FLAGS     int16     AGAIN, HAS_DRAW

The children of a node lie side by side, in the order in which the game lists the moves. They form the node's block, and
vector instructions can compute a formula for all of them. A block begins with one more node, the head. The head's
FIRST_CHILD is the parent, its COUNTS the number of children, and its NODE_FLAGS are KEPT while the tree is moved. A
block always lies behind its parent. The root has no move: its values are for its own side to move.

A node holds no board. The descent rebuilds it.
"""

import struct

from ..control import HEAD_BYTES, LIVE_LIMIT, MAX_PLIES, NODE_CAPACITY, ROOT_POSITION_OFFSET, STORAGE_FIELDS
from ..engine import SearchedMove, TreeView

POSITION_HALVES = 384  # number of uint16 in a stored position
KEPT_POSITION_OFFSET = ROOT_POSITION_OFFSET + 2 * POSITION_HALVES
PATH_OFFSET = HEAD_BYTES
MOVES_OFFSET = PATH_OFFSET + 16 * MAX_PLIES
MOST_MOVES = 512
TRACE_OFFSET = 9216
TRACE_PLACES = 1024
STAMPS_OFFSET = 11264
MOVE_KEYS = 256  # a game's amaf_key is below this
SCRATCH_OFFSET = 15360
SCRATCH_HALVES = 512
KEYS_OFFSET = 16384
NODES_OFFSET = 18432

# A field's number is the size in bytes, for one node, of all fields before it. This number times node_capacity is the
# offset of the field's array.
VISITS, MEANS, AMAF_VISITS, AMAF_MEANS, FIRST_CHILD, CHECKS = range(0, 24, 4)
COUNTS, CODES, SCORES, NODE_FLAGS = range(24, 32, 2)
NODE_BYTES = 32

AGAIN = 1  # the side that made the move is to move again
HAS_DRAW = 2  # a child is a proven draw
KEPT = 4  # only of a head: the block is kept when the tree is moved

(
    TOP,  # the first node behind all nodes in use
    SIM_MIN,  # a child with fewer visits than this is selected first, whatever its value
    SIM_MAX,  # a node gets children once it has this many visits
    SOLVE_VISITS,  # a leaf is given to the game's exact solver when it has this many visits
    ALPHA,  # float: weight of a child's AMAF mean; its own mean has weight 1 - ALPHA
    RESERVE_PENALTY,  # float: subtracted from FIRST_PLAY for the moves that are tried last
    MARGIN_SHARE,  # float: the share of a result's value that its margin decides
    GREATEST_MARGIN,  # the divisor that scales a margin to -1..1
    SERIAL,  # number of simulations since the memory was made: the stamp of the running one
    PATH_DEPTH,  # plies of the last simulation's descent
    LEAVES_SOLVED,  # number of leaves solved by the game's exact solver since the memory was made
) = range(STORAGE_FIELDS, STORAGE_FIELDS + 11)


def plan_memory(total_bytes):
    """Returns {control field: value} for a block of at most `total_bytes` bytes.

    The dict also has the key "total_bytes", whose value is the size of the block. Raises ValueError if fewer than 1024
    nodes would fit.
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


class View(TreeView):
    """The TreeView of a wide tree's memory. A move is the game's code of the move."""

    def __init__(self, memory, final_move):
        super().__init__(memory, final_move)
        self._memory = memory
        self._visits, self._means = self.array(VISITS, "I"), self.array(MEANS, "f")
        self._first_child, self._counts = self.array(FIRST_CHILD, "I"), self.array(COUNTS, "h")
        self._codes, self._scores = self.array(CODES, "h"), self.array(SCORES, "h")

    def array(self, field, code):
        """Returns a memoryview of one field of all nodes. `field` is one of the numbers above.

        `code` is the format character that the module struct has for the field's type.
        """
        capacity = self._control[NODE_CAPACITY]
        begin = NODES_OFFSET + field * capacity
        return self._memory[begin : begin + struct.calcsize(code) * capacity].cast(code)

    def children(self, node):
        """Returns the range of a node's children. It is empty for node 0 and for a node without children."""
        first = self._first_child[node] if node else 0
        return range(first, first + self._counts[node]) if first else range(0)

    def root_score(self):
        return self._scores[self.root()]

    def moves(self, node):
        return {
            self._codes[child]: SearchedMove(self._scores[child], self._visits[child], self._means[child])
            for child in self.children(node)
        }

    def node_after(self, node, move):
        return next((child for child in self.children(node) if self._codes[child] == move), 0)

    def nodes_in_use(self):
        return self._control[TOP]

    def bytes_in_use(self):
        return NODES_OFFSET + self.nodes_in_use() * NODE_BYTES
