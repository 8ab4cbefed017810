"""Makes the wheel: the packages with native engines of every level and the weights, so that numba is not needed."""
