"""What Python gets ready for kernels: the memory that they work in, seeds of random generators, the calibration.

Standard library only.
"""

import ctypes
import mmap

MEGABYTE = 1 << 20
# Of int32, at the address that the calibration takes (machine.take_steps).
STEP_COUNTERS = 1000
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


def mixed(seed):
    """A random state of 63 bits, never zero, from any integer (SplitMix64's finaliser, Steele, Lea and Flood 2014)."""
    word = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    word ^= word >> 31
    # Control blocks are read as signed numbers in Python and as unsigned ones by the kernels.
    return (word & 0x7FFFFFFFFFFFFFFF) or 1


def calibrate(kernels, count):
    """Have a game's loaded kernels take so many steps, whose speed is the machine's; returns the first counter."""
    counters = (ctypes.c_int32 * STEP_COUNTERS)()
    return kernels.steps(ctypes.addressof(counters), count)


def table_entries(megabytes):
    """Entries of 8 bytes of the largest solver's table that fits: a power of two. Raises ValueError below 1024."""
    entries = int(megabytes * MEGABYTE) // 8
    if entries < _LEAST_ENTRIES:
        raise ValueError(f"a solver's table takes at least 0.01 MB, got {megabytes}")
    return 1 << (entries.bit_length() - 1)
