"""Hashes of words. Kernels."""

import numpy as np

from .kernel import kernel

_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)


@kernel
def mixed(word):
    """A uint64 in which every bit depends on every bit of the argument, another one for every argument.

    Source: the finaliser of SplitMix64, Steele, Lea and Flood 2014.
    """
    word = (word ^ (word >> np.uint64(30))) * _FIRST_MULTIPLIER
    word = (word ^ (word >> np.uint64(27))) * _SECOND_MULTIPLIER
    return word ^ (word >> np.uint64(31))
