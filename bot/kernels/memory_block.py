"""What Python prepares for kernels: their memory, the states of their random generators, and the calibration.

Standard library only.
"""

import ctypes
import mmap

MEGABYTE = 1 << 20
# The number of int32 counters that the calibration (machine.take_steps) needs.
STEP_COUNTERS = 1000
_LEAST_ENTRIES = 1024


class MemoryBlock:
    """A block of `size` zeroed bytes. The system commits its pages when they are first touched.

    `address` is the address of the first byte, for kernels. `view` is a memoryview (uint8) of the whole block. With
    `huge_pages` the constructor asks the system for huge pages, so that a probe of a large table seldom waits for an
    address translation.
    """

    def __init__(self, size, huge_pages=False):
        memory = mmap.mmap(-1, size)
        if huge_pages and hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                memory.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                pass  # this system has no huge pages
        self.size = size
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self.view = memoryview(memory)

    def array(self, offset, count, code):
        """Returns a writable memoryview of the `count` numbers that begin at byte `offset`.

        `code` is the format character that the module struct has for the numbers' type.
        """
        item_bytes = memoryview(b"").cast(code).itemsize
        return self.view[offset : offset + count * item_bytes].cast(code)

    def write(self, offset, data):
        """Copy `data` into the block, from byte `offset` on."""
        self.view[offset : offset + len(data)] = data

    def clear_from(self, offset):
        """Set all bytes from byte `offset` on to zero."""
        ctypes.memset(self.address + offset, 0, self.size - offset)


def mixed(seed):
    """Returns a state for a random generator, made from `seed`, which is any integer. It has 63 bits and is never zero.

    Source: the finaliser of SplitMix64, Steele, Lea and Flood 2014.
    """
    word = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    word ^= word >> 31
    # Control blocks are read as signed numbers in Python and as unsigned ones by the kernels.
    return (word & 0x7FFFFFFFFFFFFFFF) or 1


def calibrate(kernels, count):
    """Run `count` steps of the calibration with a game's loaded kernels. Returns the first of its counters.

    The caller measures the time that this takes.
    """
    counters = (ctypes.c_int32 * STEP_COUNTERS)()
    return kernels.steps(ctypes.addressof(counters), count)


def table_entries(megabytes):
    """Returns the number of 8-byte entries, a power of two, of the largest solver's table that fits `megabytes`.

    Raises ValueError if fewer than 1024 entries fit.
    """
    entries = int(megabytes * MEGABYTE) // 8
    if entries < _LEAST_ENTRIES:
        raise ValueError(f"a solver's table takes at least 0.01 MB, got {megabytes}")
    return 1 << (entries.bit_length() - 1)
