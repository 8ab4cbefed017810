"""Proven scores (search/scores.py) on their way up a tree, and what a result does to a mean. Kernels."""

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.scores import PROVEN_DRAW, UNPROVEN


@kernel
def value_of_score(score):
    """-1, 0 or 1 (float32) for a proven score."""
    return np.float32(0) if score == PROVEN_DRAW else np.float32(1) if score > 0 else np.float32(-1)


@kernel
def score_of_move(score, again):
    """A position's score for the side to move in it, as the score of the move that leads there for who makes it.

    again: whether that is the same side.
    """
    if score == PROVEN_DRAW:
        return score
    later = score - 1 if score > 0 else score + 1
    return later if again else -later


@kernel
def score_of_position(score, again):
    """What score_of_move was made of; UNPROVEN stays."""
    if score == PROVEN_DRAW or score == UNPROVEN:
        return score
    sooner = score + 1 if score > 0 else score - 1
    return sooner if again else -sooner


@kernel
def mean_with(mean, visits, value):
    """The mean (float32) of so many results, the last of them `value`, from that of the others.

    visits: uint32; before the first result the mean is the first-play value, which counts no more.
    """
    before = mean if visits > np.uint32(1) else np.float32(0)
    return before + (value - before) / np.float32(visits)
