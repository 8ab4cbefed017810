"""The limits of a search as its kernel takes them: nanoseconds and counts. Standard library only."""

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
