"""One 3x3 convolution in int16 on one core, to see how fast an engine could evaluate a network. It needs AVX2.

`vpmaddwd` multiplies sixteen pairs of int16 and adds neighbours: two input channels of eight output channels at once.
"""

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from bot.kernels.lanes import in_every_lane
from deep_training.board import COLUMNS, ROWS

ROWS_AT_ONCE, VECTORS_AT_ONCE = 3, 4  # 12 of 16 vector registers hold sums; one holds cells, the others weights
LANES = 8  # int32 in a vector
TAPS = 3  # across and along a column
_INT16, _INT32, _INT64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_SUMS, _PAIRS = ir.VectorType(_INT32, LANES), ir.VectorType(_INT16, 2 * LANES)
INT16_BYTES, INT32_BYTES = 2, 4


def is_possible() -> bool:
    """Return whether this CPU has AVX2."""
    return bool(llvmlite.binding.get_host_cpu_features().get("avx2", False))


def packed(weights: np.ndarray) -> np.ndarray:
    """Return int16[TAPS, TAPS, inputs, outputs] (column, row) as `convolve` takes it: inputs in pairs, last."""
    _, _, inputs, outputs = weights.shape
    return np.ascontiguousarray(weights.reshape(TAPS, TAPS, inputs // 2, 2, outputs).swapaxes(3, 4))


@njit
def convolve(cells, weights, result):
    """Write the convolution of cells int16[COLUMNS + 2, ROWS + 2, c] by `packed` weights to int32[COLUMNS, ROWS, c].

    c: a multiple of 32. Products and sums must fit an int32. All arrays are C-contiguous.
    """
    channels = cells.shape[2]
    for outputs in range(0, channels, LANES * VECTORS_AT_ONCE):
        for column in range(COLUMNS):
            for row in range(0, ROWS, ROWS_AT_ONCE):
                _block(cells.ctypes.data, weights.ctypes.data, result.ctypes.data, channels, column, row, outputs)


@intrinsic
def _block(typing_context, cells, weights, result, channels, column, row, outputs):
    """ROWS_AT_ONCE cells of a column by VECTORS_AT_ONCE vectors of outputs; the arrays by their addresses."""

    def generate(context, builder, signature, arguments):
        cells, weights, result, channels, column, row, outputs = arguments
        add, multiply, number = builder.add, builder.mul, _INT64
        function = ir.FunctionType(_SUMS, [_PAIRS, _PAIRS])
        madd = cgutils.get_or_insert_function(builder.module, function, "llvm.x86.avx2.pmadd.wd")

        def pointer(address, index, size, kind):
            return builder.inttoptr(add(address, multiply(index, number(size))), kind.as_pointer())

        def cell(columns, rows, column, row):
            return multiply(add(multiply(add(column, number(columns)), number(rows)), row), channels)

        places = [(near, vector) for near in range(ROWS_AT_ONCE) for vector in range(VECTORS_AT_ONCE)]
        sums = {place: cgutils.alloca_once_value(builder, ir.Constant(_SUMS, [0] * LANES)) for place in places}
        pairs = builder.udiv(channels, number(2))
        for tap in range(TAPS * TAPS):
            across, along = divmod(tap, TAPS)
            with cgutils.for_range(builder, pairs) as loop:
                of_pair = multiply(add(multiply(number(tap), pairs), loop.index), channels)
                factors = []
                for vector in range(VECTORS_AT_ONCE):
                    first = add(add(of_pair, outputs), number(vector * LANES))
                    factors.append(builder.load(pointer(weights, first, 2 * INT16_BYTES, _PAIRS)))
                    factors[-1].align = INT16_BYTES
                for near in range(ROWS_AT_ONCE):
                    first = cell(across, ROWS + 2, column, add(row, number(near + along)))
                    two = builder.load(pointer(cells, add(first, multiply(loop.index, number(2))), INT16_BYTES, _INT32))
                    two.align = INT16_BYTES
                    both = builder.bitcast(in_every_lane(builder, two, _SUMS), _PAIRS)
                    for vector in range(VECTORS_AT_ONCE):
                        kept = sums[near, vector]
                        builder.store(add(builder.load(kept), builder.call(madd, [both, factors[vector]])), kept)
        for near, vector in places:
            first = add(cell(0, ROWS, column, add(row, number(near))), add(outputs, number(vector * LANES)))
            written = builder.store(builder.load(sums[near, vector]), pointer(result, first, INT32_BYTES, _SUMS))
            written.align = INT32_BYTES
        return context.get_dummy_value()

    return types.void(*[types.int64] * 7), generate
