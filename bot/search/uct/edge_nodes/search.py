"""UCT for games of few moves: a node holds the statistics of its edges, and positions reached in any order share one.

The loop is search/uct/loop.py's; here is what it does with such a tree. `make_uct(game)` closes over a game *module*,
which supplies

    EDGES                                 greatest number of moves, and edges of a node
    load_root(positions, offset)          -> state of the root; a state is a tuple of values
    play(state, edge)                     -> state after that legal move, seen by the other side
    position_hash(state)                  -> uint64; equal for equal positions reached in any order
    assess(state, policy)                 -> (score, legal, reserved): the proven score of the position or 0, the
                                          moves worth searching (bit mask) and those of them to try last
    leaf_value(state, edge, policy, control)
                                          -> (value, score): float32 for the side to move, -1 to 1, and the proven score
                                          where the leaf turned out to have one, else 0; edge is the move that led to
                                          the state

Values are always seen by the side to move at the node that stores them. Sources: PUCT in the form of Silver et al. 2017
with uniform priors; shared subtrees with statistics on edges, Childs, Brodeur and Kocsis 2008 (UCT1).
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count
from bot.search.scores import NEVER, PROVEN_DRAW, UNPROVEN

from ..loop import TreeKernels, make_search
from ..proofs import mean_with, value_of_score
from .layout import (
    CLOSED_MEAN,
    EXPAND_VISITS,
    FIRST_PLAY,
    FLAG_DRAW_PROOFS,
    FLAG_PROOFS,
    FLAG_RELATIVE_FIRST_PLAY,
    FLAG_ROLLOUT_PROOFS,
    FLAG_SHARE,
    FLAGS,
    HAS_DRAW,
    PROBE_ROOT,
    RESERVE_MEAN,
    ROLLOUT_POLICY,
    ROOT,
    TREE_POLICY,
    NodeLayout,
)
from .select import make_select
from .tree import make_tree

ITERATIONS_A_CLOCK_CHECK = 64


def make_uct(game):
    """Kernels (tree_at, prepare_root, search, prove_move) of the UCT for one game."""
    edges = game.EDGES
    layout = NodeLayout(edges)
    words, halves = layout.words, layout.halves
    mean_word, child_word, score_half = layout.mean_word, layout.child_word, layout.score_half
    total_word = layout.total_word
    node_score_half, open_half, flags_half = layout.node_score_half, layout.open_half, layout.flags_half
    select = make_select(layout)
    tree_at, allocate, probe, store, prefetch_slot, fill_node, forget_all, reroot = make_tree(edges)

    @kernel
    def make_node(tree, state, estimate):
        """The node of a position: the one that exists already where subtrees are shared, else a new one; 0 if full.

        estimate is what the parent's visits say of the position's value for the side to move in it.
        """
        position_hash = game.position_hash(state)
        shared = tree.control[FLAGS] & FLAG_SHARE
        if shared:
            prefetch_slot(tree, position_hash)  # the assess hides the table's cache miss
        score, legal, reserved = game.assess(state, tree.control[TREE_POLICY])
        node = probe(tree, position_hash) if shared else 0
        if node != 0:
            return node
        node = allocate(tree)
        if node != 0:
            first_play = np.float32(tree.settings[FIRST_PLAY])
            reserve_mean = np.float32(tree.settings[RESERVE_MEAN])
            if tree.control[FLAGS] & FLAG_RELATIVE_FIRST_PLAY:
                first_play += estimate
                reserve_mean += estimate
            fill_node(tree, node, position_hash, score, legal, reserved, first_play, reserve_mean)
            if shared:
                store(tree, node, position_hash)
        return node

    @kernel
    def child_of(tree, node, edge, state):
        """The node below an edge, made when the edge has been visited often enough; 0 while it is a leaf."""
        child = np.int64(tree.words[node * words + child_word + edge])
        if child == 0 and tree.words[node * words + edge] >= tree.control[EXPAND_VISITS]:
            child = make_node(tree, state, -tree.means[node * words + mean_word + edge])
            tree.words[node * words + child_word + edge] = np.uint32(child)
        return child

    @kernel
    def close_edge(tree, node, edge, score):
        """Record a proven edge; the node's own proven score when that settles it, else 0."""
        tree.means[node * words + mean_word + edge] = CLOSED_MEAN
        tree.halves[node * halves + score_half + edge] = score
        still_open = np.int64(tree.halves[node * halves + open_half]) & ~(1 << edge)
        tree.halves[node * halves + open_half] = still_open
        if score == PROVEN_DRAW:
            tree.halves[node * halves + flags_half] |= HAS_DRAW
        if score <= PROVEN_DRAW and still_open != 0:
            return 0
        best = NEVER
        for other in range(edges):
            known = np.int64(tree.halves[node * halves + score_half + other])
            if known != 0:
                best = max(best, known)
        tree.halves[node * halves + node_score_half] = best
        return best

    @kernel
    def begin(tree):
        """Nothing has to be done before an iteration."""

    @kernel
    def stand(tree, node):
        """Count the iteration, so that exploration still grows here and the open edges get proven in the end."""
        tree.words[node * words + total_word] += np.uint32(1)

    @kernel
    def descend(tree, node, state, edge, ply):
        """(child, state) after the move of that edge; child 0 where it is a leaf."""
        tree.path[2 * ply] = node
        tree.path[2 * ply + 1] = edge
        state = game.play(state, edge)
        return child_of(tree, node, edge, state), state

    @kernel
    def evaluate(tree, node, state, edge, depth):
        """A leaf by its value, a proven node by its score; from every other one the descent goes on."""
        flags = tree.control[FLAGS]
        if node == 0:
            value, score = game.leaf_value(state, edge, tree.control[ROLLOUT_POLICY], tree.random)
            if not flags & FLAG_ROLLOUT_PROOFS:
                score = UNPROVEN
        else:
            score = np.int64(tree.halves[node * halves + node_score_half])
            if score == UNPROVEN:
                return False, np.float32(0), score
            value = value_of_score(score)
        if not flags & FLAG_PROOFS or (score == PROVEN_DRAW and not flags & FLAG_DRAW_PROOFS):
            score = UNPROVEN
        return True, value, score

    @kernel
    def moves_again(tree, ply):
        """Sides always take turns."""
        return False

    @kernel
    def count_move(tree, ply, value, score):
        """Count the result of an edge, which a proof closes; the node's proven score where that settles it."""
        node, edge = tree.path[2 * ply], tree.path[2 * ply + 1]
        visits = tree.words[node * words + edge] + np.uint32(1)
        tree.words[node * words + edge] = visits
        tree.words[node * words + total_word] += np.uint32(1)
        if score != UNPROVEN:
            return close_edge(tree, node, edge, score)
        mean = tree.means[node * words + mean_word + edge]
        tree.means[node * words + mean_word + edge] = mean_with(mean, visits, value)
        return UNPROVEN

    @kernel
    def count_root(tree, value, score):
        """The root's edges hold all that is known of it."""

    @kernel
    def open_moves(tree):
        return bit_count(np.uint64(tree.halves[tree.control[ROOT] * halves + open_half]))

    @kernel
    def has_draw(tree):
        return tree.halves[tree.control[ROOT] * halves + flags_half] & HAS_DRAW != 0

    @kernel
    def is_proven(tree):
        return tree.halves[tree.control[ROOT] * halves + node_score_half] != UNPROVEN

    kernels = TreeKernels(
        begin,
        select,
        stand,
        descend,
        evaluate,
        moves_again,
        count_move,
        count_root,
        open_moves,
        has_draw,
        is_proven,
    )
    search = make_search(game, kernels, ITERATIONS_A_CLOCK_CHECK)

    @kernel
    def prepare_root(tree, kept_root):
        """Make control[ROOT] the node of the position in memory, and return it if the kept tree had one, else 0.

        kept_root: that node, PROBE_ROOT to look for it in the table, or 0 to start afresh.
        """
        state = game.load_root(tree.position, 0)
        root = probe(tree, game.position_hash(state)) if kept_root == PROBE_ROOT else kept_root
        if root != 0:
            reroot(tree, root)
        else:
            forget_all(tree)
            tree.control[ROOT] = make_node(tree, state, np.float32(0))
        return root

    @kernel
    def prove_move(tree, edge, score):
        """Close an edge of the root with a proven score that was found elsewhere; a closed edge stays as it is."""
        root = tree.control[ROOT]
        if (tree.halves[root * halves + open_half] >> edge) & 1:
            close_edge(tree, root, edge, score)

    return tree_at, prepare_root, search, prove_move
