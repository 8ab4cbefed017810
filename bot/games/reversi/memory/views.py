"""The search's memory as its kernels see it: pointers to what lies at fixed offsets from its address.

Pointers, not arrays: an index is used as it is, where an array would first ask whether it counts from the end.
"""

from numba import types

from bot.kernels.kernel import kernel
from bot.kernels.machine import define_pointer_to

_int64_pointer = define_pointer_to(types.int64)


@kernel
def control_at(base):
    """The control fields: pointer to int64."""
    return _int64_pointer(base)


def _define_view(element_type, summary):
    pointer_to = define_pointer_to(element_type)

    @kernel
    def view(base, offset):
        return pointer_to(base + offset)

    view.__doc__ = summary
    return view


words_at = _define_view(types.uint64, "Pointer to the uint64 from byte `offset` of the memory on.")
numbers_at = _define_view(types.int64, "Pointer to the int64 from byte `offset` of the memory on.")
halves_at = _define_view(types.int32, "Pointer to the int32 from byte `offset` of the memory on.")
shorts_at = _define_view(types.int16, "Pointer to the int16 from byte `offset` of the memory on.")
bytes_at = _define_view(types.uint8, "Pointer to the bytes from byte `offset` of the memory on.")
