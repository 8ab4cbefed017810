"""Finds compiled kernels for a game: native engines, kernels compiled by numba, and the sources of both."""
