"""The search tree's arena as kernels see it: allocation, transpositions, re-rooting.

Layout and views are described in layout.py. `make_tree(edges)` returns the kernels for one number of
edges a node; they take a `Tree` of flat arrays over the same memory.
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

from .layout import (
    BUDGET_NS,
    CLOSED_MEAN,
    CONTROL_FIELDS,
    CURSOR,
    LIVE_LIMIT,
    MAX_PLIES,
    NODE_CAPACITY,
    NODES_IN_USE,
    NODES_OFFSET,
    PATH_OFFSET,
    QUEUE_OFFSET,
    ROOT,
    ROOT_POSITION_OFFSET,
    TABLE_OFFSET,
    TABLE_SIZE,
    USED_OFFSET,
    NodeLayout,
)

ALL_USED = np.uint64(0xFFFFFFFFFFFFFFFF)
NODES_A_CLOCK_CHECK = 256


class Tree(NamedTuple):
    """Views of one search memory; several cover the same bytes under different types."""

    control: object  # int64[256], fields of layout.py
    settings: object  # float64[256], the same bytes
    random: object  # uint64[256], the same bytes
    position: object  # uint16[768], the root position as the game wrote it
    path: object  # int64[512], node and edge of each ply of the running descent
    table: object  # uint32[table_size], hash -> node
    used: object  # uint64[node_capacity / 64]
    queue: object  # uint32[node_capacity]
    words: object  # uint32[node_capacity * words], visits, children, totals
    means: object  # float32, the same bytes
    halves: object  # int16, the same bytes: scores and masks
    longs: object  # uint64, the same bytes: hashes


def make_tree(edges):
    """Kernels (tree_at, allocate, probe, store, prefetch_slot, fill_node, forget_all, reroot) for such nodes."""
    layout = NodeLayout(edges)
    words, halves, longs = layout.words, layout.halves, layout.longs
    mean_word, child_word, score_half = layout.mean_word, layout.child_word, layout.score_half
    hash_long, total_word, prior_word = layout.hash_long, layout.total_word, layout.prior_word
    node_score_half, open_half, flags_half = layout.node_score_half, layout.open_half, layout.flags_half

    @kernel
    def tree_at(address):
        """The Tree over the memory at `address`, whose control fields are already written."""
        control = int64_array_at(address, CONTROL_FIELDS)
        capacity = control[NODE_CAPACITY]
        nodes = address + control[NODES_OFFSET]
        return Tree(
            control,
            float64_array_at(address, CONTROL_FIELDS),
            uint64_array_at(address, CONTROL_FIELDS),
            uint16_array_at(address + ROOT_POSITION_OFFSET, 768),
            int64_array_at(address + PATH_OFFSET, 2 * MAX_PLIES),
            uint32_array_at(address + TABLE_OFFSET, control[TABLE_SIZE]),
            uint64_array_at(address + control[USED_OFFSET], capacity // 64),
            uint32_array_at(address + control[QUEUE_OFFSET], capacity),
            uint32_array_at(nodes, capacity * words),
            float32_array_at(nodes, capacity * words),
            int16_array_at(nodes, capacity * halves),
            uint64_array_at(nodes, capacity * longs),
        )

    @kernel
    def allocate(tree):
        """The number of a free node, marked as used, or 0 when the arena is full."""
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
        """The node of that position, or 0."""
        mask = tree.table.shape[0] - 1
        slot = np.int64(position_hash & np.uint64(mask))
        while True:
            node = np.int64(tree.table[slot])
            if node == 0 or tree.longs[node * longs + hash_long] == position_hash:
                return node
            slot = (slot + 1) & mask

    @kernel
    def store(tree, node, position_hash):
        """Make `node` findable; its position must not be in the table yet."""
        mask = tree.table.shape[0] - 1
        slot = np.int64(position_hash & np.uint64(mask))
        while tree.table[slot] != 0:
            slot = (slot + 1) & mask
        tree.table[slot] = np.uint32(node)

    @kernel
    def prefetch_slot(tree, position_hash):
        """Start bringing in the part of the table where `find` will look."""
        prefetch(tree.table, np.int64(position_hash & np.uint64(tree.table.shape[0] - 1)))

    @kernel
    def fill_node(tree, node, position_hash, score, legal, reserved, first_play, reserve_mean):
        """A new node: no visits, the edges of mask `legal` open, every other one closed for good.

        first_play is the mean shown before an edge's first visit, reserve_mean that of the edges in `reserved`.
        """
        count = 0
        for edge in range(edges):
            is_legal = (legal >> edge) & 1
            count += is_legal
            mean = reserve_mean if (reserved >> edge) & 1 else first_play
            tree.means[node * words + mean_word + edge] = mean if is_legal else np.float32(CLOSED_MEAN)
            tree.halves[node * halves + score_half + edge] = UNPROVEN if is_legal else NEVER
        for edge in range(edges):
            tree.words[node * words + edge] = 0
            tree.words[node * words + child_word + edge] = 0
        tree.longs[node * longs + hash_long] = position_hash
        tree.words[node * words + total_word] = 0
        tree.halves[node * halves + node_score_half] = score
        tree.halves[node * halves + open_half] = legal
        tree.means[node * words + prior_word] = np.float32(1.0) / np.float32(max(count, 1))
        tree.halves[node * halves + flags_half] = 0

    @kernel
    def is_used(tree, node):
        return (tree.used[node >> 6] >> np.uint64(node & 63)) & np.uint64(1) != np.uint64(0)

    @kernel
    def mark_used(tree, node):
        tree.used[node >> 6] |= np.uint64(1) << np.uint64(node & 63)

    @kernel
    def forget_all(tree):
        """An empty arena and an empty table; node 0 stays taken."""
        if tree.control[NODES_IN_USE] != 0:  # fresh memory is zero already, and touching it all takes 10 ms
            tree.table[:] = 0
            tree.used[:] = 0
        tree.used[0] = np.uint64(1)
        tree.control[CURSOR] = 0
        tree.control[NODES_IN_USE] = 0

    @kernel
    def reroot(tree, root):
        """Keep what `root` (a used node) reaches and free the rest; nothing moves.

        Walks breadth first and stops taking in nodes after control[LIVE_LIMIT] of them or after
        control[BUDGET_NS]; edges to what was not taken in become leaves again, with their statistics. After the
        time is up only the nodes taken in by then are still gone through, to cut such edges.
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
            store(tree, node, tree.longs[node * longs + hash_long])
            if head % NODES_A_CLOCK_CHECK == 0 and monotonic_ns() - started > tree.control[BUDGET_NS]:
                limit = 0
            for edge in range(edges):
                child = np.int64(tree.words[node * words + child_word + edge])
                if child != 0 and not is_used(tree, child):
                    if tail < limit:
                        mark_used(tree, child)
                        queue[tail] = np.uint32(child)
                        tail += 1
                    else:
                        tree.words[node * words + child_word + edge] = 0
        tree.control[NODES_IN_USE] = tail
        tree.control[ROOT] = root

    return tree_at, allocate, probe, store, prefetch_slot, fill_node, forget_all, reroot
