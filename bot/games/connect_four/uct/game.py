"""Connect four as search/uct/edge_nodes/search.py asks for it: the rules as the tree has them, and a leaf's value."""

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.scores import UNPROVEN

from ..evaluation.network import evaluate, network_at
from ..rules.board import NETWORK, NETWORK_SHARE, WHOLE_SHARE
from ..rules.position import EDGES, assess, load_root, play, position_hash
from .rollout import rollout

__all__ = ["EDGES", "load_root", "play", "position_hash", "rollout", "leaf_value", "assess"]


@kernel
def leaf_value(state, played, policy, control):
    """(value, score) of a leaf: a rollout's, with the network's share of the value where nothing is proven."""
    result, score = rollout(state, played, policy, control)
    value = np.float32(result)
    if score == UNPROVEN and control[NETWORK_SHARE] != 0:
        share = np.float32(np.int64(control[NETWORK_SHARE])) / np.float32(WHOLE_SHARE)
        learnt = evaluate(network_at(np.int64(control[NETWORK])), state)
        value = (np.float32(1) - share) * value + share * learnt
    return value, score
