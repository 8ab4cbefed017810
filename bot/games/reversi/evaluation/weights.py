"""Kernels that make weights ready to use, and those that tell a training what the evaluation sees.

A weights file has one weight for each unique content of a shape at a few numbers of discs (weights/pattern_set.py).
Search wants a table with a weight for every content, so for every STAGE_DISCS discs one is made, between two knots in
proportion. While that lasts, and for `pattern_indices`, the room of the table of positions is used for other things.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, bytes_at, int16s_at, int32s_at, words_at

from ..memory.layout import (
    FEATURES_OFFSET,
    FIRST_DISCS,
    KNOT_DISCS,
    KNOTS,
    LEAST_TABLE_BYTES,
    SCRATCH_OFFSET,
    STAGE_DISCS,
    STAGES,
    STEPS,
    TABLE_OFFSET,
    TABLE_WORDS,
    TRAINED,
    UNFOLDED_OFFSET,
    UNIQUE_OFFSET,
    WEIGHTS_OFFSET,
)
from ..memory.views import control_at
from ..weights.pattern_set import (
    CONSTANT,
    CONTENTS,
    FIRST_CONTENTS,
    FIRST_UNIQUE,
    LANE_FEATURES,
    LENGTHS,
    MIRRORS,
    TABLE_WEIGHTS,
    UNIQUE_WEIGHTS,
    WEIGHTS_A_POSITION,
    WEIGHTS_PER_DISC,
)
from .patterns import set_features

_SHAPES = len(LENGTHS)
_CONTENTS = np.array(CONTENTS)
_FIRST_CONTENTS = np.array(FIRST_CONTENTS)
_FIRST_UNIQUE = np.array(FIRST_UNIQUE)
# By shape and place of a square in its order: 3 to the power of its place in the mirror's order.
_MIRRORED_POWERS = np.array(
    [[3 ** mirror.index(place) if place < len(mirror) else 0 for place in range(max(LENGTHS))] for mirror in MIRRORS]
)
_LANE_ORIGINS = np.array([FIRST_CONTENTS[shape] + CONTENTS[shape] // 2 for shape, _ in LANE_FEATURES])
_FIXED_BITS = 16
_FIXED_ONE = 1 << _FIXED_BITS
_LARGEST, _SMALLEST = 32767, -32768


@kernel
def number_unique(base):
    """Write which unique weight belongs to each place of a table: int32[TABLE_WEIGHTS] at UNIQUE_OFFSET.

    A content read in its mirror's order is a sum over its digits, so it follows from a content with one disc fewer.
    """
    unique, mirrored = int32s_at(base, UNIQUE_OFFSET), int32s_at(base, SCRATCH_OFFSET)
    for shape in range(_SHAPES):
        first, number = _FIRST_CONTENTS[shape], _FIRST_UNIQUE[shape]
        mirrored[0] = 0
        place, power = 0, 1
        for content in range(_CONTENTS[shape]):
            if content > 0:
                if content == 3 * power:
                    place, power = place + 1, content
                mirrored[content] = mirrored[content - power] + _MIRRORED_POWERS[shape, place]
            if mirrored[content] < content:
                unique[first + content] = unique[first + np.int64(mirrored[content])]
            else:
                unique[first + content] = number
                number += 1


@kernel
def unfold(base):
    """Write the weights that pattern_set.pack_weights folded: int16[knots * UNIQUE_WEIGHTS] at UNFOLDED_OFFSET."""
    planes, weights = bytes_at(base, TABLE_OFFSET), int16s_at(base, UNFOLDED_OFFSET)
    count = control_at(base)[KNOTS] * UNIQUE_WEIGHTS
    for place in range(count):
        folded = np.int64(planes[place]) | np.int64(planes[count + place]) << 8
        weights[place] = (folded >> 1) ^ -(folded & 1)


@kernel
def fill_stage(base, stage):
    """Write one stage's table."""
    control = control_at(base)
    unique, own = int32s_at(base, UNIQUE_OFFSET), int16s_at(base, SCRATCH_OFFSET)
    table = int16s_at(base, WEIGHTS_OFFSET + 2 * TABLE_WORDS * stage)
    # Twice the discs, as a stage of two numbers of discs lies between them.
    middle = 2 * (FIRST_DISCS + STAGE_DISCS * stage) + STAGE_DISCS - 1
    above = 0
    while above < control[KNOTS] - 1 and 2 * control[KNOT_DISCS + above] < middle:
        above += 1
    below = max(above - 1, 0)
    gap = max(2 * (control[KNOT_DISCS + above] - control[KNOT_DISCS + below]), 1)
    share = min(max(middle - 2 * control[KNOT_DISCS + below], 0), gap)
    factor_above = _FIXED_ONE * WEIGHTS_PER_DISC * share // (gap * control[STEPS])
    factor_below = _FIXED_ONE * WEIGHTS_PER_DISC // control[STEPS] - factor_above
    lower = int16s_at(base, UNFOLDED_OFFSET + 2 * UNIQUE_WEIGHTS * below)
    upper = int16s_at(base, UNFOLDED_OFFSET + 2 * UNIQUE_WEIGHTS * above)
    for number in range(UNIQUE_WEIGHTS):
        weight = (lower[number] * factor_below + upper[number] * factor_above + _FIXED_ONE // 2) >> _FIXED_BITS
        own[number] = min(max(weight, _SMALLEST), _LARGEST)
    for place in range(TABLE_WEIGHTS):
        table[place] = own[np.int64(unique[place])]
    table[TABLE_WEIGHTS], table[TABLE_WEIGHTS + 1] = own[CONSTANT], own[CONSTANT + 1]


@kernel
def prepare(base):
    """Make the weights in the table's room ready where control[KNOTS] says there are any; the table is empty then."""
    control = control_at(base)
    if control[KNOTS] > 0:
        number_unique(base)
        unfold(base)
        for stage in range(STAGES):
            fill_stage(base, stage)
        room = words_at(base, TABLE_OFFSET)
        for place in range(LEAST_TABLE_BYTES // 8):
            room[place] = 0
    control[TRAINED] = control[KNOTS] > 0


@kernel
def list_unique(base, positions, results, count):
    """Write for each of `count` positions the unique weights of its features, in the order of the lanes.

    positions: address of uint64[count, 2], the mover's discs and the other's; results: address of
    int32[count, WEIGHTS_A_POSITION], the last one the constant. Only for a memory that does not search.
    """
    number_unique(base)
    unique, features = int32s_at(base, UNIQUE_OFFSET), int16s_at(base, FEATURES_OFFSET)
    boards, numbers = words_at(positions, 0), int32s_at(results, 0)
    for index in range(count):
        own, opponent = boards[2 * index], boards[2 * index + 1]
        set_features(base + FEATURES_OFFSET, own, opponent)
        first = WEIGHTS_A_POSITION * index
        for lane in range(WEIGHTS_A_POSITION - 1):
            numbers[first + lane] = unique[_LANE_ORIGINS[lane] + features[lane]]
        numbers[first + WEIGHTS_A_POSITION - 1] = CONSTANT + (bit_count(own | opponent) & 1)
