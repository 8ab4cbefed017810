"""A wide tree as kernels see it: its arrays, new blocks of children, and the root of the next search.

A new block is placed behind the last one. Blocks are freed only when the tree gets another root. Then all blocks that
are reachable from the new root slide down to the start of the nodes. They keep their order. layout.py shows the memory.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import (
    float32_array_at,
    float64_array_at,
    int16_array_at,
    int64_array_at,
    monotonic_ns,
    uint16_array_at,
    uint32_array_at,
    uint64_array_at,
)
from bot.search.scores import UNPROVEN

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
from ..search import score_of_position
from .layout import (
    AGAIN,
    AMAF_MEANS,
    AMAF_VISITS,
    CHECKS,
    CODES,
    COUNTS,
    FIRST_CHILD,
    KEPT,
    KEPT_POSITION_OFFSET,
    KEYS_OFFSET,
    MEANS,
    MOST_MOVES,
    MOVE_KEYS,
    MOVES_OFFSET,
    NODE_FLAGS,
    NODES_OFFSET,
    PATH_OFFSET,
    POSITION_HALVES,
    SCORES,
    SCRATCH_HALVES,
    SCRATCH_OFFSET,
    STAMPS_OFFSET,
    TOP,
    TRACE_OFFSET,
    TRACE_PLACES,
    VISITS,
)

ROOT_PLACE = 1  # the root's node; node 0 means "none"
BLOCKS_A_CLOCK_CHECK = 256
NO_CHECK = 0  # the CHECKS field of a node that was never visited
# The search for the new root in the kept tree takes at most this many steps.
MOST_COMPARED = 4096


class Tree(NamedTuple):
    """The arrays of one search memory. `control` and `reals` cover the same bytes."""

    control: object  # int64[64], the fields of control.py and layout.py
    reals: object  # float64[64]
    game_words: object  # uint64[256], for the game's own use
    position: object  # uint16[384], the position to search as the engine wrote it
    kept: object  # uint16[384], the position at the tree's root
    path: object  # int64[512], node and side of each ply of the running descent
    moves: object  # int16[512], the moves that the game has listed
    trace: object  # int16[1024], a rollout's moves: key | side << 8, where side 0 is to move at its start
    stamps: object  # int64[512], side * 256 + key -> serial of the last simulation with that move
    scratch: object  # int16[512], for the game's own use
    keys: object  # float32[512], the selection's values of a node's children
    visits: object  # uint32[node_capacity]; the arrays that follow have the same length
    means: object  # float32
    amaf_visits: object  # uint32
    amaf_means: object  # float32
    first_child: object  # uint32
    checks: object  # uint32
    counts: object  # int16
    codes: object  # int16
    scores: object  # int16
    flags: object  # int16


@kernel
def tree_at(address):
    """Returns the Tree over the memory at `address`, whose control fields must be written already."""
    control = int64_array_at(address, CONTROL_FIELDS)
    capacity = control[NODE_CAPACITY]
    nodes = address + NODES_OFFSET
    return Tree(
        control,
        float64_array_at(address, CONTROL_FIELDS),
        uint64_array_at(address + GAME_WORDS_OFFSET, GAME_WORDS),
        uint16_array_at(address + ROOT_POSITION_OFFSET, POSITION_HALVES),
        uint16_array_at(address + KEPT_POSITION_OFFSET, POSITION_HALVES),
        int64_array_at(address + PATH_OFFSET, 2 * MAX_PLIES),
        int16_array_at(address + MOVES_OFFSET, MOST_MOVES),
        int16_array_at(address + TRACE_OFFSET, TRACE_PLACES),
        int64_array_at(address + STAMPS_OFFSET, 2 * MOVE_KEYS),
        int16_array_at(address + SCRATCH_OFFSET, SCRATCH_HALVES),
        float32_array_at(address + KEYS_OFFSET, MOST_MOVES),
        uint32_array_at(nodes + VISITS * capacity, capacity),
        float32_array_at(nodes + MEANS * capacity, capacity),
        uint32_array_at(nodes + AMAF_VISITS * capacity, capacity),
        float32_array_at(nodes + AMAF_MEANS * capacity, capacity),
        uint32_array_at(nodes + FIRST_CHILD * capacity, capacity),
        uint32_array_at(nodes + CHECKS * capacity, capacity),
        int16_array_at(nodes + COUNTS * capacity, capacity),
        int16_array_at(nodes + CODES * capacity, capacity),
        int16_array_at(nodes + SCORES * capacity, capacity),
        int16_array_at(nodes + NODE_FLAGS * capacity, capacity),
    )


@kernel
def clear_node(tree, node, code, first_play):
    """Make `node` a node without visits and children.

    `code` is the code of the move that leads to the node, and `first_play` is its mean before its first visit.
    """
    tree.visits[node] = 0
    tree.means[node] = first_play
    tree.amaf_visits[node] = 0
    tree.amaf_means[node] = first_play
    tree.first_child[node] = 0
    tree.checks[node] = 0
    tree.counts[node] = 0
    tree.codes[node] = code
    tree.scores[node] = 0
    tree.flags[node] = 0


@kernel
def forget_tree(tree):
    """Replace the tree by a root without visits and children."""
    clear_node(tree, ROOT_PLACE, -1, np.float32(0))
    tree.control[ROOT] = ROOT_PLACE
    tree.control[TOP] = ROOT_PLACE + 1


@kernel
def add_children(tree, node, count, preferred, first_play, reserved_play):
    """Give a node a child for each move in tree.moves[:count]. Returns False if the memory is full, else True.

    The first `preferred` children begin with the mean `first_play`, the others with `reserved_play`.
    """
    head = tree.control[TOP]
    if head + 1 + count > tree.control[NODE_CAPACITY]:
        return False
    tree.first_child[head] = np.uint32(node)
    tree.counts[head] = count
    tree.flags[head] = 0
    for place in range(count):
        clear_node(tree, head + 1 + place, tree.moves[place], first_play if place < preferred else reserved_play)
    tree.first_child[node] = np.uint32(head + 1)
    tree.counts[node] = count
    tree.control[TOP] = head + 1 + count
    return True


@kernel
def move_node(tree, source, target):
    """Copy a node to `target`, a place before it.

    If the node has children, also write `target` into the head of their block, and mark that block as KEPT. The block
    lies behind both places.
    """
    tree.visits[target] = tree.visits[source]
    tree.means[target] = tree.means[source]
    tree.amaf_visits[target] = tree.amaf_visits[source]
    tree.amaf_means[target] = tree.amaf_means[source]
    tree.first_child[target] = tree.first_child[source]
    tree.checks[target] = tree.checks[source]
    tree.counts[target] = tree.counts[source]
    tree.codes[target] = tree.codes[source]
    tree.scores[target] = tree.scores[source]
    tree.flags[target] = tree.flags[source]
    first = np.int64(tree.first_child[target])
    if first != 0:
        tree.first_child[first - 1] = np.uint32(target)
        tree.flags[first - 1] = KEPT


@kernel
def move_block(tree, head, target):
    """Move the kept block whose head lies at `head` down, so that the head lies at `target`.

    Returns the first place behind the moved block.
    """
    owner, count = np.int64(tree.first_child[head]), np.int64(tree.counts[head])
    tree.first_child[target] = np.uint32(owner)
    tree.counts[target] = count
    tree.flags[target] = 0
    tree.first_child[owner] = np.uint32(target + 1)
    for place in range(1, count + 1):
        move_node(tree, head + place, target + place)
    return target + count + 1


@kernel
def reroot_tree(tree, root):
    """Make the node `root` the tree's root: keep the nodes that are reachable from it and free the rest, in one pass.

    Once control[LIVE_LIMIT] nodes are kept or the time control[BUDGET_NS] is used up, no further block is kept. A node
    whose children are not kept becomes a leaf, but keeps its statistics.
    """
    started = monotonic_ns()
    behind = tree.control[TOP]
    head = np.int64(ROOT_PLACE + 1)
    top = head
    move_node(tree, root, ROOT_PLACE)
    tree.codes[ROOT_PLACE] = -1
    limit = tree.control[LIVE_LIMIT]
    blocks = 0
    while head < behind:
        count = np.int64(tree.counts[head])
        following = head + 1 + count
        blocks += 1
        if blocks % BLOCKS_A_CLOCK_CHECK == 0 and monotonic_ns() - started > tree.control[BUDGET_NS]:
            limit = 0
        if tree.flags[head] == KEPT:
            if top + 1 + count <= limit:
                top = move_block(tree, head, top)
            else:
                owner = np.int64(tree.first_child[head])
                tree.first_child[owner] = 0
                tree.counts[owner] = 0
        head = following
    tree.control[ROOT] = ROOT_PLACE
    tree.control[TOP] = top


@kernel
def check_of(position_hash):
    """Returns the part of a position's hash that a node stores: 32 bits, never NO_CHECK."""
    return np.uint32(position_hash & np.uint64(0xFFFFFFFF)) | np.uint32(1)


def make_prepare_root(game, expand):
    """Returns the kernel prepare_root(tree, keep) for one game. `game` is the game's module.

    `expand` is the kernel (tree, node, state) that gives a node its children (search.py).
    """

    @kernel
    def state_at(tree, depth):
        """Returns the state after the moves to the path's nodes 1 .. `depth` are played from the tree's root."""
        state = game.load_root(tree.kept, 0)
        for ply in range(1, depth + 1):
            state, _ = game.play(state, np.int64(tree.codes[tree.path[2 * ply]]))
        return state

    @kernel
    def find_kept(tree, target):
        """Search the tree, depth first, for a node whose position is `target`. Returns the node, or 0 if none is found.

        `target` is a state. If several nodes have that position, the one with the most visits is returned.
        """
        target_hash = game.position_hash(target)
        wanted = check_of(target_hash)
        root = tree.control[ROOT]
        found, depth = 0, 0
        tree.path[0] = root
        tree.path[1] = tree.first_child[root]
        if game.position_hash(state_at(tree, 0)) == target_hash:
            return root
        for _ in range(MOST_COMPARED):
            node, child = tree.path[2 * depth], tree.path[2 * depth + 1]
            if child == 0 or child == tree.first_child[node] + tree.counts[node]:
                depth -= 1
                if depth < 0:
                    break
                continue
            tree.path[2 * depth + 1] = child + 1
            if tree.checks[child] == NO_CHECK or depth == MAX_PLIES - 1:
                continue
            tree.path[2 * depth + 2] = child
            state = state_at(tree, depth + 1)
            if tree.checks[child] == wanted:
                if game.position_hash(state) == target_hash and (found == 0 or tree.visits[child] > tree.visits[found]):
                    found = child
            elif game.can_reach(state, target):
                depth += 1
                tree.path[2 * depth + 1] = tree.first_child[child]
        return found

    @kernel
    def adopt(tree, node):
        """Make a node the tree's root.

        Its mean and score are converted, because the root's are for its own side to move.
        """
        if node != tree.control[ROOT]:
            again = tree.flags[node] & AGAIN
            tree.means[node] = tree.means[node] if again else -tree.means[node]
            tree.scores[node] = score_of_position(np.int64(tree.scores[node]), again)
            tree.flags[node] |= AGAIN
        reroot_tree(tree, node)

    @kernel
    def prepare_root(tree, keep):
        """Make the position in tree.position the root and give it children. The position must have a move.

        If `keep` is 0, starts a new tree. Returns the node that the kept tree had for the position, or 0 if it had
        none.
        """
        state = game.load_root(tree.position, 0)
        kept = find_kept(tree, state) if keep and tree.control[ROOT] != 0 else 0
        if kept != 0:
            adopt(tree, kept)
        else:
            forget_tree(tree)
        root = tree.control[ROOT]
        tree.flags[root] |= AGAIN
        if tree.first_child[root] == 0:
            # What was proven with children that are gone, or without any, would leave the engine without a move to
            # choose.
            tree.scores[root] = UNPROVEN
            tree.flags[root] = AGAIN
            expand(tree, root, state)
        game.store(state, tree.kept, 0)
        return kept

    return prepare_root
