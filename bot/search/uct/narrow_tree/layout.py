"""The memory layout of a narrow tree's search, and how Python reads it. Standard library only.

The memory is one block, zeroed at first. The system commits a page of it when the page is first touched:

    byte 0        control, position and game words (control.py); the fields numbered below
    byte 4096     path: int64[2 * 256]; for each ply of the descent, its node and edge
    byte 8192     table: uint32[table_size], position hash -> node, 0 for an empty slot
    ..            used: uint64[node_capacity / 64], one bit a node
    ..            queue: uint32[node_capacity], the nodes that re-rooting has to go through
    ..            nodes: node_capacity records, aligned to cache lines; node 0 is never used: it stands for "none"

A node is a record of 256 bytes. Its edges have the numbers of the game's moves. All values and scores are for the side
to move at the node:

    byte 0     VISITS       uint32[12]    how often the descent took the edge
    byte 48    MEANS        float32[12]   mean result of these visits, -1..1; the first-play value before the first;
                                          CLOSED_MEAN for a proven or illegal edge
    byte 96    CHILDREN     uint32[12]    the node below the edge, 0 if there is none yet
    byte 144   SCORES       int16[12]     proven score of the edge (search/scores.py), NEVER for an illegal one
    byte 168   HASH         uint64        hash of the position
    byte 176   TOTAL        uint32        number of visits of all edges and of iterations that ended here
    byte 180   NODE_SCORE   int16         proven score of the node
    byte 182   OPEN         int16         bit mask of the edges that are legal and not proven
    byte 184   PRIOR        float32       1 / number of the edges that were open at first
    byte 188   NODE_FLAGS   int16         HAS_DRAW
    byte 192   FACTORS      float32[12]   what PRIOR is multiplied by for each edge

A node holds no board. The descent rebuilds it.
"""

from bot.search.scores import NEVER

from ..control import HEAD_BYTES, LIVE_LIMIT, MAX_PLIES, NODE_CAPACITY, STORAGE_FIELDS
from ..engine import SearchedMove, TreeView

PATH_OFFSET = HEAD_BYTES
TABLE_OFFSET = PATH_OFFSET + 16 * MAX_PLIES

EDGES = 12  # number of edges in every node; a game may have at most this many moves
NODE_BYTES, NODE_LONGS, NODE_WORDS, NODE_HALVES = 256, 32, 64, 128
HASH = 21  # index among the 64-bit words of a node
VISITS, MEANS, CHILDREN, TOTAL, PRIOR, FACTORS = 0, 12, 24, 44, 46, 48  # indices among the 32-bit words of a node
SCORES, NODE_SCORE, OPEN, NODE_FLAGS = 72, 90, 91, 94  # indices among the 16-bit words of a node

# Far below any selection score, so that a closed edge is never the best one.
CLOSED_MEAN = -1000.0
HAS_DRAW = 1  # node flag: one edge is a proven draw

(
    TABLE_SIZE,
    USED_OFFSET,
    QUEUE_OFFSET,
    NODES_OFFSET,
    NODES_IN_USE,  # written by the search
    CURSOR,  # written by the search: the words of `used` before this one hold no free node
    EXPAND_VISITS,  # number of visits of an edge before it gets a node
    RESERVE_MEAN,  # float: takes the place of FIRST_PLAY for the edges that are tried last
    PRIOR_VISITS,  # a node of so many visits gets priors from the game's policy; -1: none does
    PRIOR_SHARE,  # float: the policy's share of a prior; an even prior has the rest
) = range(STORAGE_FIELDS, STORAGE_FIELDS + 10)

# Passed to prepare_root instead of a node: then prepare_root looks the position up in the table.
PROBE_ROOT = -1


def plan_memory(total_bytes):
    """Returns {control field: value} for a block of at most `total_bytes` bytes.

    The dict also has the key "total_bytes", whose value is the size of the block. The number of table entries is a
    power of two, at least 1.3 for each node. Raises ValueError if fewer than 1024 nodes fit.
    """
    per_node = NODE_BYTES + 4 + 1 + 8
    capacity = (total_bytes - TABLE_OFFSET) // per_node // 64 * 64
    if capacity < 1024:
        raise ValueError(
            f"search memory of {total_bytes} bytes is too small; at least {TABLE_OFFSET + 1088 * per_node} are needed"
        )
    table_size = 1 << max(10, int(capacity * 1.3 - 1).bit_length())
    while TABLE_OFFSET + table_size * 4 + capacity * (NODE_BYTES + 5) + 4096 > total_bytes:
        capacity = (capacity * 63 // 64) // 64 * 64
    used_offset = TABLE_OFFSET + table_size * 4
    queue_offset = used_offset + capacity // 8
    nodes_offset = -(-(queue_offset + capacity * 4) // 64) * 64
    return {
        NODE_CAPACITY: capacity,
        TABLE_SIZE: table_size,
        USED_OFFSET: used_offset,
        QUEUE_OFFSET: queue_offset,
        NODES_OFFSET: nodes_offset,
        LIVE_LIMIT: capacity * 6 // 10,
        "total_bytes": nodes_offset + capacity * NODE_BYTES,
    }


class View(TreeView):
    """The TreeView of a narrow tree's memory. A move is the number of an edge."""

    def __init__(self, memory, final_move):
        super().__init__(memory, final_move)
        nodes = memory[self._control[NODES_OFFSET] :]
        self._words, self._means, self._halves = nodes.cast("I"), nodes.cast("f"), nodes.cast("h")

    def root_score(self):
        return self._halves[self.root() * NODE_HALVES + NODE_SCORE]

    def moves(self, node):
        if not node:
            return {}
        first, scores = node * NODE_WORDS, node * NODE_HALVES + SCORES
        return {
            edge: SearchedMove(
                self._halves[scores + edge], self._words[first + VISITS + edge], self._means[first + MEANS + edge]
            )
            for edge in range(EDGES)
            if self._halves[scores + edge] != NEVER
        }

    def node_after(self, node, move):
        return self._words[node * NODE_WORDS + CHILDREN + move]

    def nodes_in_use(self):
        return self._control[NODES_IN_USE]

    def bytes_in_use(self):
        return self._control[NODES_OFFSET] + self.nodes_in_use() * NODE_BYTES
