"""What the kernels' vector types share: Python operators and memory access on LLVM vectors."""
from numba.extending import intrinsic, overload


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


def vector_pointer(context, builder, array_type, array, offset, vector):
    """Code that points at array[offset] as an LLVM vector of the given type; array and offset are LLVM values."""
    view = context.make_array(array_type)(context, builder, array)
    return builder.bitcast(builder.gep(view.data, [offset]), vector.as_pointer())
