"""Kernels for a hash of a word, for the logarithm in selection formulas, and for the exponential in priors.

Results are the same bits on every CPU.
"""

import numpy as np

from .kernel import kernel

_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)


@kernel
def mixed(word):
    """Returns a uint64 hash of the uint64 `word`.

    Every bit of the hash depends on every bit of `word`. Different words have different hashes. Source: the finaliser
    of SplitMix64, Steele, Lea and Flood 2014.
    """
    word = (word ^ (word >> np.uint64(30))) * _FIRST_MULTIPLIER
    word = (word ^ (word >> np.uint64(27))) * _SECOND_MULTIPLIER
    return word ^ (word >> np.uint64(31))


@kernel
def natural_log(number):
    """Returns the natural logarithm of a float32 >= 1, within 1e-4.

    The kernel uses arithmetic alone, because the results of libm differ between machines.
    """
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


@kernel
def natural_exp(number):
    """Returns e to the power of a float32 <= 0, within a relative error of 3e-4; below -40 as for -40.

    The kernel uses arithmetic alone, because the results of libm differ between machines.
    """
    doublings = max(number, np.float32(-40)) * np.float32(1.442695)
    whole = np.int64(doublings)  # towards zero
    part = (doublings - np.float32(whole)) * np.float32(0.6931472)  # -ln 2 .. 0
    series = np.float32(1 / 6) + part * (np.float32(1 / 24) + part * np.float32(1 / 120))
    series = np.float32(1) + part * (np.float32(1) + part * (np.float32(1 / 2) + part * series))
    return series / np.float32(np.int64(1) << -whole)
