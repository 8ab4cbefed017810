"""A search memory as kernels see it: pointers to what lies so many bytes behind its address.

Pointers, not arrays: an index is used as it is, where an array would first ask whether it counts from the end.
"""

from numba import types

from .kernel import kernel
from .machine import define_pointer_to


def _define_view(element_type, summary):
    pointer_to = define_pointer_to(element_type)

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
