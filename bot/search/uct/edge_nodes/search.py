"""The tree search over edge_nodes, by its verbs: select, expand, evaluate, back up. For games of at most 12 moves.

search/uct/search.py has the loop that calls them. A move is the number of an edge. A node keeps the statistics of its
edges, and positions reached in several orders may share one. Sides take turns. Values and scores are for the side to
move at the node that stores them (layout.py).

`make_uct(game)` closes over a game *module*. A state is a tuple of values, seen by the side to move; words are the
tree's game words, which only the game reads and writes. The module supplies

    load_root(positions, offset)      -> state of the position at uint16 positions[offset:]
    play(state, edge)                 -> state after that legal move
    position_hash(state)              -> uint64; equal for equal positions reached in any order
    assess(state, words)              -> (score, legal, reserved): the proven score of the position or 0, the moves
                                      worth searching (bit mask) and those of them to try last
    leaf_value(state, edge, words)    -> (value, score): float32, -1..1, and the proven score where the leaf turned out
                                      to have one, else 0; edge: the move that led to the state

Sources: PUCT in the form of Silver et al. 2017 with uniform priors; shared subtrees with statistics on edges, Childs,
Brodeur and Kocsis 2008 (UCT1).
"""

import numpy as np

from bot.kernels.arithmetic import natural_log
from bot.kernels.kernel import kernel
from bot.kernels.lanes import at_least, at_most, best_edge, load_counts, load_means, same_for_all, square_root
from bot.kernels.machine import bit_count
from bot.search.scores import NEVER, PROVEN_DRAW, UNPROVEN

from ..control import (
    EXPLORATION,
    FIRST_PLAY,
    FLAG_DRAW_PROOFS,
    FLAG_PROOFS,
    FLAG_RELATIVE_FIRST_PLAY,
    FLAG_ROLLOUT_PROOFS,
    FLAG_SHARE,
    FLAG_UCB1,
    FLAGS,
    ROOT,
)
from ..search import STAND_ON_DRAW, TreeKernels, make_search, mean_with, value_of_score
from .layout import (
    CHILDREN,
    CLOSED_MEAN,
    EDGES,
    EXPAND_VISITS,
    HAS_DRAW,
    MEANS,
    NODE_FLAGS,
    NODE_HALVES,
    NODE_SCORE,
    NODE_WORDS,
    OPEN,
    PRIOR,
    PROBE_ROOT,
    RESERVE_MEAN,
    SCORES,
    TOTAL,
    VISITS,
)
from .tree import allocate, fill_node, forget_all, prefetch_slot, probe, reroot, store

ITERATIONS_A_CLOCK_CHECK = 64
MAX_BONUS = np.float32(900)  # keeps open edges' keys inside 32 bits and above CLOSED_MEAN's


@kernel
def puct_key(tree, node, scale):
    """best_edge of mean + scale / (1 + visits)."""
    visits = load_counts(tree.words, node * NODE_WORDS + VISITS, EDGES)
    means = load_means(tree.means, node * NODE_WORDS + MEANS, EDGES)
    bonus = same_for_all(scale, means) / (same_for_all(np.float32(1), means) + visits)
    return best_edge(means + at_most(bonus, same_for_all(MAX_BONUS, means)))


@kernel
def ucb1_key(tree, node, scale):
    """best_edge of mean + sqrt(scale / visits)."""
    means = load_means(tree.means, node * NODE_WORDS + MEANS, EDGES)
    visits = load_counts(tree.words, node * NODE_WORDS + VISITS, EDGES)
    visits = at_least(visits, same_for_all(np.float32(1), means))
    return best_edge(means + square_root(same_for_all(scale, means) / visits))


@kernel
def select(tree, node):
    """The edge to descend, or STAND_ON_DRAW. The node is unproven, so at least one edge is open.

    PUCT takes the largest mean + EXPLORATION * PRIOR * sqrt(TOTAL + 1) / (1 + visits), UCB1 the largest
    mean + EXPLORATION * sqrt(ln TOTAL / visits).
    """
    total = np.float32(tree.words[node * NODE_WORDS + TOTAL])
    exploration = np.float32(tree.reals[EXPLORATION])
    if tree.control[FLAGS] & FLAG_UCB1:
        spread = exploration * exploration * natural_log(max(total, np.float32(1)))
        key = ucb1_key(tree, node, spread)
    else:
        prior = tree.means[node * NODE_WORDS + PRIOR]
        key = puct_key(tree, node, exploration * prior * np.sqrt(total + np.float32(1)))
    if key < 0 and tree.halves[node * NODE_HALVES + NODE_FLAGS] & HAS_DRAW:
        return STAND_ON_DRAW
    return 15 - (key & 15)


@kernel
def close_edge(tree, node, edge, score):
    """Record the proven score of an edge; returns the node's own proven score where that settles it, else 0."""
    tree.means[node * NODE_WORDS + MEANS + edge] = CLOSED_MEAN
    tree.halves[node * NODE_HALVES + SCORES + edge] = score
    still_open = np.int64(tree.halves[node * NODE_HALVES + OPEN]) & ~(1 << edge)
    tree.halves[node * NODE_HALVES + OPEN] = still_open
    if score == PROVEN_DRAW:
        tree.halves[node * NODE_HALVES + NODE_FLAGS] |= HAS_DRAW
    if score <= PROVEN_DRAW and still_open != 0:
        return 0
    best = NEVER
    for other in range(EDGES):
        known = np.int64(tree.halves[node * NODE_HALVES + SCORES + other])
        if known != 0:
            best = max(best, known)
    tree.halves[node * NODE_HALVES + NODE_SCORE] = best
    return best


def make_uct(game):
    """Kernels (prepare_root, search, prove_move) of the tree search for one game."""

    @kernel
    def make_node(tree, state, estimate):
        """The node of a position: where subtrees are shared the one that exists already, else a new one; 0 if full.

        estimate: what the parent's visits say of the position's value for its side to move.
        """
        position_hash = game.position_hash(state)
        shared = tree.control[FLAGS] & FLAG_SHARE
        if shared:
            prefetch_slot(tree, position_hash)  # the assess hides the table's cache miss
        score, legal, reserved = game.assess(state, tree.game_words)
        node = probe(tree, position_hash) if shared else 0
        if node != 0:
            return node
        node = allocate(tree)
        if node != 0:
            first_play = np.float32(tree.reals[FIRST_PLAY])
            reserve_mean = np.float32(tree.reals[RESERVE_MEAN])
            if tree.control[FLAGS] & FLAG_RELATIVE_FIRST_PLAY:
                first_play += estimate
                reserve_mean += estimate
            fill_node(tree, node, position_hash, score, legal, reserved, first_play, reserve_mean)
            if shared:
                store(tree, node, position_hash)
        return node

    @kernel
    def expand(tree, node, edge, state):
        """The node below an edge, made once the edge has EXPAND_VISITS visits; 0 while it is a leaf."""
        child = np.int64(tree.words[node * NODE_WORDS + CHILDREN + edge])
        if child == 0 and tree.words[node * NODE_WORDS + VISITS + edge] >= tree.control[EXPAND_VISITS]:
            child = make_node(tree, state, -tree.means[node * NODE_WORDS + MEANS + edge])
            tree.words[node * NODE_WORDS + CHILDREN + edge] = np.uint32(child)
        return child

    @kernel
    def begin(tree):
        """Nothing has to be done before an iteration."""

    @kernel
    def stand(tree, node):
        """Count the iteration, so that exploration still grows here and the open edges get proven in the end."""
        tree.words[node * NODE_WORDS + TOTAL] += np.uint32(1)

    @kernel
    def descend(tree, node, state, edge, ply):
        """(child, state) after the move of that edge; child 0 where it is a leaf."""
        tree.path[2 * ply] = node
        tree.path[2 * ply + 1] = edge
        state = game.play(state, edge)
        return expand(tree, node, edge, state), state

    @kernel
    def evaluate(tree, node, state, edge, depth):
        """A leaf ends the iteration by its value, a proven node by its score; every other one is descended from."""
        flags = tree.control[FLAGS]
        if node == 0:
            value, score = game.leaf_value(state, edge, tree.game_words)
            if not flags & FLAG_ROLLOUT_PROOFS:
                score = UNPROVEN
        else:
            score = np.int64(tree.halves[node * NODE_HALVES + NODE_SCORE])
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
        visits = tree.words[node * NODE_WORDS + VISITS + edge] + np.uint32(1)
        tree.words[node * NODE_WORDS + VISITS + edge] = visits
        tree.words[node * NODE_WORDS + TOTAL] += np.uint32(1)
        if score != UNPROVEN:
            return close_edge(tree, node, edge, score)
        mean = tree.means[node * NODE_WORDS + MEANS + edge]
        tree.means[node * NODE_WORDS + MEANS + edge] = mean_with(mean, visits, value)
        return UNPROVEN

    @kernel
    def count_root(tree, value, score):
        """The root's edges hold all that is known of it."""

    @kernel
    def open_moves(tree):
        """How many of the root's edges are unproven."""
        return bit_count(np.uint64(tree.halves[tree.control[ROOT] * NODE_HALVES + OPEN]))

    @kernel
    def has_draw(tree):
        """Whether an edge of the root is a proven draw."""
        return tree.halves[tree.control[ROOT] * NODE_HALVES + NODE_FLAGS] & HAS_DRAW != 0

    @kernel
    def is_proven(tree):
        """Whether the root is."""
        return tree.halves[tree.control[ROOT] * NODE_HALVES + NODE_SCORE] != UNPROVEN

    kernels = TreeKernels(
        begin, select, stand, descend, evaluate, moves_again, count_move, count_root, open_moves, has_draw, is_proven
    )

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
        if (tree.halves[root * NODE_HALVES + OPEN] >> edge) & 1:
            close_edge(tree, root, edge, score)

    return prepare_root, make_search(game, kernels, ITERATIONS_A_CLOCK_CHECK), prove_move
