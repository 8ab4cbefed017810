"""Vector registers as numba types: sixteen 16-bit lanes for board kernels, and vectors of float32 for tree edges.

Everything is plain LLVM vector code. AVX2, SSE2 and any other target get their own instructions from it, and all of
them compute the same bits.

Lanes. If each column (or row) of a board fits 16 bits, the board is one value, with one lane for each column:

    bit 2 |  2 18 34 ..        lane 0 holds bits 0..15 of column 0, lane 1 those of column 1, ..
    bit 1 |  1 17 33 ..        In memory a value is 32 bytes, little-endian uint16[16]; the same
    bit 0 |  0 16 32 ..        number as a Python integer has column c at bits 16*c .. 16*c + 15.
             lane 0  1  2

Shifts inside a lane (`up`, `down`) move bits along a column and never into its neighbour. `sideways` moves bits between
columns and brings in zeros from outside, so no border columns are needed.

Edge vectors. A vector holds one number for each edge of a node. Kernels write a selection formula as arithmetic on
these vectors and take its argmax. LLVM turns this arithmetic into a few vector instructions, but it would unroll a loop
over the edges into a dozen divisions. Arithmetic is IEEE, without fast-math.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from .kernel import kernel

LANE_COUNT = 16
LANE_BITS = 16
ALL_BITS = 0xFFFF  # all bits of one lane
KEY_STEPS = 65536  # best_edge compares scores in steps of 1/65536
_INDEX_BITS = 4  # best_edge's int32 key has the edge in these low bits below the score, so |score| must be below 2048

_INT16 = ir.IntType(LANE_BITS)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_INT16, LANE_COUNT)


def _define_operators(type_class, instructions):
    """Let kernels use operators such as `left + right` on two values of one vector type.

    `instructions` is {function of the operator module: name of a method of llvmlite's IRBuilder}.
    """
    for python_operator, instruction in instructions.items():
        _define_operator(type_class, python_operator, instruction)


def _define_operator(type_class, python_operator, instruction):
    @intrinsic
    def apply(typing_context, left, right):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return left(left, right), generate

    def implement(left, right):
        if isinstance(left, type_class) and isinstance(right, type_class):
            return lambda left, right: apply(left, right)
        return None

    overload(python_operator)(implement)


def in_every_lane(builder, number, vector):
    """Emit code that puts `number` into every lane; returns an LLVM value of the vector type `vector`."""
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, _INT32(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT32, vector.count), [0] * vector.count))


def vector_pointer(context, builder, array_type, array, offset, vector):
    """Emit code that computes a pointer to array[offset] as an LLVM vector of type `vector`; returns that pointer.

    `array` and `offset` are LLVM values.
    """
    view = context.make_array(array_type)(context, builder, array)
    return builder.bitcast(builder.gep(view.data, [offset]), vector.as_pointer())


class LanesType(types.Type):
    """The numba type of sixteen 16-bit lanes. Values exist only inside kernels: they cannot become Python objects."""

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


_define_operators(LanesType, {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor", operator.add: "add"})


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
    """Returns lanes in which lane i has the value of lane i - count of `lanes`. Lanes from outside are zero.

    `count` is a literal, positive or negative.
    """
    step = count.literal_value
    outside = LANE_COUNT
    sources = [lane - step if 0 <= lane - step < LANE_COUNT else outside for lane in range(LANE_COUNT)]

    def generate(context, builder, signature, arguments):
        return builder.shuffle_vector(arguments[0], _ZERO, _shuffle_mask(sources))

    return LANES(LANES, count), generate


@intrinsic(prefer_literal=True)
def everywhere(typing_context, number):
    """Returns lanes that all hold `number`, a literal."""
    value = number.literal_value
    return LANES(number), lambda context, builder, signature, arguments: _constant([value] * LANE_COUNT)


@intrinsic
def same_in_all_lanes(typing_context, number):
    """Returns lanes that all hold the low 16 bits of an int64."""

    def generate(context, builder, signature, arguments):
        return in_every_lane(builder, builder.trunc(arguments[0], _INT16), _VECTOR)

    return LANES(types.int64), generate


@intrinsic
def lane_numbers(typing_context):
    """Returns lanes that hold their own numbers: 0 in lane 0, 1 in lane 1, .. 15 in lane 15."""
    return LANES(), lambda context, builder, signature, arguments: _constant(range(LANE_COUNT))


@intrinsic
def same_lanes(typing_context, left, right):
    """Returns lanes with all bits set where `left` and `right` are equal, and with no bit set elsewhere."""

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
    """Returns the bits of `lanes` that are not set in `removed`."""

    def generate(context, builder, signature, arguments):
        return builder.and_(arguments[0], builder.not_(arguments[1]))

    return LANES(LANES, LANES), generate


@intrinsic
def count_bits(typing_context, lanes):
    """Returns how many bits are set in all lanes together (int64)."""

    def generate(context, builder, signature, arguments):
        words = builder.bitcast(arguments[0], ir.VectorType(_INT64, 4))
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT64, [_INT64]), "llvm.ctpop.i64")
        counts = [builder.call(function, [builder.extract_element(words, _INT32(index))]) for index in range(4)]
        return builder.add(builder.add(counts[0], counts[1]), builder.add(counts[2], counts[3]))

    return types.int64(LANES), generate


@intrinsic
def overlap(typing_context, left, right):
    """Returns whether any bit is set in both `left` and `right`."""

    def generate(context, builder, signature, arguments):
        whole = ir.IntType(LANE_COUNT * LANE_BITS)
        return builder.icmp_unsigned("!=", builder.bitcast(builder.and_(*arguments), whole), whole(0))

    return types.boolean(LANES, LANES), generate


@intrinsic
def least_lane(typing_context, lanes):
    """Returns lanes that all hold the smallest of the values in `lanes`, compared as unsigned numbers.

    The result stays in the vector registers: if it were also returned as an integer, LLVM would compute it twice.
    """

    def generate(context, builder, signature, arguments):
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_INT16, [_VECTOR]), "llvm.vector.reduce.umin.v16i16"
        )
        return in_every_lane(builder, builder.call(function, arguments), _VECTOR)

    return LANES(LANES), generate


@intrinsic
def next_random_lanes(typing_context, lanes):
    """Returns the next state of four xorshift64 generators (Marsaglia 2003).

    Each has four neighbouring lanes for its state. None of the four states may be zero.
    """

    def generate(context, builder, signature, arguments):
        quarters = ir.VectorType(_INT64, 4)
        state = builder.bitcast(arguments[0], quarters)
        for shift, bits in ((builder.shl, 13), (builder.lshr, 7), (builder.shl, 17)):
            state = builder.xor(state, shift(state, ir.Constant(quarters, [bits] * 4)))
        return builder.bitcast(state, _VECTOR)

    return LANES(LANES), generate


@intrinsic
def nonzero_lanes(typing_context, lanes):
    """Returns an int64 bit mask of the lanes that are not zero, with lane 0 as the lowest bit."""

    def generate(context, builder, signature, arguments):
        flags = builder.icmp_unsigned("!=", arguments[0], _ZERO)
        return builder.zext(builder.bitcast(flags, _INT16), _INT64)

    return types.int64(LANES), generate


@intrinsic
def lane_mask(typing_context, lane):
    """Returns lanes with all bits set in lane number `lane` (int64, 0..15), and with no bit set in the others."""

    def generate(context, builder, signature, arguments):
        number = in_every_lane(builder, builder.trunc(arguments[0], _INT16), _VECTOR)
        equal = builder.icmp_unsigned("==", number, _constant(range(LANE_COUNT)))
        return builder.sext(equal, _VECTOR)

    return LANES(types.int64), generate


@intrinsic
def blend(typing_context, mask, chosen, otherwise):
    """Returns lanes whose bits come from `chosen` where the bit of `mask` is set, and from `otherwise` elsewhere."""

    def generate(context, builder, signature, arguments):
        mask, chosen, otherwise = arguments
        return builder.or_(builder.and_(mask, chosen), builder.and_(builder.not_(mask), otherwise))

    return LANES(LANES, LANES, LANES), generate


@intrinsic(prefer_literal=True)
def quarter(typing_context, lanes, index):
    """Returns lanes 4*index .. 4*index + 3 as a uint64, for hashing. `index` is a literal, 0..3."""
    position = index.literal_value

    def generate(context, builder, signature, arguments):
        words = builder.bitcast(arguments[0], ir.VectorType(_INT64, 4))
        return builder.extract_element(words, ir.Constant(_INT32, position))

    return types.uint64(LANES, index), generate


@intrinsic
def load_lanes(typing_context, array, offset):
    """Returns the 32 bytes from array[offset] on as lanes.

    `array` is a C-contiguous array of integers of any size; `offset` (int64) counts its elements.
    """

    def generate(context, builder, signature, arguments):
        value = builder.load(vector_pointer(context, builder, signature.args[0], *arguments, _VECTOR))
        value.align = 2
        return value

    return LANES(array, types.int64), generate


@intrinsic
def store_lanes(typing_context, array, offset, lanes):
    """Write `lanes` to the 32 bytes from array[offset] on, in the form that `load_lanes` reads."""

    def generate(context, builder, signature, arguments):
        pointer = vector_pointer(context, builder, signature.args[0], *arguments[:2], _VECTOR)
        builder.store(arguments[2], pointer).align = 2
        return context.get_dummy_value()

    return types.void(array, types.int64, LANES), generate


# Kernels for the lowest or highest set bit of each lane, and for the bits above or below that bit. For a lane that is
# zero they return zero, except less_one.


@kernel
def less_one(lanes):
    """Returns each lane minus 1; a lane that is zero becomes all ones."""
    return lanes + everywhere(ALL_BITS)


@kernel
def lowest_in_lanes(lanes):
    """Returns the lowest set bit of each lane."""
    return without(lanes, less_one(lanes))


@kernel
def above_lowest(lanes):
    """Returns every bit above the lowest set bit of its lane, whether it is set in `lanes` or not."""
    return without(everywhere(ALL_BITS), lanes ^ less_one(lanes))


@kernel
def below_lowest(lanes):
    """Returns every bit below the lowest set bit of its lane."""
    return without(less_one(lanes), lanes) & filled_lanes(lanes)


@kernel
def highest_in_lanes(lanes):
    """Returns the highest set bit of each lane."""
    filled = lanes | down(lanes, 1)
    filled = filled | down(filled, 2)
    filled = filled | down(filled, 4)
    filled = filled | down(filled, 8)
    return without(filled, down(filled, 1))


class EdgeVectorType(types.Type):
    """The numba type of a vector float32[edges] in registers. Values exist only inside kernels."""

    def __init__(self, edges):
        self.edges = edges
        super().__init__(name=f"EdgeVector{edges}")


@register_model(EdgeVectorType)
class _EdgeVectorModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, frontend_type):
        super().__init__(data_model_manager, frontend_type, ir.VectorType(_FLOAT, frontend_type.edges))


_define_operators(EdgeVectorType, {operator.add: "fadd", operator.mul: "fmul", operator.truediv: "fdiv"})


@intrinsic
def same_for_all(typing_context, number, like):
    """Returns a vector of the same length as `like` that holds `number` (float32) in every lane."""

    def generate(context, builder, signature, arguments):
        return in_every_lane(builder, arguments[0], arguments[1].type)

    return like(types.float32, like), generate


def _load(context, builder, signature, arguments, vector):
    value = builder.load(vector_pointer(context, builder, signature.args[0], *arguments[:2], vector))
    value.align = 4
    return value


@intrinsic(prefer_literal=True)
def load_means(typing_context, array, offset, edges):
    """Returns array[offset : offset + edges] of a float32 array as a vector. `edges` is a literal."""
    result = EdgeVectorType(edges.literal_value)

    def generate(context, builder, signature, arguments):
        return _load(context, builder, signature, arguments, context.get_value_type(result))

    return result(array, types.int64, edges), generate


@intrinsic(prefer_literal=True)
def load_counts(typing_context, array, offset, edges):
    """Returns array[offset : offset + edges] of a uint32 array as a vector of float32.

    The array's values must be below 2**31. `edges` is a literal.
    """
    result = EdgeVectorType(edges.literal_value)

    def generate(context, builder, signature, arguments):
        integers = _load(context, builder, signature, arguments, ir.VectorType(_INT32, edges.literal_value))
        return builder.sitofp(integers, context.get_value_type(result))

    return result(array, types.int64, edges), generate


@intrinsic
def store_floats(typing_context, array, offset, values):
    """Write the vector `values` to a float32 array, from array[offset] on."""

    def generate(context, builder, signature, arguments):
        pointer = vector_pointer(context, builder, signature.args[0], *arguments[:2], arguments[2].type)
        builder.store(arguments[2], pointer).align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, values), generate


@intrinsic
def total(typing_context, values):
    """Returns the sum of the vector's elements (float32). The number of elements must be a power of two.

    The two halves of the vector are added to each other, again and again. This order is fixed, so the result has the
    same bits on every CPU.
    """

    def generate(context, builder, signature, arguments):
        vector = arguments[0]
        count = vector.type.count
        while count > 1:
            count //= 2
            halves = [
                ir.Constant(ir.VectorType(_INT32, count), list(range(start, start + count))) for start in (0, count)
            ]
            undefined = ir.Constant(vector.type, ir.Undefined)
            low, high = (builder.shuffle_vector(vector, undefined, half) for half in halves)
            vector = builder.fadd(low, high)
        return builder.extract_element(vector, _INT32(0))

    return types.float32(values), generate


@intrinsic
def square_root(typing_context, values):
    """Returns the square root of each element of the vector."""

    def generate(context, builder, signature, arguments):
        vector = arguments[0].type
        name = f"llvm.sqrt.v{vector.count}f32"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector]), name)
        return builder.call(function, arguments)

    return values(values), generate


def _define_bound(comparison, summary):
    @intrinsic
    def bounded(typing_context, values, bound):
        def generate(context, builder, signature, arguments):
            return builder.select(builder.fcmp_ordered(comparison, *arguments), *arguments)

        return values(values, bound), generate

    bounded.__doc__ = summary
    return bounded


at_least = _define_bound(">", "The greater of two vectors, lane by lane.")
at_most = _define_bound("<", "The smaller of two vectors, lane by lane.")


@intrinsic
def best_edge(typing_context, scores):
    """Returns a key (int64) of the greatest score and its edge: 16 * trunc(KEY_STEPS * score) + 15 - edge.

    If several edges have the greatest score, the lowest of them is taken. Scores must lie strictly between -2047 and
    2047.
    """

    def generate(context, builder, signature, arguments):
        count = arguments[0].type.count
        integers = ir.VectorType(_INT32, count)
        steps = ir.Constant(arguments[0].type, [float(KEY_STEPS)] * count)
        keys = builder.fptosi(builder.fmul(arguments[0], steps), integers)
        keys = builder.shl(keys, ir.Constant(integers, [_INDEX_BITS] * count))
        keys = builder.or_(keys, ir.Constant(integers, [15 - edge for edge in range(count)]))
        name = f"llvm.vector.reduce.smax.v{count}i32"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT32, [integers]), name)
        return builder.sext(builder.call(function, [keys]), _INT64)

    return types.int64(scores), generate
