"""A search's limits: time and counts in the form that kernels take, and the memory of the process.

Standard library only, without ctypes, which a platform may refuse.
"""

# A kernel's limit of time or count that is never reached.
NO_LIMIT = 1 << 62
# The longest time inside a kernel without a return to Python, so that Ctrl-C can stop an analysis.
SLICE_S = 0.5


def nanoseconds(seconds):
    """Convert seconds, None for no limit, into a kernel's BUDGET_NS."""
    return NO_LIMIT if seconds is None else max(0, int(seconds * 1e9))


def count_or_no_limit(count):
    """Convert a count, None for no limit, into a kernel's limit."""
    return NO_LIMIT if count is None else count


def next_slice_s(deadline, now):
    """Returns the seconds that the kernel may run next: at most SLICE_S, and 0 or less if the deadline has passed.

    `deadline` is None for no limit.
    """
    return SLICE_S if deadline is None else min(SLICE_S, deadline - now)


# Memory for the interpreter, numba and compiled code: 154 MB measured with numba 0.68 on Linux.
PROCESS_MB = 190
SMALLEST_SEARCH_MB = 8


def check_memory(memory_mb):
    """Raises ValueError if a process of `memory_mb` megabytes leaves no room for a search."""
    smallest = PROCESS_MB + SMALLEST_SEARCH_MB
    if memory_mb < smallest:
        raise ValueError(f"expected at least {smallest} MB, got {memory_mb}")


def made_with_less(make, memory_mb):
    """Returns make(memory_mb), called with less memory if the system refuses it, for example by an address space limit.

    make() raises ValueError, as check_memory does, when the memory is too little.
    """
    while True:
        try:
            return make(memory_mb)
        except (OSError, MemoryError):
            memory_mb = memory_mb * 3 // 4
