"""A narrow tree as kernels see it: its arrays, new nodes, positions that share a node, and a new root.

layout.py shows the memory and the record of a node.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import (
    float32_array_at,
    float64_array_at,
    int16_array_at,
    int64_array_at,
    lowest_bit,
    monotonic_ns,
    prefetch,
    uint16_array_at,
    uint32_array_at,
    uint64_array_at,
)
from bot.search.scores import NEVER, UNPROVEN

from ..control import (
    BUDGET_NS,
    CONTROL_FIELDS,
    GAME_WORDS,
    GAME_WORDS_OFFSET,
    LIVE_LIMIT,
    MAX_PLIES,
    NODE_CAPACITY,
    ROOT,
    ROOT_POSITION_OFFSET,
)
from .layout import (
    CHILDREN,
    CLOSED_MEAN,
    CURSOR,
    EDGES,
    FACTORS,
    HASH,
    MEANS,
    NODE_FLAGS,
    NODE_HALVES,
    NODE_LONGS,
    NODE_SCORE,
    NODE_WORDS,
    NODES_IN_USE,
    NODES_OFFSET,
    OPEN,
    PATH_OFFSET,
    PRIOR,
    QUEUE_OFFSET,
    SCORES,
    TABLE_OFFSET,
    TABLE_SIZE,
    TOTAL,
    USED_OFFSET,
    VISITS,
)

ALL_USED = np.uint64(0xFFFFFFFFFFFFFFFF)
NODES_A_CLOCK_CHECK = 256


class Tree(NamedTuple):
    """The arrays of one search memory.

    `control` and `reals` cover the same bytes. So do `words`, `means`, `halves` and `longs`, which are the nodes.
    """

    control: object  # int64[64], the fields of control.py and layout.py
    reals: object  # float64[64], for those fields that are floats
    game_words: object  # uint64[256], for the game's own use
    position: object  # uint16[768], the position to search as the engine wrote it
    path: object  # int64[512], node and edge of each ply of the running descent
    table: object  # uint32[table_size], position hash -> node
    used: object  # uint64[node_capacity / 64], one bit a node
    queue: object  # uint32[node_capacity], the nodes that re-rooting has to go through
    words: object  # uint32[node_capacity * NODE_WORDS]: visits, children
    means: object  # float32[node_capacity * NODE_WORDS]: means, priors
    halves: object  # int16[node_capacity * NODE_HALVES]: scores, masks, flags
    longs: object  # uint64[node_capacity * NODE_LONGS]: hashes


@kernel
def tree_at(address):
    """Returns the Tree over the memory at `address`, whose control fields must be written already."""
    control = int64_array_at(address, CONTROL_FIELDS)
    capacity = control[NODE_CAPACITY]
    nodes = address + control[NODES_OFFSET]
    return Tree(
        control,
        float64_array_at(address, CONTROL_FIELDS),
        uint64_array_at(address + GAME_WORDS_OFFSET, GAME_WORDS),
        uint16_array_at(address + ROOT_POSITION_OFFSET, 768),
        int64_array_at(address + PATH_OFFSET, 2 * MAX_PLIES),
        uint32_array_at(address + TABLE_OFFSET, control[TABLE_SIZE]),
        uint64_array_at(address + control[USED_OFFSET], capacity // 64),
        uint32_array_at(address + control[QUEUE_OFFSET], capacity),
        uint32_array_at(nodes, capacity * NODE_WORDS),
        float32_array_at(nodes, capacity * NODE_WORDS),
        int16_array_at(nodes, capacity * NODE_HALVES),
        uint64_array_at(nodes, capacity * NODE_LONGS),
    )


@kernel
def allocate(tree):
    """Mark a free node as used. Returns its number, or 0 if the memory is full."""
    word = tree.control[CURSOR]
    while word < tree.used.shape[0]:
        taken = tree.used[word]
        if taken != ALL_USED:
            free = ~taken & (taken + np.uint64(1))
            tree.used[word] = taken | free
            tree.control[CURSOR] = word
            tree.control[NODES_IN_USE] += 1
            return word * 64 + lowest_bit(free)
        word += 1
    tree.control[CURSOR] = word
    return 0


@kernel
def probe(tree, position_hash):
    """Returns the node of the position with the hash `position_hash`, or 0 if there is none."""
    mask = tree.table.shape[0] - 1
    slot = np.int64(position_hash & np.uint64(mask))
    while True:
        node = np.int64(tree.table[slot])
        if node == 0 or tree.longs[node * NODE_LONGS + HASH] == position_hash:
            return node
        slot = (slot + 1) & mask


@kernel
def store(tree, node, position_hash):
    """Enter a node into the table. The table must not have an entry for the node's position yet."""
    mask = tree.table.shape[0] - 1
    slot = np.int64(position_hash & np.uint64(mask))
    while tree.table[slot] != 0:
        slot = (slot + 1) & mask
    tree.table[slot] = np.uint32(node)


@kernel
def prefetch_slot(tree, position_hash):
    """Ask the CPU to fetch the part of the table that `probe` will read."""
    prefetch(tree.table, np.int64(position_hash & np.uint64(tree.table.shape[0] - 1)))


@kernel
def fill_node(tree, node, position_hash, score, legal, reserved, first_play, reserve_mean):
    """Fill the record of a node without visits.

    The edges in the bit mask `legal` are open, all others are closed for good. `score` is the position's proven score.
    Before their first visit, open edges have the mean `first_play`, or `reserve_mean` if they are in the bit mask
    `reserved`.
    """
    count = 0
    for edge in range(EDGES):
        is_legal = (legal >> edge) & 1
        count += is_legal
        mean = reserve_mean if (reserved >> edge) & 1 else first_play
        tree.means[node * NODE_WORDS + MEANS + edge] = mean if is_legal else np.float32(CLOSED_MEAN)
        tree.halves[node * NODE_HALVES + SCORES + edge] = UNPROVEN if is_legal else NEVER
    for edge in range(EDGES):
        tree.words[node * NODE_WORDS + VISITS + edge] = 0
        tree.words[node * NODE_WORDS + CHILDREN + edge] = 0
        tree.means[node * NODE_WORDS + FACTORS + edge] = np.float32(1)
    tree.longs[node * NODE_LONGS + HASH] = position_hash
    tree.words[node * NODE_WORDS + TOTAL] = 0
    tree.halves[node * NODE_HALVES + NODE_SCORE] = score
    tree.halves[node * NODE_HALVES + OPEN] = legal
    tree.means[node * NODE_WORDS + PRIOR] = np.float32(1.0) / np.float32(max(count, 1))
    tree.halves[node * NODE_HALVES + NODE_FLAGS] = 0


@kernel
def is_used(tree, node):
    """Returns whether a node is in use."""
    return (tree.used[node >> 6] >> np.uint64(node & 63)) & np.uint64(1) != np.uint64(0)


@kernel
def mark_used(tree, node):
    """Mark a node as used."""
    tree.used[node >> 6] |= np.uint64(1) << np.uint64(node & 63)


@kernel
def forget_all(tree):
    """Free all nodes and empty the table. Node 0 stays marked as used."""
    if tree.control[NODES_IN_USE] != 0:  # fresh memory is zero already, and touching it all takes 10 ms
        tree.table[:] = 0
        tree.used[:] = 0
    tree.used[0] = np.uint64(1)
    tree.control[CURSOR] = 0
    tree.control[NODES_IN_USE] = 0


@kernel
def reroot(tree, root):
    """Keep the nodes that are reachable from `root`, a used node, and free the rest. Nodes keep their places.

    Searches breadth first. Once control[LIVE_LIMIT] nodes are kept or the time control[BUDGET_NS] is used up, it keeps
    no further nodes, and only visits the kept ones. An edge to a node that is not kept loses its child, but keeps its
    statistics.
    """
    started = monotonic_ns()
    forget_all(tree)
    queue = tree.queue
    mark_used(tree, root)
    queue[0] = np.uint32(root)
    head = 0
    tail = 1
    limit = tree.control[LIVE_LIMIT]
    while head < tail:
        node = np.int64(queue[head])
        head += 1
        store(tree, node, tree.longs[node * NODE_LONGS + HASH])
        if head % NODES_A_CLOCK_CHECK == 0 and monotonic_ns() - started > tree.control[BUDGET_NS]:
            limit = 0
        for edge in range(EDGES):
            child = np.int64(tree.words[node * NODE_WORDS + CHILDREN + edge])
            if child != 0 and not is_used(tree, child):
                if tail < limit:
                    mark_used(tree, child)
                    queue[tail] = np.uint32(child)
                    tail += 1
                else:
                    tree.words[node * NODE_WORDS + CHILDREN + edge] = 0
    tree.control[NODES_IN_USE] = tail
    tree.control[ROOT] = root
