"""The limits of a search: time and counts as its kernel takes them, and the memory of its process.

Standard library only, without ctypes, which a platform may refuse.
"""

# Longer and more than anything.
NO_LIMIT = 1 << 62
# Longest stretch inside a kernel, so that Ctrl-C reaches an analysis.
SLICE_S = 0.5


def nanoseconds(seconds):
    """Seconds, None for no limit, as a kernel's BUDGET_NS."""
    return NO_LIMIT if seconds is None else max(0, int(seconds * 1e9))


def count_or_no_limit(count):
    """A count, None for no limit, as a kernel's."""
    return NO_LIMIT if count is None else count


def next_slice_s(deadline, now):
    """Seconds of the next stretch inside a kernel; not above 0 where the deadline, None for none, has passed."""
    return SLICE_S if deadline is None else min(SLICE_S, deadline - now)


# Interpreter, numba and compiled code beside the search memory: 154 MB measured with numba 0.68 on Linux.
PROCESS_MB = 190
SMALLEST_SEARCH_MB = 8


def check_memory(memory_mb):
    """Raises ValueError when a process of that many MB leaves no room for a search."""
    smallest = PROCESS_MB + SMALLEST_SEARCH_MB
    if memory_mb < smallest:
        raise ValueError(f"expected at least {smallest} MB, got {memory_mb}")


def made_with_less(make, memory_mb):
    """make(memory_mb), with less where the system does not give that much, as under a limit on addresses.

    Raises ValueError, as check_memory does, when that is too little.
    """
    while True:
        try:
            return make(memory_mb)
        except (OSError, MemoryError):
            memory_mb = memory_mb * 3 // 4
