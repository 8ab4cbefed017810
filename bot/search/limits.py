"""A search's limits: time and counts in the form that kernels take, and the memory that the process may use.

Standard library only, without ctypes, because a platform may refuse it.
"""

# A kernel's limit of time or count that is never reached.
NO_LIMIT = 1 << 62
# The longest time that a kernel runs before it returns to Python, so that Ctrl-C can stop an analysis.
SLICE_S = 0.5


def nanoseconds(seconds):
    """Convert seconds into nanoseconds for a kernel's BUDGET_NS. None becomes NO_LIMIT."""
    return NO_LIMIT if seconds is None else max(0, int(seconds * 1e9))


def count_or_no_limit(count):
    """Returns `count`, or NO_LIMIT if it is None, for a kernel."""
    return NO_LIMIT if count is None else count


def next_slice_s(deadline, now):
    """Returns the seconds that a kernel may run next: at most SLICE_S, and 0 or less if the deadline has passed.

    `deadline` and `now` are times of the same clock. None for `deadline` means no limit.
    """
    return SLICE_S if deadline is None else min(SLICE_S, deadline - now)


# Memory for the interpreter, numba and compiled code: 154 MB measured with numba 0.68 on Linux.
PROCESS_MB = 190
SMALLEST_SEARCH_MB = 8


def check_memory(memory_mb):
    """Raises ValueError if a process that may use `memory_mb` megabytes has no room for a search."""
    smallest = PROCESS_MB + SMALLEST_SEARCH_MB
    if memory_mb < smallest:
        raise ValueError(f"expected at least {smallest} MB, got {memory_mb}")


def made_with_less(make, memory_mb):
    """Returns make(memory_mb). If the system refuses the memory, calls make() again with less.

    The system may refuse it because of an address space limit, for example. make() raises ValueError if its argument is
    too little for a search.
    """
    while True:
        try:
            return make(memory_mb)
        except (OSError, MemoryError):
            memory_mb = memory_mb * 3 // 4
