"""UCT for any game whose kernels follow the contract below: select, expand, roll out, back up, prove.

`make_uct(game)` closes over a game *module* (numba's disk cache recognises that; it does not recognise
functions passed as values) and returns the kernel `search(tree)`. The module supplies

    EDGES                                 greatest number of moves, and edges of a node
    load_root(positions, offset)          -> state of the root; a state is a tuple of values
    play(state, edge)                     -> state after that legal move, seen by the other side
    position_hash(state)                  -> uint64; equal for equal positions reached in any order
    survey(state, policy)                 -> (score, legal, reserved): the proven score of the position or 0, the
                                          moves worth searching (bit mask) and those of them to try last
    rollout(state, edge, policy, control) -> (value, score); the result for the side to move (-1, 0, 1), and its
                                          proven score when every move on the way was forced, else 0; edge is the
                                          move that led to the state

Values are always seen by the side to move at the node that stores them. Sources: UCT, Kocsis and Szepesvari
2006; PUCT in the form of Silver et al. 2017 with uniform priors; proofs, Winands, Bjornsson and Saito 2008
(MCTS-Solver), here with draws and distances; shared subtrees with statistics on edges, Childs, Brodeur and
Kocsis 2008 (UCT1).
"""

import numpy as np

from bot.kernels.edge_vectors import at_least, at_most, best_edge, load_counts, load_means, same_for_all, square_root
from bot.kernels.kernel import kernel
from bot.kernels.logarithm import natural_log
from bot.search.scores import NEVER, PROVEN_DRAW, UNPROVEN

from ..loop import make_search
from .layout import (
    CLOSED_MEAN,
    EXPAND_VISITS,
    EXPLORATION,
    FIRST_PLAY,
    FLAG_DRAW_PROOFS,
    FLAG_PROOFS,
    FLAG_RELATIVE_FIRST_PLAY,
    FLAG_ROLLOUT_PROOFS,
    FLAG_SHARE,
    FLAG_UCB1,
    FLAGS,
    MAX_DEPTH,
    PROBE_ROOT,
    RESERVE_MEAN,
    ROLLOUT_POLICY,
    ROOT,
    TREE_POLICY,
    NodeLayout,
)
from .tree import make_tree

ITERATIONS_A_CLOCK_CHECK = 64
HAS_DRAW = 1  # node flag: one edge is a proven draw
STAND_ON_DRAW = -1  # select's answer: the proven draw is better than any open edge looks
MAX_BONUS = np.float32(900)  # keeps open edges' keys inside 32 bits and above CLOSED_MEAN's


def make_uct(game):
    """Kernels (tree_at, prepare_root, search, prove_move) of the UCT for one game."""
    edges = game.EDGES
    layout = NodeLayout(edges)
    words, halves = layout.words, layout.halves
    mean_word, child_word, score_half = layout.mean_word, layout.child_word, layout.score_half
    total_word, prior_word = layout.total_word, layout.prior_word
    node_score_half, open_half, flags_half = layout.node_score_half, layout.open_half, layout.flags_half
    tree_at, allocate, probe, store, prefetch_slot, fill_node, forget_all, reroot = make_tree(edges)

    @kernel
    def puct_key(tree, node, scale):
        """best_edge of mean + scale / (1 + visits)."""
        visits = load_counts(tree.words, node * words, edges)
        means = load_means(tree.means, node * words + mean_word, edges)
        bonus = same_for_all(scale, means) / (same_for_all(np.float32(1), means) + visits)
        return best_edge(means + at_most(bonus, same_for_all(MAX_BONUS, means)))

    @kernel
    def ucb1_key(tree, node, scale):
        """best_edge of mean + sqrt(scale / visits)."""
        means = load_means(tree.means, node * words + mean_word, edges)
        visits = at_least(load_counts(tree.words, node * words, edges), same_for_all(np.float32(1), means))
        return best_edge(means + square_root(same_for_all(scale, means) / visits))

    @kernel
    def select(tree, node):
        """The edge to descend, or STAND_ON_DRAW. The node is unproven, so at least one edge is open."""
        total = np.float32(tree.words[node * words + total_word])
        exploration = np.float32(tree.settings[EXPLORATION])
        if tree.control[FLAGS] & FLAG_UCB1:
            spread = exploration * exploration * natural_log(max(total, np.float32(1)))
            key = ucb1_key(tree, node, spread)
        else:
            prior = tree.means[node * words + prior_word]
            key = puct_key(tree, node, exploration * prior * np.sqrt(total + np.float32(1)))
        if key < 0 and tree.halves[node * halves + flags_half] & HAS_DRAW:
            return STAND_ON_DRAW
        return 15 - (key & 15)

    @kernel
    def make_node(tree, state, estimate):
        """The node of a position: the one that exists already where subtrees are shared, else a new one; 0 if full.

        estimate is what the parent's visits say of the position's value for the side to move in it.
        """
        position_hash = game.position_hash(state)
        shared = tree.control[FLAGS] & FLAG_SHARE
        if shared:
            prefetch_slot(tree, position_hash)  # the survey hides the table's cache miss
        score, legal, reserved = game.survey(state, tree.control[TREE_POLICY])
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
    def value_of_score(score):
        return np.float32(0) if score == PROVEN_DRAW else np.float32(1) if score > 0 else np.float32(-1)

    @kernel
    def score_one_ply_up(score):
        """A child's proven score seen from the move that leads to it."""
        return PROVEN_DRAW if score == PROVEN_DRAW else 1 - score if score > 0 else -1 - score

    @kernel
    def backup(tree, depth, value, score):
        """Carry a result up the path; value and score are for the side to move at the path's end."""
        while depth > 0:
            depth -= 1
            node = tree.path[2 * depth]
            edge = tree.path[2 * depth + 1]
            value = -value
            visits = tree.words[node * words + edge] + np.uint32(1)
            tree.words[node * words + edge] = visits
            tree.words[node * words + total_word] += np.uint32(1)
            if score != 0:
                score = close_edge(tree, node, edge, score_one_ply_up(score))
                if score != 0:
                    value = value_of_score(score)
            else:
                mean = tree.means[node * words + mean_word + edge]
                if visits == 1:
                    mean = np.float32(0)
                tree.means[node * words + mean_word + edge] = mean + (value - mean) / np.float32(visits)

    @kernel
    def simulate(tree, root_state):
        """One iteration: descend to a leaf or a proven node, evaluate it, back the result up."""
        flags = tree.control[FLAGS]
        node = tree.control[ROOT]
        state = root_state
        depth = 0
        value = np.float32(0)
        score = 0
        while True:
            edge = select(tree, node)
            if edge == STAND_ON_DRAW:
                # Counted, so that exploration still grows here and the open edges get proven in the end.
                tree.words[node * words + total_word] += np.uint32(1)
                break
            tree.path[2 * depth] = node
            tree.path[2 * depth + 1] = edge
            depth += 1
            state = game.play(state, edge)
            child = child_of(tree, node, edge, state)
            if child == 0:
                result, score = game.rollout(state, edge, tree.control[ROLLOUT_POLICY], tree.random)
                value = np.float32(result)
                if not flags & FLAG_ROLLOUT_PROOFS:
                    score = 0
                break
            score = np.int64(tree.halves[child * halves + node_score_half])
            if score != 0:
                value = value_of_score(score)
                break
            node = child
        if not flags & FLAG_PROOFS or (score == PROVEN_DRAW and not flags & FLAG_DRAW_PROOFS):
            score = 0
        tree.control[MAX_DEPTH] = max(tree.control[MAX_DEPTH], depth)
        backup(tree, depth, value, score)

    @kernel
    def is_decided(tree):
        """Whether at most one move is left to choose among, so that more search cannot change the choice."""
        root = tree.control[ROOT]
        still_open = tree.halves[root * halves + open_half]
        return still_open & (still_open - 1) == 0 and not tree.halves[root * halves + flags_half] & HAS_DRAW

    @kernel
    def is_proven(tree):
        return tree.halves[tree.control[ROOT] * halves + node_score_half] != UNPROVEN

    search = make_search(game, simulate, is_proven, is_decided, ITERATIONS_A_CLOCK_CHECK)

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
