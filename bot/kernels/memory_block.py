"""The memory that a kernel works in, as Python has it: one mapping, its address, its views. Standard library only."""

import ctypes
import mmap

MEGABYTE = 1 << 20
_LEAST_ENTRIES = 1024


class MemoryBlock:
    """`size` zeroed bytes, committed page by page as they are touched.

    address: of the first byte, for kernels; size: in bytes; view: memoryview of all of it, uint8. huge_pages: ask the
    system for them, so that a probe of a large table seldom waits for a page's address.
    """

    def __init__(self, size, huge_pages=False):
        memory = mmap.mmap(-1, size)
        if huge_pages and hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                memory.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                pass  # a kernel without them
        self.size = size
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self.view = memoryview(memory)

    def array(self, offset, count, code):
        """`count` numbers from a byte on, as a memoryview; code: of their type, as the module struct has it."""
        item_bytes = memoryview(b"").cast(code).itemsize
        return self.view[offset : offset + count * item_bytes].cast(code)

    def write(self, offset, data):
        """Copy bytes to a byte on."""
        self.view[offset : offset + len(data)] = data

    def clear_from(self, offset):
        """Make everything from a byte on zero."""
        ctypes.memset(self.address + offset, 0, self.size - offset)


def table_entries(megabytes):
    """Entries of 8 bytes of the largest solver's table that fits: a power of two. Raises ValueError below 1024."""
    entries = int(megabytes * MEGABYTE) // 8
    if entries < _LEAST_ENTRIES:
        raise ValueError(f"a solver's table takes at least 0.01 MB, got {megabytes}")
    return 1 << (entries.bit_length() - 1)
