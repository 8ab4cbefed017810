"""The steps of a narrow tree's search: select, expand, evaluate, back up. For games of at most 12 moves.

search/uct/search.py has the loop that calls these kernels. A move is the number of an edge. A node holds the statistics
of its edges, and a position that several move orders lead to may have one shared node. Sides take turns. Values and
scores are for the side to move at the node that stores them (layout.py).

`make_uct(game)` closes over a game *module*. A state is a tuple of values, seen by the side to move. `words` are the
tree's game words, which only the game reads and writes. The module supplies

    load_root(positions, offset)      -> state of the position at uint16 positions[offset:]
    play(state, edge)                 -> state after that legal move
    position_hash(state)              -> uint64; equal for equal positions, whatever move order leads to them
    assess(state, words)              -> (score, legal, reserved): the proven score of the position or 0, a bit mask of
                                      the moves worth searching, and a bit mask of those of them to try last
    leaf_value(state, edge, words)    -> (value, score): float32, -1..1, and the leaf's proven score if one was found,
                                      else 0; `edge` is the move that has led to the state
    write_factors(state, legal, words, share, factors, offset)
                                      write to float32 factors[offset:][:EDGES] what the even prior of each move is
                                      multiplied by; `legal` is a bit mask of the moves worth searching, and `share`
                                      is how much of a prior does not stay even

Sources: PUCT in the form of Silver et al. 2017, with even priors in nodes of few visits; shared subtrees with
statistics on edges, Childs, Brodeur and Kocsis 2008 (UCT1).
"""

import numpy as np

from bot.kernels.arithmetic import natural_log
from bot.kernels.kernel import kernel
from bot.kernels.lanes import at_least, at_most, best_edge, load_counts, load_means, same_for_all, square_root
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
    FACTORS,
    HAS_DRAW,
    MEANS,
    NODE_FLAGS,
    NODE_HALVES,
    NODE_SCORE,
    NODE_WORDS,
    OPEN,
    PRIOR,
    PRIOR_SHARE,
    PRIOR_VISITS,
    PROBE_ROOT,
    RESERVE_MEAN,
    SCORES,
    TOTAL,
    VISITS,
)
from .tree import allocate, fill_node, forget_all, prefetch_slot, probe, reroot, store

ITERATIONS_A_CLOCK_CHECK = 64
MAX_BONUS = np.float32(900)  # keeps the keys of open edges within 32 bits, and the key of a closed edge below them


@kernel
def puct_key(tree, node, scale):
    """Returns the best_edge() key of the scores mean + scale * factor / (1 + visits) of the node's edges.

    `scale` is float32.
    """
    visits = load_counts(tree.words, node * NODE_WORDS + VISITS, EDGES)
    means = load_means(tree.means, node * NODE_WORDS + MEANS, EDGES)
    factors = load_means(tree.means, node * NODE_WORDS + FACTORS, EDGES)
    bonus = same_for_all(scale, means) * factors / (same_for_all(np.float32(1), means) + visits)
    return best_edge(means + at_most(bonus, same_for_all(MAX_BONUS, means)))


@kernel
def ucb1_key(tree, node, scale):
    """Returns the best_edge() key of the scores mean + sqrt(scale / visits) of the node's edges. `scale` is float32."""
    means = load_means(tree.means, node * NODE_WORDS + MEANS, EDGES)
    visits = load_counts(tree.words, node * NODE_WORDS + VISITS, EDGES)
    visits = at_least(visits, same_for_all(np.float32(1), means))
    return best_edge(means + square_root(same_for_all(scale, means) / visits))


@kernel
def select(tree, node):
    """Returns the edge to descend, or STAND_ON_DRAW.

    The node must be unproven, so that at least one of its edges is open. PUCT selects the edge with the largest mean +
    EXPLORATION * PRIOR * factor * sqrt(TOTAL + 1) / (1 + visits). UCB1 selects the edge with the largest mean +
    EXPLORATION * sqrt(ln TOTAL / visits).
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
    """Store the proven score of an edge. Returns the node's own proven score if the edge settles the node, else 0."""
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
    """Returns the kernels (prepare_root, search, prove_move) of the tree search for one game."""

    @kernel
    def make_node(tree, state, estimate):
        """Returns a node for the position of `state`, or 0 if the memory is full.

        If subtrees are shared and the position has a node already, returns that node; otherwise makes a new one.
        `estimate` is the position's value for its side to move, as far as it is known from the parent's edge.
        """
        position_hash = game.position_hash(state)
        shared = tree.control[FLAGS] & FLAG_SHARE
        if shared:
            prefetch_slot(tree, position_hash)  # game.assess takes long enough to hide the table's cache miss
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
        """Returns the node below an edge, or 0 if there is none.

        If the edge has control[EXPAND_VISITS] visits and no node, makes the node. `state` is the position there.
        """
        child = np.int64(tree.words[node * NODE_WORDS + CHILDREN + edge])
        if child == 0 and tree.words[node * NODE_WORDS + VISITS + edge] >= tree.control[EXPAND_VISITS]:
            child = make_node(tree, state, -tree.means[node * NODE_WORDS + MEANS + edge])
            tree.words[node * NODE_WORDS + CHILDREN + edge] = np.uint32(child)
        return child

    @kernel
    def begin(tree):
        """Does nothing: an iteration needs no preparation."""

    @kernel
    def stand(tree, node):
        """Count the iteration in the node's TOTAL.

        So exploration grows in this node, and its open edges are proven in the end.
        """
        tree.words[node * NODE_WORDS + TOTAL] += np.uint32(1)

    @kernel
    def descend(tree, node, state, edge, ply):
        """Play the move of an edge and note the edge in the path. Returns (child, state after the move).

        `child` is the node below the edge, or 0 if that is a leaf.
        """
        if np.int64(tree.words[node * NODE_WORDS + TOTAL]) == tree.control[PRIOR_VISITS]:
            legal = np.int64(tree.halves[node * NODE_HALVES + OPEN])
            share = np.float32(tree.reals[PRIOR_SHARE])
            game.write_factors(state, legal, tree.game_words, share, tree.means, node * NODE_WORDS + FACTORS)
        tree.path[2 * ply] = node
        tree.path[2 * ply + 1] = edge
        state = game.play(state, edge)
        return expand(tree, node, edge, state), state

    @kernel
    def evaluate(tree, node, state, edge, depth):
        """Returns (whether the iteration ends here, value, score).

        The value and the score are for the side to move. The iteration ends in a leaf (`node` is 0), with the leaf's
        value, and in a proven node, with the node's score.
        """
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
        """Returns False: sides always take turns."""
        return False

    @kernel
    def count_move(tree, ply, value, score):
        """Count the result of the path's move at `ply` in its edge. A proven score closes the edge.

        Returns the proven score of the node above the edge if `score` settles that node, else UNPROVEN.
        """
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
        """Does nothing: all that is known of the root is stored in its edges."""

    @kernel
    def is_proven(tree):
        """Returns whether the root is proven."""
        return tree.halves[tree.control[ROOT] * NODE_HALVES + NODE_SCORE] != UNPROVEN

    kernels = TreeKernels(begin, select, stand, descend, evaluate, moves_again, count_move, count_root, is_proven)

    @kernel
    def prepare_root(tree, kept_root):
        """Make control[ROOT] the node of the position in tree.position.

        `kept_root` is the position's node in the kept tree, PROBE_ROOT to look for that node in the table, or 0 to
        start a new tree. Returns the node if the kept tree had it, else 0.
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
        """Close an edge of the root with a proven score that was found elsewhere. A closed edge keeps its score."""
        root = tree.control[ROOT]
        if (tree.halves[root * NODE_HALVES + OPEN] >> edge) & 1:
            close_edge(tree, root, edge, score)

    return prepare_root, make_search(game, kernels, ITERATIONS_A_CLOCK_CHECK), prove_move
