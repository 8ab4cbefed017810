"""What kernels need from the machine: memory by address, cache prefetch, the clock, bit operations, the calibration.

Entry points take the address of their memory (int64), so that numba's functions and a prebuilt library are called in
the same way. A kernel turns an address into a numpy-style array (`int64_array_at` and the like) or into a pointer
(`numbers_at` and the like). Indexing a pointer is faster, because an array first checks whether the index is negative.
"""

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernel import kernel
from .memory_block import STEP_COUNTERS

# The number of the monotonic clock for clock_gettime, from time.h of macOS and of Linux.
CLOCK_MONOTONIC = 6 if sys.platform == "darwin" else 1
NANOSECONDS_PER_S = 1_000_000_000


def _define_pointer_to(element_type):
    """Returns an intrinsic that turns an address (int64) into a pointer to elements of `element_type`."""

    @intrinsic
    def pointer_to(typing_context, address):
        result = types.CPointer(element_type)

        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(result))

        return result(types.int64), generate

    return pointer_to


def _define_array_at(element_type):
    bytes_of_element = element_type.bitwidth // 8
    array_type = types.Array(element_type, 1, "C")

    @intrinsic
    def array_at(typing_context, address, length):
        """Returns the array of `length` elements that begins at `address` (int64)."""

        def generate(context, builder, signature, arguments):
            pointer = builder.inttoptr(arguments[0], context.get_data_type(element_type).as_pointer())
            size = context.get_constant(types.intp, bytes_of_element)
            array = context.make_array(array_type)(context, builder)
            context.populate_array(
                array, data=pointer, shape=[arguments[1]], strides=[size], itemsize=size, meminfo=None
            )
            return array._getvalue()

        return array_type(types.int64, types.int64), generate

    return array_at


uint16_array_at = _define_array_at(types.uint16)
int16_array_at = _define_array_at(types.int16)
int32_array_at = _define_array_at(types.int32)
uint32_array_at = _define_array_at(types.uint32)
float32_array_at = _define_array_at(types.float32)
uint64_array_at = _define_array_at(types.uint64)
int64_array_at = _define_array_at(types.int64)
float64_array_at = _define_array_at(types.float64)


def _define_view(element_type, summary):
    pointer_to = _define_pointer_to(element_type)

    @kernel
    def view(base, offset):
        return pointer_to(base + offset)

    view.__doc__ = summary
    return view


numbers_at = _define_view(types.int64, "Pointer to the int64 from byte `offset` of the memory on.")
words_at = _define_view(types.uint64, "Pointer to the uint64 from byte `offset` of the memory on.")
int32s_at = _define_view(types.int32, "Pointer to the int32 from byte `offset` of the memory on.")
int16s_at = _define_view(types.int16, "Pointer to the int16 from byte `offset` of the memory on.")
uint16s_at = _define_view(types.uint16, "Pointer to the uint16 from byte `offset` of the memory on.")
bytes_at = _define_view(types.uint8, "Pointer to the bytes from byte `offset` of the memory on.")


@intrinsic
def monotonic_ns(typing_context):
    """Returns the monotonic clock's time in nanoseconds (int64), by clock_gettime(3). A call takes about 25 ns."""

    def generate(context, builder, signature, arguments):
        timespec = ir.LiteralStructType([ir.IntType(64), ir.IntType(64)])
        function_type = ir.FunctionType(ir.IntType(32), [ir.IntType(32), timespec.as_pointer()])
        function = cgutils.get_or_insert_function(builder.module, function_type, "clock_gettime")
        now = cgutils.alloca_once(builder, timespec)
        builder.call(function, [ir.IntType(32)(CLOCK_MONOTONIC), now])
        seconds = builder.load(cgutils.gep_inbounds(builder, now, 0, 0))
        nanoseconds = builder.load(cgutils.gep_inbounds(builder, now, 0, 1))
        return builder.add(builder.mul(seconds, ir.IntType(64)(NANOSECONDS_PER_S)), nanoseconds)

    return types.int64(), generate


def _call_prefetch(builder, pointer):
    int32 = ir.IntType(32)
    function_type = ir.FunctionType(ir.VoidType(), [pointer.type, int32, int32, int32])
    function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
    builder.call(function, [pointer, int32(0), int32(3), int32(1)])


@intrinsic
def prefetch(typing_context, array, index):
    """Ask the CPU to fetch array[index] into its cache. This changes only the speed."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        _call_prefetch(builder, builder.bitcast(builder.gep(view.data, [arguments[1]]), ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def prefetch_at(typing_context, address):
    """Ask the CPU to fetch the memory at `address` (int64) into its cache. This changes only the speed."""

    def generate(context, builder, signature, arguments):
        _call_prefetch(builder, builder.inttoptr(arguments[0], ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def bit_count(typing_context, word):
    """Returns how many bits of a uint64 are set (int64)."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(typing_context, word):
    """Returns the number of the lowest set bit of a uint64 (int64). The word must not be zero."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@kernel
def take_steps(address, count):
    """Run the calibration: a fixed piece of work whose speed makes figures from different machines comparable.

    Draws `count` random numbers, and for each one adds 1 to one of the counters. Returns the first counter. The
    counters are int32[STEP_COUNTERS] at `address`.
    """
    counters = int32_array_at(address, STEP_COUNTERS)
    random = np.uint64(88172645463325252)
    for _ in range(count):
        random ^= random << np.uint64(13)
        random ^= random >> np.uint64(7)
        random ^= random << np.uint64(17)
        counters[random % np.uint64(STEP_COUNTERS)] += 1
    return np.int64(counters[0])
