"""Vector registers as numba types: sixteen 16-bit lanes, which board kernels compute with, and float32 edge vectors.

Everything is plain LLVM vector code: AVX2, SSE2 and any other target get their own instructions from it, and all of
them compute the same bits.

Lanes. A board whose columns (or rows) fit 16 bits each sits in one value, a lane a column:

    bit 2 |  2 18 34 ..        lane 0 holds bits 0..15 of column 0, lane 1 those of column 1, ..
    bit 1 |  1 17 33 ..        In memory a value is 32 bytes, little-endian uint16[16]; the same
    bit 0 |  0 16 32 ..        number as a Python integer has column c at bits 16*c .. 16*c + 15.
             lane 0  1  2

Shifts inside a lane (`up`, `down`) move along a column and never spill into its neighbour; `sideways`
moves between columns and brings zeros in from outside, so no border columns are needed.

Edge vectors. All edges of a node at once, one lane an edge: kernels write a selection formula as arithmetic on these
values and take its argmax; LLVM turns it into a few vector instructions, where a loop over the edges would be unrolled
into a dozen divisions. IEEE arithmetic without fast-math.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from .kernel import kernel

LANE_COUNT = 16
LANE_BITS = 16
ALL_BITS = 0xFFFF  # of a lane
KEY_STEPS = 65536  # best_edge compares scores in steps of 1/65536
_INDEX_BITS = 4  # room for the edge below the score in one int32 key, so |score| stays below 2048

_INT16 = ir.IntType(LANE_BITS)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_INT16, LANE_COUNT)


def _define_operators(type_class, instructions):
    """Let kernels write `left + right` and the like on two values of one vector type.

    instructions: {function of the operator module: name of the llvmlite builder's method}.
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
    """An LLVM value of that vector type with the number in every lane."""
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, _INT32(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT32, vector.count), [0] * vector.count))


def vector_pointer(context, builder, array_type, array, offset, vector):
    """Code that points at array[offset] as an LLVM vector of the given type; array and offset are LLVM values."""
    view = context.make_array(array_type)(context, builder, array)
    return builder.bitcast(builder.gep(view.data, [offset]), vector.as_pointer())


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


# The lowest and highest bits of each lane, and what lies above and below them; nothing where a lane is zero.


@kernel
def less_one(lanes):
    """Each lane less 1; all ones where it is zero."""
    return lanes + everywhere(ALL_BITS)


@kernel
def lowest_in_lanes(lanes):
    """The lowest bit of each lane."""
    return without(lanes, less_one(lanes))


@kernel
def above_lowest(lanes):
    """Every bit, set in `lanes` or not, above the lowest of its lane."""
    return without(everywhere(ALL_BITS), lanes ^ less_one(lanes))


@kernel
def below_lowest(lanes):
    """Every bit below the lowest of its lane."""
    return without(less_one(lanes), lanes) & filled_lanes(lanes)


@kernel
def highest_in_lanes(lanes):
    """The highest bit of each lane."""
    filled = lanes | down(lanes, 1)
    filled = filled | down(filled, 2)
    filled = filled | down(filled, 4)
    filled = filled | down(filled, 8)
    return without(filled, down(filled, 1))


class EdgeVectorType(types.Type):
    """float32[edges] in registers; lives only inside kernels."""

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
    """The float32 `number` in every lane of a vector as wide as `like`."""

    def generate(context, builder, signature, arguments):
        return in_every_lane(builder, arguments[0], arguments[1].type)

    return like(types.float32, like), generate


def _load(context, builder, signature, arguments, vector):
    value = builder.load(vector_pointer(context, builder, signature.args[0], *arguments[:2], vector))
    value.align = 4
    return value


@intrinsic(prefer_literal=True)
def load_means(typing_context, array, offset, edges):
    """array[offset : offset + edges] of a float32 array; edges a literal."""
    result = EdgeVectorType(edges.literal_value)

    def generate(context, builder, signature, arguments):
        return _load(context, builder, signature, arguments, context.get_value_type(result))

    return result(array, types.int64, edges), generate


@intrinsic(prefer_literal=True)
def load_counts(typing_context, array, offset, edges):
    """array[offset : offset + edges] of a uint32 array (values below 2**31) as float32; edges a literal."""
    result = EdgeVectorType(edges.literal_value)

    def generate(context, builder, signature, arguments):
        integers = _load(context, builder, signature, arguments, ir.VectorType(_INT32, edges.literal_value))
        return builder.sitofp(integers, context.get_value_type(result))

    return result(array, types.int64, edges), generate


@intrinsic
def store_floats(typing_context, array, offset, values):
    """Write a vector to array[offset :] of a float32 array."""

    def generate(context, builder, signature, arguments):
        pointer = vector_pointer(context, builder, signature.args[0], *arguments[:2], arguments[2].type)
        builder.store(arguments[2], pointer).align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, values), generate


@intrinsic
def total(typing_context, values):
    """The sum of a vector of 16 (or of any power of two), halves added to halves: the same bits on every CPU."""

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
    """Lane by lane."""

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
    """int64: KEY_STEPS * greatest score, rounded towards zero, times 16, plus 15 - its edge (the lowest one of equals).

    Scores must lie strictly between -2047 and 2047.
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
