"""The solver's memory as its kernels see it: pointers to what lies at fixed offsets from its address (layout.py)."""

from bot.kernels.kernel import kernel
from bot.kernels.machine import int16s_at, numbers_at, uint16s_at, words_at

from .layout import (
    FRAME_WORDS,
    FRAMES_OFFSET,
    LENGTHS_OFFSET,
    POSITION_OFFSET,
    SURVEY_BYTES,
    SURVEYS_OFFSET,
    TURN_OFFSET,
)


@kernel
def control_at(base):
    """The control fields: pointer to int64."""
    return numbers_at(base, 0)


@kernel
def control_words_at(base):
    """The same as uint64: the board's words are among them."""
    return words_at(base, 0)


@kernel
def frame_at(base, depth):
    """The fields of a frame: pointer to int64."""
    return numbers_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * depth)


@kernel
def frame_words_at(base, depth):
    """The same as uint64: the edges and the key are among them."""
    return words_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * depth)


@kernel
def lengths_at(base):
    """Room of loony.py: pointer to int64."""
    return numbers_at(base, LENGTHS_OFFSET)


@kernel
def survey_at(base, room):
    """The fields of survey 0 or 1: pointer to int64."""
    return numbers_at(base, SURVEYS_OFFSET + SURVEY_BYTES * room)


@kernel
def survey_words_at(base, room):
    """The same as uint64: boxes, edges and terms are among them."""
    return words_at(base, SURVEYS_OFFSET + SURVEY_BYTES * room)


@kernel
def position_at(base):
    """The position asked about, as turns.load_root reads it: pointer to uint16."""
    return uint16s_at(base, POSITION_OFFSET)


@kernel
def turn_at(base):
    """The edges of the turn found: pointer to int16."""
    return int16s_at(base, TURN_OFFSET)
