"""A table of proven bounds: position hash -> lower and upper bound of its value, and the move that proved one.

An entry is one uint64, and a few side by side are the bucket of a hash. A zeroed table is empty. An entry holds, from
its highest bit on:

    40 bits       the upper bits of the hash; its lower ones choose the bucket
    bound bits    NO_BOUND + lower bound, 0 where there is none
    bound bits    NO_BOUND - upper bound, 0 where there is none
    move bits     1 + move, 0 where there is none
    work bits     the entry's class of work: how much it has cost

The four widths fill the lower 24 bits. Bounds lie strictly between -NO_BOUND and NO_BOUND = 2**(bound bits - 1). Two
positions are confused when all bits agree that are kept of their hashes: the 40, and those that choose the bucket. So a
look into a full bucket finds another position's entry once in 2**40 / entries a bucket.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import prefetch_at, uint64_array_at

KEY_SHIFT = 24
KEY_BITS = np.uint64((1 << 64) - (1 << KEY_SHIFT))
ENTRY_BYTES = 8
_NONE = np.uint64(0)
_ONE = np.uint64(1)


class BoundsTable(NamedTuple):
    """The kernels of one kind of table. All take its address, and how many entries it has: a power of two."""

    prefetch_bucket: object  # (table, entries, hash): have the bucket fetched while something else is done
    probe: object  # (table, entries, hash) -> the entry, or 0, which reads as: no bound, no move
    lower_bound: object  # (entry) -> int64
    upper_bound: object  # (entry) -> int64
    stored_move: object  # (entry) -> the move, or -1
    store: object  # (table, entries, hash, lower, upper, move, work)


def make_bounds_table(bucket, bound_bits, move_bits, work_bits):
    """The BoundsTable with so many entries a bucket, a power of two, and entries of these widths."""
    move_shift = np.uint64(work_bits)
    upper_shift = np.uint64(work_bits + move_bits)
    lower_shift = np.uint64(work_bits + move_bits + bound_bits)
    if work_bits + move_bits + 2 * bound_bits != KEY_SHIFT:
        raise ValueError(f"an entry's fields take {work_bits + move_bits + 2 * bound_bits} bits, not {KEY_SHIFT}")
    bound_mask = np.uint64((1 << bound_bits) - 1)
    move_mask = np.uint64((1 << move_bits) - 1)
    work_mask = np.uint64((1 << work_bits) - 1)
    no_bound = 1 << (bound_bits - 1)
    more_than_any_work = np.uint64(1 << work_bits)

    @kernel
    def first_entry(entries, position_hash):
        return position_hash & np.uint64(entries - bucket)

    @kernel
    def prefetch_bucket(table, entries, position_hash):
        prefetch_at(table + ENTRY_BYTES * np.int64(first_entry(entries, position_hash)))

    @kernel
    def probe(table, entries, position_hash):
        words, first = uint64_array_at(table, entries), first_entry(entries, position_hash)
        key = position_hash & KEY_BITS
        for number in range(bucket):
            entry = words[first + np.uint64(number)]
            if entry & KEY_BITS == key:
                return entry
        return _NONE

    @kernel
    def lower_bound(entry):
        return np.int64((entry >> lower_shift) & bound_mask) - no_bound

    @kernel
    def upper_bound(entry):
        return no_bound - np.int64((entry >> upper_shift) & bound_mask)

    @kernel
    def stored_move(entry):
        return np.int64((entry >> move_shift) & move_mask) - 1

    @kernel
    def store(table, entries, position_hash, lower, upper, move, work):
        """Enter what is known of a position; it replaces what was known of the same one.

        A full bucket gives up the entry that has cost least. Where all have cost more than the new one, that is not
        entered, and the least of them counts as cheaper from now on, so that old entries are given up in the end.
        """
        words, first = uint64_array_at(table, entries), first_entry(entries, position_hash)
        key = position_hash & KEY_BITS
        victim, least = first, more_than_any_work
        for number in range(bucket):
            slot = first + np.uint64(number)
            entry = words[slot]
            if entry & KEY_BITS == key or entry == _NONE:
                victim, least = slot, _NONE
                break
            cost = entry & work_mask
            if cost < least:
                victim, least = slot, cost
        if least > np.uint64(work):
            words[victim] -= _ONE
            return
        bounds = np.uint64(lower + no_bound) << lower_shift | np.uint64(no_bound - upper) << upper_shift
        words[victim] = key | bounds | np.uint64(move + 1) << move_shift | np.uint64(work)

    return BoundsTable(prefetch_bucket, probe, lower_bound, upper_bound, stored_move, store)
