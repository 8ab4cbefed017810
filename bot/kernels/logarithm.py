"""The logarithm that selection formulas need, the same bits on every CPU. Kernel."""

import numpy as np

from .kernel import kernel


@kernel
def natural_log(number):
    """ln of a float32 >= 1 within 1e-4, by arithmetic alone: libm's differs between machines."""
    exponent = 0
    while number >= np.float32(2):
        number *= np.float32(0.5)
        exponent += 1
    # ln x = 2 artanh((x - 1) / (x + 1)) as its series, for 1 <= x < 2.
    ratio = (number - np.float32(1)) / (number + np.float32(1))
    square = ratio * ratio
    series = np.float32(1 / 5) + square * np.float32(1 / 7)
    series = np.float32(1 / 3) + square * series
    return np.float32(2) * ratio * (np.float32(1) + square * series) + np.float32(exponent) * np.float32(0.6931472)
