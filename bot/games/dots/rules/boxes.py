"""Boxes by how many of their edges are drawn, all at once: words of board.py in and out. Kernels."""

from bot.kernels.kernel import kernel


@kernel
def complete(horizontal, vertical, boxes):
    """The boxes of which all four edges are drawn; edges are uint64 words of drawn ones."""
    return horizontal & (horizontal >> 8) & vertical & (vertical >> 1) & boxes


@kernel
def with_three(horizontal, vertical, boxes):
    """The boxes that one more edge completes."""
    below, right = horizontal >> 8, vertical >> 1
    both_across, one_across = horizontal & below, horizontal ^ below
    both_beside, one_beside = vertical & right, vertical ^ right
    return (both_across & one_beside | both_beside & one_across) & boxes


@kernel
def with_two(horizontal, vertical, boxes):
    """The boxes of which two edges are drawn: one more makes a gift of them."""
    below, right = horizontal >> 8, vertical >> 1
    both_across, some_across = horizontal & below, horizontal | below
    both_beside, some_beside = vertical & right, vertical | right
    one_each = (horizontal ^ below) & (vertical ^ right)
    return (both_across & ~some_beside | both_beside & ~some_across | one_each) & boxes


@kernel
def edges_around(of_boxes):
    """(horizontal, vertical): every edge of some of these boxes."""
    return of_boxes | of_boxes << 8, of_boxes | of_boxes << 1
