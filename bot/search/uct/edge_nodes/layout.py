"""Where everything lies in a search's one block of memory. Standard library only.

The block is one anonymous mapping, zeroed and committed page by page as it is touched:

    byte 0        control: int64[256], the fields of control.py and those numbered below
    byte 2048     the root position, written by the game's engine (at most 1536 bytes)
    byte 4096     the path of the running descent: int64[2 * 256], node and edge of every ply
    byte 8192     hash table: uint32[table_size], position hash -> node, 0 where empty
    ..            used: uint64[node_capacity / 64], one bit a node
    ..            queue: uint32[node_capacity], work list of the re-rooting
    ..            nodes: node_capacity records, aligned to cache lines; node 0 is never used (it means "none")

A node with E edges (E is the game's greatest number of moves) is one record of 4-byte words:

    0   .. E-1     visits   uint32   how often the descent took this edge
    E   .. 2E-1    mean     float32  mean result of those visits, -1..1, for the side to move at this node;
                                     the first-play value before the first visit; CLOSED_MEAN when closed
    2E  .. 3E-1    child    uint32   node below the edge, 0 where there is none yet
    3E  .. 3.5E-1  score    int16    proven score of the edge for the side to move here (see scores.py)
    then           hash uint64, visits uint32, score int16, open int16 (bit mask of edges that may still be
                   sampled), prior float32 (1 / number of moves), flags int16

A node holds no board: it is rebuilt along the descent.
"""

from ..control import *  # noqa: F403 its fields are this layout's too
from ..control import LIVE_LIMIT, NODE_CAPACITY, OWN_FIELDS

ROOT_POSITION_OFFSET = 2048
PATH_OFFSET = 4096
TABLE_OFFSET = 8192
CACHE_LINE = 64

(
    TABLE_SIZE,
    USED_OFFSET,
    QUEUE_OFFSET,
    NODES_OFFSET,
    NODES_IN_USE,
    CURSOR,
    ROLLOUT_POLICY,
    TREE_POLICY,
    EXPAND_VISITS,
    RESERVE_MEAN,  # float
    ROLLOUT_PLIES,
) = range(OWN_FIELDS, OWN_FIELDS + 11)

# Four words: as many random generators, none of them zero.
RANDOM_STATE = 24
RANDOM_WORDS = 4

# Eight numbers more for the game's leaves, which know what they mean.
LEAF_PARAMETERS = 28

# From here to the end of the control block the game's rollouts keep what they learn.
ROLLOUT_MEMORY = 36

# Argument of prepare_root instead of a node: look the position up in the table.
PROBE_ROOT = -1

# Far below any selection score, so that a closed edge is never the best one.
CLOSED_MEAN = -1000.0

HAS_DRAW = 1  # node flag: one edge is a proven draw


class NodeLayout:
    """Word, half-word and byte offsets inside one node of `edges` edges (even, at most 15 for int16 masks)."""

    def __init__(self, edges):
        if edges % 4 or not 0 < edges <= 12:
            raise ValueError(f"edges must be 4, 8 or 12, got {edges!r}")
        self.edges = edges
        self.visits_word = 0
        self.mean_word = edges
        self.child_word = 2 * edges
        self.score_half = 6 * edges
        tail = (3 * edges * 4 + edges * 2 + 7) // 8 * 8
        self.hash_long = tail // 8
        self.total_word = tail // 4 + 2
        self.node_score_half = tail // 2 + 6
        self.open_half = tail // 2 + 7
        self.prior_word = tail // 4 + 4
        self.flags_half = tail // 2 + 10
        size = tail + 22
        self.node_bytes = (size + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE
        self.words = self.node_bytes // 4
        self.halves = self.node_bytes // 2
        self.longs = self.node_bytes // 8


def plan_memory(total_bytes, node_bytes):
    """Offsets and sizes for a block of at most `total_bytes`; a dict of the control fields that describe it.

    The hash table has a power of two of entries, at least 1.3 a node. Raises ValueError when fewer than
    1024 nodes would fit.
    """
    per_node = node_bytes + 4 + 1 + 8
    capacity = (total_bytes - TABLE_OFFSET) // per_node // 64 * 64
    if capacity < 1024:
        raise ValueError(
            f"search memory of {total_bytes} bytes is too small; at least {TABLE_OFFSET + 1088 * per_node} are needed"
        )
    table_size = 1 << max(10, int(capacity * 1.3 - 1).bit_length())
    while TABLE_OFFSET + table_size * 4 + capacity * (node_bytes + 5) + 4096 > total_bytes:
        capacity = (capacity * 63 // 64) // 64 * 64
    used_offset = TABLE_OFFSET + table_size * 4
    queue_offset = used_offset + capacity // 8
    nodes_offset = -(-(queue_offset + capacity * 4) // CACHE_LINE) * CACHE_LINE
    return {
        NODE_CAPACITY: capacity,
        TABLE_SIZE: table_size,
        USED_OFFSET: used_offset,
        QUEUE_OFFSET: queue_offset,
        NODES_OFFSET: nodes_offset,
        LIVE_LIMIT: capacity * 6 // 10,
        "total_bytes": nodes_offset + capacity * node_bytes,
    }
