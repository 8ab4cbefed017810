"""What the kernels' vector types share: Python operators and memory access on LLVM vectors."""

from llvmlite import ir
from numba.extending import intrinsic, overload

_INT32 = ir.IntType(32)


def define_operators(type_class, instructions):
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
