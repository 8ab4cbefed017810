"""Finds compiled kernels for a game: native engines, kernels compiled by numba, and what both are built from."""
