"""Where compiled kernels come from: native engines, numba, and what both are made of."""
