"""Which edge of a node a descent takes: UCB1 or PUCT over all edges at once, and proofs. Kernels."""

import numpy as np

from bot.kernels.arithmetic import natural_log
from bot.kernels.kernel import kernel
from bot.kernels.lanes import at_least, at_most, best_edge, load_counts, load_means, same_for_all, square_root

from ..loop import STAND_ON_DRAW
from .layout import EXPLORATION, FLAG_UCB1, FLAGS, HAS_DRAW

MAX_BONUS = np.float32(900)  # keeps open edges' keys inside 32 bits and above CLOSED_MEAN's


def make_select(layout):
    """The kernel select(tree, node) for nodes of that NodeLayout."""
    edges, words, halves = layout.edges, layout.words, layout.halves
    mean_word, total_word, prior_word = layout.mean_word, layout.total_word, layout.prior_word
    flags_half = layout.flags_half

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

    return select
