"""All edges of a node at once: float32 vectors with one lane an edge, for the selection formulas.

Kernels write a formula as arithmetic on these values and take its argmax; LLVM turns it into a few vector
instructions, where a loop over the edges would be unrolled into a dozen divisions. IEEE arithmetic without
fast-math: every CPU computes the same bits.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from .vector_types import define_operators, in_every_lane, vector_pointer

_FLOAT = ir.FloatType()
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
KEY_STEPS = 65536  # scores are compared in steps of 1/65536
_INDEX_BITS = 4  # room for the edge below the score in one int32 key, so |score| stays below 2048


class EdgeVectorType(types.Type):
    """float32[edges] in registers; lives only inside kernels."""

    def __init__(self, edges):
        self.edges = edges
        super().__init__(name=f"EdgeVector{edges}")


@register_model(EdgeVectorType)
class _EdgeVectorModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, frontend_type):
        super().__init__(data_model_manager, frontend_type, ir.VectorType(_FLOAT, frontend_type.edges))


define_operators(EdgeVectorType, {operator.add: "fadd", operator.mul: "fmul", operator.truediv: "fdiv"})


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
