"""A game's entry points as numba compiles them: compiled once for this version, loaded once in a process."""

import functools

from bot.backends.jit import JitKernels


@functools.cache
def jit_kernels(game):
    """One process compiles, all others find the kernels in the cache."""
    found = JitKernels(game)
    found.compile()
    return found.load()
