"""The solver's table of proven bounds: a position's key -> lower and upper bound of its value, and a move.

An entry is one uint64, eight of them (a cache line) are the bucket of a key:

    bits 24..63   the upper 40 bits of the key; the bucket is chosen by its lower bits
    bits 17..23   64 + lower bound, 0 where there is none
    bits 10..16   64 - upper bound, 0 where there is none
    bits  3..9    1 + the best move's code, 0 where there is none
    bits  0..2    work: how much the entry has cost

Values lie between -49 and 49. Two positions are confused when all bits agree that are kept of their keys: 40 and those
that choose the bucket, one chance in 10**9 for 10**7 positions searched with a table of 32 MB.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import prefetch_at

from .layout import TABLE_ENTRIES, TABLE_OFFSET
from .memory import control_at, table_at

BUCKET = 8
# Of what an entry means: one more whenever the keys or the bits change, so that no kept table is misread.
KEYS_VERSION = 2
NO_BOUND = 64
_KEY_BITS = np.uint64(0xFFFFFFFFFF000000)
_SEVEN_BITS = np.uint64(127)
_WORK_BITS = np.uint64(7)
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def bucket_of(base, key):
    """Index of the first entry of the bucket (uint64)."""
    return key & np.uint64(control_at(base)[TABLE_ENTRIES] - BUCKET)


@kernel
def prefetch_bucket(base, key):
    """Have the bucket of a key fetched while something else is done."""
    prefetch_at(base + TABLE_OFFSET + np.int64(bucket_of(base, key)) * 8)


@kernel
def probe(base, key):
    """The entry of that position, or 0 (which reads as: no bound, no move)."""
    table, first = table_at(base), bucket_of(base, key)
    wanted = key & _KEY_BITS
    for slot in range(BUCKET):
        entry = table[first + np.uint64(slot)]
        if entry & _KEY_BITS == wanted:
            return entry
    return _NONE


@kernel
def lower_bound(entry):
    return np.int64((entry >> np.uint64(17)) & _SEVEN_BITS) - NO_BOUND


@kernel
def upper_bound(entry):
    return NO_BOUND - np.int64((entry >> np.uint64(10)) & _SEVEN_BITS)


@kernel
def stored_move(entry):
    """The move's code, or -1."""
    return np.int64((entry >> np.uint64(3)) & _SEVEN_BITS) - 1


@kernel
def work_of(nodes):
    """0..7 for the number of nodes that a result has cost; a class spans a factor of eight."""
    work = 0
    while nodes >= 8 and work < 7:
        nodes >>= 3
        work += 1
    return work


@kernel
def store(base, key, lower, upper, move, work):
    """Enter what is known of a position; it replaces what was known of the same one.

    A full bucket gives up the entry that has cost least; where all have cost more than the new one, which is then
    not entered, the least of them counts as cheaper from now on, so that old ones are given up in the end.
    """
    table, first = table_at(base), bucket_of(base, key)
    wanted = key & _KEY_BITS
    victim, least = first, np.uint64(8)
    for number in range(BUCKET):
        slot = first + np.uint64(number)
        entry = table[slot]
        if entry & _KEY_BITS == wanted or entry == _NONE:
            victim, least = slot, _NONE
            break
        cost = entry & _WORK_BITS
        if cost < least:
            victim, least = slot, cost
    if least > np.uint64(work):
        table[victim] -= _ONE
        return
    bounds = np.uint64(lower + NO_BOUND) << np.uint64(17) | np.uint64(NO_BOUND - upper) << np.uint64(10)
    table[victim] = wanted | bounds | np.uint64(move + 1) << np.uint64(3) | np.uint64(work)
