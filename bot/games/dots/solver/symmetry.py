"""Positions that are one: the board turned and turned over, and the two border edges of a corner. Kernels.

Edges are words of rules/board.py, of boards that begin at bit 0; the number of an image is 0..7: its bits say whether
rows and columns change places (4, done first), left and right (2), top and bottom (1).
"""

import numpy as np

from bot.kernels.kernel import kernel

_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_SEVEN = np.uint64(7)


@kernel
def _top_down(word):
    """The eight lines of a word in the opposite order."""
    word = ((word >> _EIGHT) & np.uint64(0x00FF00FF00FF00FF)) | ((word & np.uint64(0x00FF00FF00FF00FF)) << _EIGHT)
    word = ((word >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)) | (
        (word & np.uint64(0x0000FFFF0000FFFF)) << np.uint64(16)
    )
    return word >> np.uint64(32) | word << np.uint64(32)


@kernel
def _left_right(word):
    """The bits of every line in the opposite order."""
    word = ((word >> _ONE) & np.uint64(0x5555555555555555)) | ((word & np.uint64(0x5555555555555555)) << _ONE)
    word = ((word >> np.uint64(2)) & np.uint64(0x3333333333333333)) | (
        (word & np.uint64(0x3333333333333333)) << np.uint64(2)
    )
    return ((word >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)) | (
        (word & np.uint64(0x0F0F0F0F0F0F0F0F)) << np.uint64(4)
    )


@kernel
def _transposed(word):
    """Lines and places change places."""
    moved = (word ^ (word >> _SEVEN)) & np.uint64(0x00AA00AA00AA00AA)
    word ^= moved ^ (moved << _SEVEN)
    moved = (word ^ (word >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    word ^= moved ^ (moved << np.uint64(14))
    moved = (word ^ (word >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return word ^ moved ^ (moved << np.uint64(28))


@kernel
def image_of(horizontal, vertical, rows, columns, image):
    """(horizontal, vertical) of an image; rows and columns may only change places on a square board."""
    if image & 4:
        horizontal, vertical = _transposed(vertical), _transposed(horizontal)
    if image & 1:
        horizontal = _top_down(horizontal) >> np.uint64(8 * (7 - rows))
        vertical = _top_down(vertical) >> np.uint64(8 * (8 - rows))
    if image & 2:
        horizontal = _left_right(horizontal) >> np.uint64(8 - columns)
        vertical = _left_right(vertical) >> np.uint64(7 - columns)
    return horizontal, vertical


@kernel
def _with_strips_normalized(horizontal, vertical, rows, columns):
    """On a board of one row (or column) every box has two such edges: the upper (left) one is drawn first."""
    if rows == 1:
        moved = (horizontal >> _EIGHT) & ~horizontal & np.uint64(0xFF)
        horizontal = (horizontal | moved) ^ moved << _EIGHT
    if columns == 1:
        moved = (vertical >> _ONE) & ~vertical & np.uint64(0x0101010101010101)
        vertical = (vertical | moved) ^ moved << _ONE
    return horizontal, vertical


@kernel
def with_corners_normalized(horizontal, vertical, rows, columns):
    """The same position with the horizontal one drawn wherever one of a corner's two border edges is.

    Both lead from the corner's box to nothing, so that nothing tells them apart.
    """
    low, high = np.uint64(8 * rows), np.uint64(columns - 1)
    if rows == 1 or columns == 1:
        horizontal, vertical = _with_strips_normalized(horizontal, vertical, rows, columns)
    moved = vertical & ~horizontal & _ONE
    horizontal, vertical = horizontal | moved, vertical ^ moved
    moved = (vertical >> _ONE) & ~horizontal & _ONE << high
    horizontal, vertical = horizontal | moved, vertical ^ moved << _ONE
    moved = (vertical << _EIGHT) & ~horizontal & _ONE << low
    horizontal, vertical = horizontal | moved, vertical ^ moved >> _EIGHT
    moved = (vertical << _SEVEN) & ~horizontal & _ONE << (low + high)
    horizontal, vertical = horizontal | moved, vertical ^ moved >> _SEVEN
    if rows == 1 or columns == 1:
        return _with_strips_normalized(horizontal, vertical, rows, columns)
    return horizontal, vertical


@kernel
def waiting_corner_edges(horizontal, rows, columns):
    """The corners' vertical edges that are not drawn before the horizontal ones, on a board that is no strip."""
    top, bottom = ~horizontal, ~horizontal >> np.uint64(8 * rows)
    left, right = _ONE, _ONE << np.uint64(columns - 1)
    return top & left | (top & right) << _ONE | (bottom & left | (bottom & right) << _ONE) << np.uint64(8 * (rows - 1))


@kernel
def normal_image(horizontal, vertical, rows, columns):
    """(horizontal, vertical) of all images, corners normalized, the one with the smallest words."""
    best_horizontal, best_vertical = with_corners_normalized(horizontal, vertical, rows, columns)
    for image in range(1, 8 if rows == columns else 4):
        across, beside = image_of(horizontal, vertical, rows, columns, image)
        across, beside = with_corners_normalized(across, beside, rows, columns)
        if across < best_horizontal or (across == best_horizontal and beside < best_vertical):
            best_horizontal, best_vertical = across, beside
    return best_horizontal, best_vertical
