"""The evaluation by patterns as kernels: contents of features kept up to date, and the sum of their weights.

The contents of all features of a position (weights/pattern_set.py) are int16[LANES], a lane each, seen by the side to
move. They change with every disc by a row of a table, so a move costs a few vector additions a disc turned.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count

from ..memory.layout import FIRST_DISCS, STAGE_DISCS, TABLE_WORDS, WEIGHTS_OFFSET
from ..rules.bitboard import SQUARES
from ..weights.pattern_set import CONTENTS, FIRST_CONTENTS, LANE_FEATURES, LANES, TABLE_WEIGHTS

_INT16, _INT64 = ir.IntType(16), ir.IntType(64)
_VECTOR = ir.VectorType(_INT16, 16)
_PARTS = LANES // 16
BYTES = 2 * LANES


def _rows():
    """By square and lane, what a disc of the mover on the square adds to the lane."""
    rows = [[0] * LANES for _ in range(SQUARES)]
    for lane, (_, squares) in enumerate(LANE_FEATURES):
        for place, square in enumerate(squares):
            rows[square][lane] = 3**place
    return [value for row in rows for value in row]


# Where a lane's weights begin, counted to the content 0.
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
    """The vectors of a row of lanes."""
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
    """`start` and the rows of the squares of a bit set added up."""
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
    """Write the features of a position to int16[LANES] at the address, a multiple of 32."""

    def generate(context, builder, signature, arguments):
        address, own, opponent = arguments
        owned, theirs = _sum_rows(builder, own, _ZEROS), _sum_rows(builder, opponent, _ZEROS)
        _store(builder, address, [builder.sub(*pair) for pair in zip(owned, theirs)])
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64, types.uint64), generate


@intrinsic
def follow_move(typing_context, before, after, square, turned):
    """Write to address `after` the features, seen by the opponent, after the mover of those at `before` has moved."""

    def generate(context, builder, signature, arguments):
        before, after, square, turned = arguments
        discs = _sum_rows(builder, turned, _ZEROS)
        old = _load(builder, builder.inttoptr(before, _VECTOR.as_pointer()))
        new = []
        for part, placed, disc in zip(old, _row(builder, square), discs):
            # A disc turned goes from -1 to +1, and all that changes sides.
            new.append(builder.neg(builder.add(builder.add(part, placed), builder.add(disc, disc))))
        _store(builder, after, new)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.uint64), generate


@intrinsic
def follow_pass(typing_context, before, after):
    """Write to address `after` the features at `before` as the other side sees them."""

    def generate(context, builder, signature, arguments):
        old = _load(builder, builder.inttoptr(arguments[0], _VECTOR.as_pointer()))
        _store(builder, arguments[1], [builder.neg(part) for part in old])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def copy_features(typing_context, source, target):
    """Write the features at one address to the other."""

    def generate(context, builder, signature, arguments):
        _store(builder, arguments[1], _load(builder, builder.inttoptr(arguments[0], _VECTOR.as_pointer())))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def sum_weights(typing_context, features, weights, odd):
    """int64 sum of the weights of the features at one address in the table at the other; odd: 1 for odd discs, or 0."""

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
    """Index of the table for so many discs on the board."""
    return (discs - FIRST_DISCS) // STAGE_DISCS


@kernel
def weigh(base, features, own, opponent):
    """What the weights say of the position with those features: int64 in 1/WEIGHTS_PER_DISC for the side to move."""
    discs = bit_count(own | opponent)
    return sum_weights(features, base + WEIGHTS_OFFSET + 2 * TABLE_WORDS * stage_of(discs), discs & 1)
