"""Sixteen 16-bit lanes in one vector register: the numba type that board kernels compute with.

A board whose columns (or rows) fit 16 bits each sits in one value, a lane a column:

    bit 2 |  2 18 34 ..        lane 0 holds bits 0..15 of column 0, lane 1 those of column 1, ..
    bit 1 |  1 17 33 ..        In memory a value is 32 bytes, little-endian uint16[16]; the same
    bit 0 |  0 16 32 ..        number as a Python integer has column c at bits 16*c .. 16*c + 15.
             lane 0  1  2

Shifts inside a lane (`up`, `down`) move along a column and never spill into its neighbour; `sideways`
moves between columns and brings zeros in from outside, so no border columns are needed. Everything is
plain LLVM vector code: AVX2, SSE2 and any other target get their own instructions from it, and all of
them compute the same bits.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from .vector_types import define_operators, in_every_lane, vector_pointer

LANE_COUNT = 16
LANE_BITS = 16

_INT16 = ir.IntType(LANE_BITS)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_VECTOR = ir.VectorType(_INT16, LANE_COUNT)


class LanesType(types.Type):
    """Numba's name for the register; values live only inside kernels (there is no Python box for them)."""

    def __init__(self):
        super().__init__(name="Lanes16x16")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, frontend_type):
        super().__init__(data_model_manager, frontend_type, _VECTOR)


def _constant(values):
    return ir.Constant(_VECTOR, [ir.Constant(_INT16, value) for value in values])


def _shuffle_mask(indices):
    return ir.Constant(ir.VectorType(_INT32, len(indices)), [ir.Constant(_INT32, index) for index in indices])


_ZERO = _constant([0] * LANE_COUNT)


define_operators(LanesType, {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor", operator.add: "add"})


def _define_shift(name, instruction, summary):
    @intrinsic(prefer_literal=True)
    def shift(typing_context, lanes, count):
        bits = count.literal_value

        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(arguments[0], _constant([bits] * LANE_COUNT))

        return LANES(LANES, count), generate

    shift.__name__, shift.__doc__ = name, summary
    return shift


up = _define_shift("up", "shl", "Every lane moved `count` (a literal) bits towards its high end.")
down = _define_shift("down", "lshr", "Every lane moved `count` (a literal) bits towards its low end.")


@intrinsic(prefer_literal=True)
def sideways(typing_context, lanes, count):
    """Lane i receives lane i - count (count a literal, either sign); zeros come in from outside."""
    step = count.literal_value
    outside = LANE_COUNT
    sources = [lane - step if 0 <= lane - step < LANE_COUNT else outside for lane in range(LANE_COUNT)]

    def generate(context, builder, signature, arguments):
        return builder.shuffle_vector(arguments[0], _ZERO, _shuffle_mask(sources))

    return LANES(LANES, count), generate


@intrinsic(prefer_literal=True)
def everywhere(typing_context, number):
    """A literal in every lane."""
    value = number.literal_value
    return LANES(number), lambda context, builder, signature, arguments: _constant([value] * LANE_COUNT)


@intrinsic
def same_in_all_lanes(typing_context, number):
    """The low 16 bits of an int64 in every lane."""

    def generate(context, builder, signature, arguments):
        return in_every_lane(builder, builder.trunc(arguments[0], _INT16), _VECTOR)

    return LANES(types.int64), generate


@intrinsic
def lane_numbers(typing_context):
    """0 in lane 0, 1 in lane 1, .. 15 in lane 15."""
    return LANES(), lambda context, builder, signature, arguments: _constant(range(LANE_COUNT))


@intrinsic
def same_lanes(typing_context, left, right):
    """All ones in the lanes where both values are equal, zero elsewhere."""

    def generate(context, builder, signature, arguments):
        return builder.sext(builder.icmp_unsigned("==", *arguments), _VECTOR)

    return LANES(LANES, LANES), generate


def _define_test(name, compare, predicate, summary):
    @intrinsic
    def test(typing_context, lanes):
        def generate(context, builder, signature, arguments):
            return builder.sext(getattr(builder, compare)(predicate, arguments[0], _ZERO), _VECTOR)

        return LANES(LANES), generate

    test.__name__, test.__doc__ = name, summary
    return test


zero_lanes = _define_test("zero_lanes", "icmp_unsigned", "==", "All ones in the lanes that are zero, zero elsewhere.")
filled_lanes = _define_test(
    "filled_lanes", "icmp_unsigned", "!=", "All ones in the lanes that are not zero, zero elsewhere."
)
top_bit_lanes = _define_test(
    "top_bit_lanes", "icmp_signed", "<", "All ones in the lanes whose highest bit is set, zero elsewhere."
)


@intrinsic
def without(typing_context, lanes, removed):
    """The bits of `lanes` that are not in `removed`."""

    def generate(context, builder, signature, arguments):
        return builder.and_(arguments[0], builder.not_(arguments[1]))

    return LANES(LANES, LANES), generate


@intrinsic
def count_bits(typing_context, lanes):
    """How many bits are set (int64)."""

    def generate(context, builder, signature, arguments):
        words = builder.bitcast(arguments[0], ir.VectorType(_INT64, 4))
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT64, [_INT64]), "llvm.ctpop.i64")
        counts = [builder.call(function, [builder.extract_element(words, _INT32(index))]) for index in range(4)]
        return builder.add(builder.add(counts[0], counts[1]), builder.add(counts[2], counts[3]))

    return types.int64(LANES), generate


@intrinsic
def overlap(typing_context, left, right):
    """Whether any bit is set in both."""

    def generate(context, builder, signature, arguments):
        whole = ir.IntType(LANE_COUNT * LANE_BITS)
        return builder.icmp_unsigned("!=", builder.bitcast(builder.and_(*arguments), whole), whole(0))

    return types.boolean(LANES, LANES), generate


@intrinsic
def least_lane(typing_context, lanes):
    """The smallest lane, as an unsigned number, in every lane.

    It stays in the vector registers: taking it out as an integer as well makes LLVM compute it twice.
    """

    def generate(context, builder, signature, arguments):
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_INT16, [_VECTOR]), "llvm.vector.reduce.umin.v16i16"
        )
        return in_every_lane(builder, builder.call(function, arguments), _VECTOR)

    return LANES(LANES), generate


@intrinsic
def next_random_lanes(typing_context, lanes):
    """The next state of four xorshift64 generators side by side (Marsaglia 2003), none of them zero."""

    def generate(context, builder, signature, arguments):
        quarters = ir.VectorType(_INT64, 4)
        state = builder.bitcast(arguments[0], quarters)
        for shift, bits in ((builder.shl, 13), (builder.lshr, 7), (builder.shl, 17)):
            state = builder.xor(state, shift(state, ir.Constant(quarters, [bits] * 4)))
        return builder.bitcast(state, _VECTOR)

    return LANES(LANES), generate


@intrinsic
def nonzero_lanes(typing_context, lanes):
    """int64 bit mask of the lanes that are not zero, lane 0 lowest."""

    def generate(context, builder, signature, arguments):
        flags = builder.icmp_unsigned("!=", arguments[0], _ZERO)
        return builder.zext(builder.bitcast(flags, _INT16), _INT64)

    return types.int64(LANES), generate


@intrinsic
def lane_mask(typing_context, lane):
    """All ones in one lane (0..15), zero elsewhere."""

    def generate(context, builder, signature, arguments):
        number = in_every_lane(builder, builder.trunc(arguments[0], _INT16), _VECTOR)
        equal = builder.icmp_unsigned("==", number, _constant(range(LANE_COUNT)))
        return builder.sext(equal, _VECTOR)

    return LANES(types.int64), generate


@intrinsic
def blend(typing_context, mask, chosen, otherwise):
    """`chosen` where mask bits are set, `otherwise` where they are not."""

    def generate(context, builder, signature, arguments):
        mask, chosen, otherwise = arguments
        return builder.or_(builder.and_(mask, chosen), builder.and_(builder.not_(mask), otherwise))

    return LANES(LANES, LANES, LANES), generate


@intrinsic(prefer_literal=True)
def quarter(typing_context, lanes, index):
    """uint64 of lanes 4*index .. 4*index + 3 (index a literal 0..3), for hashing."""
    position = index.literal_value

    def generate(context, builder, signature, arguments):
        words = builder.bitcast(arguments[0], ir.VectorType(_INT64, 4))
        return builder.extract_element(words, ir.Constant(_INT32, position))

    return types.uint64(LANES, index), generate


@intrinsic
def load_lanes(typing_context, array, offset):
    """The 32 bytes from array[offset] on; array is C-contiguous, of any integers, offset int64 in its elements."""

    def generate(context, builder, signature, arguments):
        value = builder.load(vector_pointer(context, builder, signature.args[0], *arguments, _VECTOR))
        value.align = 2
        return value

    return LANES(array, types.int64), generate


@intrinsic
def store_lanes(typing_context, array, offset, lanes):
    """Write the 32 bytes from array[offset] on, as `load_lanes` reads them."""

    def generate(context, builder, signature, arguments):
        pointer = vector_pointer(context, builder, signature.args[0], *arguments[:2], _VECTOR)
        builder.store(arguments[2], pointer).align = 2
        return context.get_dummy_value()

    return types.void(array, types.int64, LANES), generate
