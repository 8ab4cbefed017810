"""Symmetric, positive definite matrices as lists of rows: those here are small, and no package has to be loaded."""

import math
from collections.abc import Sequence
from operator import mul

Matrix = list[list[float]]


class NotPositive(ValueError):
    """The matrix is not positive definite."""


def cholesky(matrix: Sequence[Sequence[float]]) -> Matrix:
    """The lower triangle L, row i of length i + 1, with L times its transpose the matrix; its upper half is not read.

    Raises NotPositive where there is none.
    """
    factor: Matrix = []
    for place, row in enumerate(matrix):
        made: list[float] = []
        for column, other in enumerate(factor):
            made.append((row[column] - sum(map(mul, made, other))) / other[column])
        square = row[place] - sum(map(mul, made, made))
        if not square > 0.0:
            raise NotPositive
        made.append(math.sqrt(square))
        factor.append(made)
    return factor


def solved(factor: Matrix, vector: Sequence[float]) -> list[float]:
    """The x with matrix x = vector, by the matrix's cholesky()."""
    found: list[float] = []
    for row, value in zip(factor, vector, strict=True):
        found.append((value - sum(map(mul, row, found))) / row[len(found)])
    for place in range(len(found) - 1, -1, -1):
        row = factor[place]
        found[place] /= row[place]
        for column in range(place):
            found[column] -= row[column] * found[place]
    return found


def inverse(factor: Matrix) -> Matrix:
    """The matrix's inverse, by its cholesky()."""
    size = len(factor)
    return [solved(factor, [float(row == column) for column in range(size)]) for row in range(size)]


def product(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    """The matrix times the vector."""
    return [sum(map(mul, row, vector)) for row in matrix]


def form(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> float:
    """vector' matrix vector: the variance of a sum with these weights where the matrix is a covariance."""
    return sum(map(mul, vector, product(matrix, vector)))
