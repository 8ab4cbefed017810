"""How much memory a bot needs. Standard library only, without ctypes, which a platform may refuse."""

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
