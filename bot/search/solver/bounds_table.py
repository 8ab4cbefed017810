"""A table of proven bounds: position hash -> lower and upper bound of its value, and the move that proved one.

An entry is one uint64, four of them (32 bytes) are the bucket of a hash; a zeroed table is empty:

    bits 24..63   the upper 40 bits of the hash; the bucket is chosen by its lower bits
    bits 15..23   256 + lower bound, 0 where there is none
    bits  6..14   256 - upper bound, 0 where there is none
    bits  2..5    1 + move, 0 where there is none
    bits  0..1    work: 0 for a subtree of a few nodes, 3 for the largest

Bounds lie strictly between -256 and 256. Two positions are confused when 64 bits of hash agree (fewer for a table
of less than 2**24 entries, by as many bits as it is smaller): one chance in 10**12 for 10**7 positions searched.
"""

import numpy as np

from bot.kernels.kernel import kernel

BUCKET = 4
NO_BOUND = 256
KEY_BITS = np.uint64(0xFFFFFFFFFF000000)
_NINE_BITS = np.uint64(511)
_FOUR_BITS = np.uint64(15)
_WORK_BITS = np.uint64(3)


@kernel
def bucket_of(table, position_hash):
    """Index of the first entry of the bucket; table: uint64[a power of two, at least BUCKET]."""
    return np.int64(position_hash & np.uint64(table.shape[0] - 1)) & ~(BUCKET - 1)


@kernel
def probe(table, position_hash):
    """The entry of that position, or 0 (which reads as: no bound, no move)."""
    first = bucket_of(table, position_hash)
    key = position_hash & KEY_BITS
    for slot in range(first, first + BUCKET):
        if table[slot] & KEY_BITS == key:
            return table[slot]
    return np.uint64(0)


@kernel
def lower_bound(entry):
    return np.int64((entry >> np.uint64(15)) & _NINE_BITS) - NO_BOUND


@kernel
def upper_bound(entry):
    return NO_BOUND - np.int64((entry >> np.uint64(6)) & _NINE_BITS)


@kernel
def stored_move(entry):
    """The move, or -1."""
    return np.int64((entry >> np.uint64(2)) & _FOUR_BITS) - 1


@kernel
def work_class(nodes):
    """0..3 for the number of nodes that a result has cost."""
    return 0 if nodes < 32 else 1 if nodes < 1024 else 2 if nodes < 65536 else 3


@kernel
def store(table, position_hash, lower, upper, move, work):
    """Enter what is known of a position; it replaces what was known of the same one.

    A full bucket gives up the entry that has cost least; where all have cost more than the new one, which is then
    not entered, the least of them counts as cheaper from now on, so that old ones are given up in the end.
    """
    first = bucket_of(table, position_hash)
    key = position_hash & KEY_BITS
    victim = first
    least = np.uint64(4)
    for slot in range(first, first + BUCKET):
        entry = table[slot]
        if entry & KEY_BITS == key:
            victim, least = slot, np.uint64(0)
            break
        cost = entry & _WORK_BITS if entry != 0 else np.uint64(0)
        if cost < least or entry == 0:
            victim, least = slot, cost
            if entry == 0:
                break
    if least > np.uint64(work):
        table[victim] -= np.uint64(1)
        return
    table[victim] = (
        key
        | np.uint64(lower + NO_BOUND) << np.uint64(15)
        | np.uint64(NO_BOUND - upper) << np.uint64(6)
        | np.uint64(move + 1) << np.uint64(2)
        | np.uint64(work)
    )
