"""Which child of a node a descent of search.py takes: UCB1 or PUCT, with AMAF, thresholds and proofs. Kernels."""

import numpy as np

from bot.kernels.arithmetic import natural_log
from bot.kernels.kernel import kernel
from bot.search.scores import UNPROVEN

from ..loop import STAND_ON_DRAW
from .layout import ALPHA, EXPLORATION, FLAG_AMAF, FLAG_UCB1, FLAGS, HAS_DRAW, SIM_MIN


@kernel
def weigh_children(tree, node):
    """Write to tree.keys what each child of a node is worth a visit, proven ones too."""
    first, count = np.int64(tree.first_child[node]), np.int64(tree.counts[node])
    total = np.float32(tree.visits[node])
    exploration = np.float32(tree.settings[EXPLORATION])
    keys, means, visits = tree.keys[:count], tree.means[first : first + count], tree.visits[first : first + count]
    if tree.control[FLAGS] & FLAG_UCB1:
        scale = exploration * exploration * natural_log(max(total, np.float32(1)))
        for place in range(count):
            keys[place] = means[place] + np.sqrt(scale / max(np.float32(visits[place]), np.float32(1)))
    else:
        scale = exploration / np.float32(count) * np.sqrt(total + np.float32(1))
        for place in range(count):
            keys[place] = means[place] + scale / (np.float32(1) + np.float32(visits[place]))
    if tree.control[FLAGS] & FLAG_AMAF:
        alpha = np.float32(tree.settings[ALPHA])
        amaf_means = tree.amaf_means[first : first + count]
        for place in range(count):
            keys[place] += alpha * (amaf_means[place] - means[place])


@kernel
def poorest_child(tree, node):
    """The open child with the fewest visits where these are below SIM_MIN, else 0."""
    first = np.int64(tree.first_child[node])
    poorest, fewest = np.int64(0), tree.control[SIM_MIN]
    for child in range(first, first + tree.counts[node]):
        if tree.visits[child] < fewest and tree.scores[child] == UNPROVEN:
            poorest, fewest = child, np.int64(tree.visits[child])
    return poorest


@kernel
def select(tree, node):
    """The child to descend to, or STAND_ON_DRAW. The node is unproven and has children, so at least one is open."""
    if tree.control[SIM_MIN] > 0:
        poorest = poorest_child(tree, node)
        if poorest != 0:
            return poorest
    weigh_children(tree, node)
    first = np.int64(tree.first_child[node])
    best, best_key = np.int64(0), np.float32(-3e38)
    for place in range(np.int64(tree.counts[node])):
        if tree.keys[place] > best_key and tree.scores[first + place] == UNPROVEN:
            best, best_key = first + place, tree.keys[place]
    if best_key < 0 and tree.flags[node] & HAS_DRAW:
        return STAND_ON_DRAW
    return best
