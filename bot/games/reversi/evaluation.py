"""The value of a position: by learnt weights of patterns on the 8x8 board, or by a heuristic if there are no weights.

Kernels. The contents of all features of a position (weights.py) are int16[LANES], with one lane for each feature, and
are seen by the side to move. Each disc adds a row of a table to them, so a move costs a few vector additions for each
disc that it turns. The value of a position is the sum of its features' weights.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, bytes_at, int16s_at, int32s_at, words_at

from .bitboard import SQUARES, legal_moves, neighbours
from .memory import (
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
from .position_table import control_at
from .weights import (
    CONSTANT,
    CONTENTS,
    FIRST_CONTENTS,
    FIRST_UNIQUE,
    LANE_FEATURES,
    LANES,
    LENGTHS,
    MIRRORS,
    TABLE_WEIGHTS,
    UNIQUE_WEIGHTS,
    WEIGHTS_A_POSITION,
    WEIGHTS_PER_DISC,
)

# The features, which every move updates, and the sum of their weights
# --------------------------------------------------------------------


_INT16, _INT64 = ir.IntType(16), ir.IntType(64)
_VECTOR = ir.VectorType(_INT16, 16)
_PARTS = LANES // 16
BYTES = 2 * LANES


def _rows():
    """Returns, by square and then by lane, what a disc of the side to move on that square adds to that lane."""
    rows = [[0] * LANES for _ in range(SQUARES)]
    for lane, (_, squares) in enumerate(LANE_FEATURES):
        for place, square in enumerate(squares):
            rows[square][lane] = 3**place
    return [value for row in rows for value in row]


# For each lane, the index in a table of weights of the weight for content 0.
_ORIGINS = [FIRST_CONTENTS[shape] + CONTENTS[shape] // 2 for shape, _ in LANE_FEATURES]


def _rows_table(builder):
    name = "reversi_feature_rows"
    if name not in builder.module.globals:
        values = _rows()
        array = ir.ArrayType(_INT16, len(values))
        table = ir.GlobalVariable(builder.module, array, name)
        table.global_constant, table.linkage, table.align = True, "linkonce_odr", 64
        table.initializer = ir.Constant(array, [ir.Constant(_INT16, value) for value in values])
    return builder.module.globals[name]


def _load(builder, pointer):
    """Emit code that loads a row of lanes; returns its vectors."""
    parts = [builder.load(builder.gep(pointer, [_INT64(part)])) for part in range(_PARTS)]
    for part in parts:
        part.align = 32
    return parts


def _row(builder, square):
    first = builder.gep(_rows_table(builder), [_INT64(0), builder.mul(square, _INT64(LANES))])
    return _load(builder, builder.bitcast(first, _VECTOR.as_pointer()))


def _store(builder, address, parts):
    pointer = builder.inttoptr(address, _VECTOR.as_pointer())
    for part, value in enumerate(parts):
        builder.store(value, builder.gep(pointer, [_INT64(part)])).align = 32


def _sum_rows(builder, squares, start):
    """Emit code that adds the table's rows for all squares in the bit set `squares` to the vectors `start`.

    Returns the sums.
    """
    zero = _INT64(0)
    entry = builder.block
    loop, done = builder.append_basic_block("rows"), builder.append_basic_block("rows_done")
    builder.cbranch(builder.icmp_unsigned("!=", squares, zero), loop, done)
    builder.position_at_end(loop)
    left = builder.phi(_INT64)
    sums = [builder.phi(_VECTOR) for _ in start]
    square = builder.cttz(left, ir.Constant(ir.IntType(1), 1))
    added = [builder.add(total, part) for total, part in zip(sums, _row(builder, square))]
    rest = builder.and_(left, builder.sub(left, _INT64(1)))
    left.add_incoming(squares, entry)
    left.add_incoming(rest, loop)
    for phi, first, more in zip(sums, start, added):
        phi.add_incoming(first, entry)
        phi.add_incoming(more, loop)
    builder.cbranch(builder.icmp_unsigned("!=", rest, zero), loop, done)
    builder.position_at_end(done)
    totals = [builder.phi(_VECTOR) for _ in start]
    for phi, first, more in zip(totals, start, added):
        phi.add_incoming(first, entry)
        phi.add_incoming(more, loop)
    return totals


_ZEROS = [ir.Constant(_VECTOR, [ir.Constant(_INT16, 0)] * 16)] * _PARTS


@intrinsic
def set_features(typing_context, address, own, opponent):
    """Write the features of a position to int16[LANES] at `address`, which must be a multiple of 32."""

    def generate(context, builder, signature, arguments):
        address, own, opponent = arguments
        owned, theirs = _sum_rows(builder, own, _ZEROS), _sum_rows(builder, opponent, _ZEROS)
        _store(builder, address, [builder.sub(*pair) for pair in zip(owned, theirs)])
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64, types.uint64), generate


@intrinsic
def follow_move(typing_context, before, after, square, turned):
    """Write the features after a move, as the other side sees them, to the address `after`.

    `before` is the address of the features before the move. `square` (int64) is the move and `turned` the discs that it
    turns.
    """

    def generate(context, builder, signature, arguments):
        before, after, square, turned = arguments
        discs = _sum_rows(builder, turned, _ZEROS)
        old = _load(builder, builder.inttoptr(before, _VECTOR.as_pointer()))
        new = []
        for part, placed, disc in zip(old, _row(builder, square), discs):
            # A turned disc changes from -1 to +1; then all signs change with the side.
            new.append(builder.neg(builder.add(builder.add(part, placed), builder.add(disc, disc))))
        _store(builder, after, new)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.uint64), generate


@intrinsic
def follow_pass(typing_context, before, after):
    """Write the features that lie at the address `before`, as the other side sees them, to the address `after`."""

    def generate(context, builder, signature, arguments):
        old = _load(builder, builder.inttoptr(arguments[0], _VECTOR.as_pointer()))
        _store(builder, arguments[1], [builder.neg(part) for part in old])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def copy_features(typing_context, source, target):
    """Copy the features at the address `source` to the address `target`."""

    def generate(context, builder, signature, arguments):
        _store(builder, arguments[1], _load(builder, builder.inttoptr(arguments[0], _VECTOR.as_pointer())))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def sum_weights(typing_context, features, weights, odd):
    """Returns the sum (int64) of the weights of the features at the address `features`.

    `weights` is the address of a stage's table. `odd` is 1 if the number of discs is odd, else 0.
    """

    def generate(context, builder, signature, arguments):
        features, weights = (builder.inttoptr(address, _INT16.as_pointer()) for address in arguments[:2])
        constant = builder.gep(builder.gep(weights, [arguments[2]]), [_INT64(TABLE_WEIGHTS)])
        total = builder.sext(builder.load(constant), _INT64)
        for lane, origin in enumerate(_ORIGINS):
            content = builder.sext(builder.load(builder.gep(features, [_INT64(lane)])), _INT64)
            weight = builder.load(builder.gep(builder.gep(weights, [content]), [_INT64(origin)]))
            total = builder.add(total, builder.sext(weight, _INT64))
        return total

    return types.int64(types.int64, types.int64, types.int64), generate


@kernel
def stage_of(discs):
    """Returns the stage of a position with `discs` discs on the board, which is the index of its table of weights."""
    return (discs - FIRST_DISCS) // STAGE_DISCS


@kernel
def weigh(base, features, own, opponent):
    """Returns the value of a position by the weights, for the side to move: int64, in 1/WEIGHTS_PER_DISC of a disc.

    `features` is the address of the position's features.
    """
    discs = bit_count(own | opponent)
    return sum_weights(features, base + WEIGHTS_OFFSET + 2 * TABLE_WORDS * stage_of(discs), discs & 1)


# Making tables from a weights file, and listing weights for a training
# ----------------------------------------------------------------------
#
# A weights file has weights for a few numbers of discs, the knots. For each knot it has one weight for each unique
# content of a shape (weights.py). The search needs tables that have a weight for every content. So `prepare` makes one
# table for every STAGE_DISCS discs, by interpolation between two knots. `prepare` and `list_unique` use the room of the
# table of positions.


_SHAPES = len(LENGTHS)
_CONTENTS = np.array(CONTENTS)
_FIRST_CONTENTS = np.array(FIRST_CONTENTS)
_FIRST_UNIQUE = np.array(FIRST_UNIQUE)
# For each shape and each place in its list of squares: 3 to the power of the place that the mirror image of the square
# has.
_MIRRORED_POWERS = np.array(
    [[3 ** mirror.index(place) if place < len(mirror) else 0 for place in range(max(LENGTHS))] for mirror in MIRRORS]
)
_LANE_ORIGINS = np.array([FIRST_CONTENTS[shape] + CONTENTS[shape] // 2 for shape, _ in LANE_FEATURES])
_FIXED_BITS = 16
_FIXED_ONE = 1 << _FIXED_BITS
_LARGEST, _SMALLEST = 32767, -32768


@kernel
def number_unique(base):
    """Write the number of the unique weight for each place of a table of weights.

    The numbers are int32[TABLE_WEIGHTS] at UNIQUE_OFFSET. The mirror image of a content is a sum over the content's
    digits. So it is computed from the mirror image of a content whose highest digit is smaller by one.
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
    """Unfold the weights that pack_weights (weights.py) has folded.

    Writes int16[knots * UNIQUE_WEIGHTS] at UNFOLDED_OFFSET.
    """
    planes, weights = bytes_at(base, TABLE_OFFSET), int16s_at(base, UNFOLDED_OFFSET)
    count = control_at(base)[KNOTS] * UNIQUE_WEIGHTS
    for place in range(count):
        folded = np.int64(planes[place]) | np.int64(planes[count + place]) << 8
        weights[place] = (folded >> 1) ^ -(folded & 1)


@kernel
def fill_stage(base, stage):
    """Write the table of weights for `stage`."""
    control = control_at(base)
    unique, own = int32s_at(base, UNIQUE_OFFSET), int16s_at(base, SCRATCH_OFFSET)
    table = int16s_at(base, WEIGHTS_OFFSET + 2 * TABLE_WORDS * stage)
    # Numbers of discs are doubled, because a stage has two of them and its middle lies between these.
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
    """Make the tables of weights from the weights file in the memory, if control[KNOTS] says that there is one.

    The file lies in the room of the table of positions (memory.py). That table is empty afterwards.
    """
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
    """Write, for `count` positions, the number of the unique weight of each feature.

    The features are in the order of the lanes. `positions` is the address of uint64[count, 2]: the discs of the side to
    move and of the other side. `results` is the address of int32[count, WEIGHTS_A_POSITION], to which the numbers are
    written. The last number of each position belongs to the constant. The memory at `base` must not be used by a
    search.
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


# Without weights: corners, moves, empty squares beside discs
# -----------------------------------------------------------
#
# The numbers are guesses that play sensibly. They are used for boards of every size up to 8x8.


# Weights of the heuristic, in 1/128 of a disc.
_CORNER = 1000
_BESIDE_FREE_CORNER = 300
_MOVE = 110
_FREE_SQUARE_BESIDE = 40


@kernel
def judge(own, opponent, empty, corners):
    """Returns the heuristic value of a position for the side to move: int64 in 1/128 of a disc.

    `corners` are the four corners of the board.
    """
    beside = neighbours(corners & empty)
    corner_difference = bit_count(own & corners) - bit_count(opponent & corners)
    beside_difference = bit_count(own & beside) - bit_count(opponent & beside)
    move_difference = bit_count(legal_moves(own, opponent, empty)) - bit_count(legal_moves(opponent, own, empty))
    open_difference = bit_count(neighbours(opponent) & empty) - bit_count(neighbours(own) & empty)
    return (
        _CORNER * corner_difference
        - _BESIDE_FREE_CORNER * beside_difference
        + _MOVE * move_difference
        + _FREE_SQUARE_BESIDE * open_difference
    )
