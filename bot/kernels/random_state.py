"""Seeds of random generators. Standard library only."""


def mixed(seed):
    """A random state of 63 bits, never zero, from any integer (SplitMix64's finaliser, Steele, Lea and Flood 2014)."""
    word = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    word ^= word >> 31
    # Control blocks are read as signed numbers in Python and as unsigned ones by the kernels.
    return (word & 0x7FFFFFFFFFFFFFFF) or 1
