"""The search's memory as its kernels see it: pointers to what lies at fixed offsets from its address (layout.py)."""

from bot.kernels.kernel import kernel
from bot.kernels.machine import numbers_at, words_at

from .layout import FRAME_WORDS, FRAMES_OFFSET


@kernel
def control_at(base):
    """The control fields: pointer to int64."""
    return numbers_at(base, 0)


@kernel
def frame_at(base, ply):
    """The fields of a frame: pointer to int64."""
    return numbers_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * ply)


@kernel
def frame_words_at(base, ply):
    """The same as uint64: discs and keys are among them."""
    return words_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * ply)
