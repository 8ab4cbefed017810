"""How much memory a bot needs. Standard library only, without ctypes, which a platform may refuse."""

# Interpreter, numba and compiled code beside the search memory: 154 MB measured with numba 0.68 on Linux.
PROCESS_MB = 190
SMALLEST_SEARCH_MB = 8


def check_memory(memory_mb):
    """Raises ValueError when a process of that many MB leaves no room for a search."""
    smallest = PROCESS_MB + SMALLEST_SEARCH_MB
    if memory_mb < smallest:
        raise ValueError("expected at least %d MB, got %s" % (smallest, memory_mb))
