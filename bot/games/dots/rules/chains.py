"""What a position without a takeable box falls into: chains, loops, and what is neither yet. Kernels.

A box with two edges drawn can only be taken together with the boxes of its chain: those with two edges drawn that it
reaches through free edges. A chain stands alone if both its ends are the board's border; other ends are boxes with
fewer edges drawn.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count

from .boxes import complete, edges_around, with_three
from .turns import double_cross, take_all

_EIGHT = np.uint64(8)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@kernel
def chain_of(seed, two, free_across, free_beside):
    """(boxes, all that its free edges lead to): the chain of a box; `two` are the boxes with two edges drawn."""
    chain = seed
    while True:
        beyond = (
            (chain << _ONE) & free_beside
            | (chain & free_beside) >> _ONE
            | (chain << _EIGHT) & free_across
            | (chain & free_across) >> _EIGHT
        )
        grown = chain | beyond & two
        if grown == chain:
            return chain, beyond
        chain = grown


@kernel
def after_opening(horizontal, vertical, across, beside, boxes):
    """(horizontal, vertical) after a chain's edges have been drawn, and what becomes takeable by that.

    Only a box that the chain leaves and comes back to, and what hangs on it, can.
    """
    horizontal, vertical = horizontal | across, vertical | beside
    if with_three(horizontal, vertical, boxes) != _NONE:
        horizontal, vertical, _ = take_all(horizontal, vertical, boxes)
    return horizontal, vertical


@kernel
def boxes_left(horizontal, vertical, boxes):
    """How many boxes are not complete."""
    return bit_count(boxes & ~complete(horizontal, vertical, boxes))


@kernel
def taken_and_left(horizontal, vertical, boxes):
    """(horizontal, vertical, taken, left): after everything takeable has been taken, how many boxes that were, and how
    many of them could be left to the other side by a double-cross (0, 2 or 4).

    With v the value of what remains for who is to move there, the position is worth taken + v, or
    taken - left + |v + left| where some can be left.
    """
    across, beside, taken = take_all(horizontal, vertical, boxes)
    left = np.int64(0)
    if taken >= 2:
        edge, last_across, last_beside = double_cross(horizontal, vertical, boxes)
        if edge >= 0:
            _, _, left = take_all(last_across, last_beside, boxes)
    return across, beside, taken, left


@kernel
def free_around(chain, free_across, free_beside):
    """(across, beside): the free edges of a chain's boxes."""
    across, beside = edges_around(chain)
    return across & free_across, beside & free_beside
