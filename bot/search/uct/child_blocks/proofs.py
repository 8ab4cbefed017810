"""Results in a tree of search.py: as values, as proven scores, as what one of them says of the node above. Kernels.

A node's score is that of the move that leads to it, for the side that made the move (layout.py); a position's own
is for the side to move in it, and counts plies from there. The root's is its own.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE

from .layout import GREATEST_MARGIN, HAS_DRAW, MARGIN_SHARE


@kernel
def value_of_margin(tree, margin):
    """-1..1: the result, and as much of the margin as the settings want."""
    result = np.float64(1) if margin > 0 else np.float64(-1) if margin < 0 else np.float64(0)
    share = tree.settings[MARGIN_SHARE]
    return np.float32((1 - share) * result + share * (np.float64(margin) / np.float64(tree.control[GREATEST_MARGIN])))


@kernel
def score_of_margin(margin):
    """The proven score of a position whose result is known to be there."""
    return WIN_BASE if margin > 0 else -WIN_BASE if margin < 0 else PROVEN_DRAW


@kernel
def settled_by(tree, node, child):
    """The score that a node has for its side to move now that `child` is proven; UNPROVEN while that leaves it open."""
    score = np.int64(tree.scores[child])
    if score > PROVEN_DRAW:
        return score
    if score == PROVEN_DRAW:
        tree.flags[node] |= HAS_DRAW
    first = np.int64(tree.first_child[node])
    best = score
    for other in range(first, first + tree.counts[node]):
        known = np.int64(tree.scores[other])
        if known == UNPROVEN:
            return UNPROVEN
        best = max(best, known)
    return best
