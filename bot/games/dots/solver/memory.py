"""The solver's memory as its kernels see it: pointers to what lies at fixed offsets from its address.

Pointers, not arrays: an index is used as it is, where an array would first ask whether it counts from the end.
"""

from numba import types

from bot.kernels.kernel import kernel
from bot.kernels.machine import define_pointer_to

from .layout import (
    FRAME_WORDS,
    FRAMES_OFFSET,
    LENGTHS_OFFSET,
    POSITION_OFFSET,
    SURVEY_BYTES,
    SURVEYS_OFFSET,
    TABLE_OFFSET,
    TURN_OFFSET,
)

_int64_pointer = define_pointer_to(types.int64)
_uint16_pointer = define_pointer_to(types.uint16)
_int16_pointer = define_pointer_to(types.int16)
_uint64_pointer = define_pointer_to(types.uint64)


@kernel
def control_at(base):
    """The control fields: pointer to int64."""
    return _int64_pointer(base)


@kernel
def control_words_at(base):
    """The same as uint64: the board's words are among them."""
    return _uint64_pointer(base)


@kernel
def frame_at(base, depth):
    """The fields of a frame: pointer to int64."""
    return _int64_pointer(base + FRAMES_OFFSET + 8 * FRAME_WORDS * depth)


@kernel
def frame_words_at(base, depth):
    """The same as uint64: the edges and the key are among them."""
    return _uint64_pointer(base + FRAMES_OFFSET + 8 * FRAME_WORDS * depth)


@kernel
def lengths_at(base):
    """Room of loony.py: pointer to int64."""
    return _int64_pointer(base + LENGTHS_OFFSET)


@kernel
def survey_at(base, room):
    """The fields of survey 0 or 1: pointer to int64."""
    return _int64_pointer(base + SURVEYS_OFFSET + SURVEY_BYTES * room)


@kernel
def survey_words_at(base, room):
    """The same as uint64: boxes, edges and terms are among them."""
    return _uint64_pointer(base + SURVEYS_OFFSET + SURVEY_BYTES * room)


@kernel
def table_at(base):
    """The table of table.py: pointer to uint64."""
    return _uint64_pointer(base + TABLE_OFFSET)


@kernel
def position_at(base):
    """The position asked about, as turns.load_root reads it: pointer to uint16."""
    return _uint16_pointer(base + POSITION_OFFSET)


@kernel
def turn_at(base):
    """The edges of the turn found: pointer to int16."""
    return _int16_pointer(base + TURN_OFFSET)
