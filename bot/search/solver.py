"""Kernels that exact searches share: a loop over a stack in memory, a frame's list of moves, a table of proven bounds.

The factories make_run, make_next_move and make_bounds_table make these kernels for one game's search.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns, prefetch_at, uint64_array_at

# The loop over a stack
# ---------------------
#
# A depth-first search keeps its stack in memory, so that it can stop at any position and continue later. Each position
# on the path from the root has a frame in that memory. A frame asks questions about the positions after its moves, one
# after another; the frame below it answers. `make_run` takes five kernels that say what a game's search does with the
# frame at a depth; `memory` is whatever the game's kernels take:
#
#     nodes_of(memory)                    -> the number of positions opened so far
#     open_position(memory, depth)        -> the value of the frame's position if that needs no frame below it, else
#                                           OPEN: then there are moves to try. Counts the position.
#     ask_next(memory, depth)             -> whether the frame has another question; if so, sets it up in the frame
#                                           below
#     conclude(memory, depth)             -> the value of a frame that has no question left
#     take_answer(memory, depth, value)   -> the frame's value if `value`, the answer from the frame below, settles it;
#                                           OPEN if the next question is to be asked; ASK_AGAIN if the frame below
#                                           now holds another question about the same move


# These are returned in place of a value. Every game's values are greater.
OPEN, ASK_AGAIN, STOPPED = -1000, -1001, -1002


def make_run(nodes_of, open_position, ask_next, conclude, take_answer, nodes_a_clock_check):
    """Returns the kernel `run` of a search, which looks at the clock once in `nodes_a_clock_check` positions."""

    @kernel
    def run(memory, first, depth, node_limit, deadline):
        """Search the position in frame `first`. Returns (the position's value, first).

        If a limit stops the search, returns (STOPPED, the depth at which it stopped). `depth` is `first` for a new
        search. To continue a stopped search, it is the depth that the last call returned. `deadline` is in nanoseconds
        of the monotonic clock. The search stops when nodes_of(memory) reaches `node_limit`.
        """
        check_at = nodes_of(memory) + nodes_a_clock_check
        value, entering = OPEN, True
        while True:
            if entering:
                nodes = nodes_of(memory)
                if nodes >= node_limit:
                    return STOPPED, depth
                if nodes >= check_at:
                    if monotonic_ns() >= deadline:
                        return STOPPED, depth
                    check_at = nodes + nodes_a_clock_check
                value = open_position(memory, depth)
            entering = value == OPEN and ask_next(memory, depth)
            if entering:
                depth += 1
                continue
            if value == OPEN:
                value = conclude(memory, depth)
            if depth == first:
                return value, depth
            value = take_answer(memory, depth - 1, value)
            if value == ASK_AGAIN:
                entering = True
            else:
                depth -= 1

    return run


# The list of moves
# -----------------


NO_MOVE_LEFT = -1


def make_next_move(moves, move_words, moves_end):
    """Returns the kernel next_move(frame) for frames whose list of moves begins at word `moves`.

    A move has `move_words` words. Its first word is its order: the move with the greatest order is tried first. Word
    `moves_end` of the frame says where the moves that are left end. Behind them lie the moves that were taken already,
    the one taken last first.
    """

    @kernel
    def next_move(frame):
        """Take the next move from the list. Returns the index in the frame at which the move lies now, or NO_MOVE_LEFT.

        `frame` is a pointer to int64.
        """
        end = frame[moves_end]
        if end == moves:
            return NO_MOVE_LEFT
        best = place = moves
        while place < end:
            if frame[place] > frame[best]:
                best = place
            place += move_words
        end -= move_words
        frame[moves_end] = end
        for word in range(move_words):
            kept = frame[end + word]
            frame[end + word] = frame[best + word]
            frame[best + word] = kept
        return end

    return next_move


# The table of proven bounds
# --------------------------
#
# The table maps a position's hash to a lower and an upper bound of the position's value, and to the move that proved
# one of these bounds.
#
# An entry is one uint64. A few neighbouring entries form a bucket, which the hash chooses. A zeroed table is empty. An
# entry holds, from its highest bit down:
#
#     40 bits       the upper bits of the hash; its lower bits choose the bucket
#     bound bits    NO_BOUND + lower bound, 0 if there is none
#     bound bits    NO_BOUND - upper bound, 0 if there is none
#     move bits     1 + move, 0 if there is none
#     work bits     the class of work: how much the entry has cost to find
#
# The last four fields fill the lower 24 bits. Bounds lie strictly between -NO_BOUND and NO_BOUND = 2**(bound bits - 1).
# Two positions are confused if their hashes agree in the 40 upper bits and in the bits that choose the bucket. So a
# probe of a full bucket finds the entry of another position once in 2**40 / (entries in a bucket) probes.


KEY_SHIFT = 24
KEY_BITS = np.uint64((1 << 64) - (1 << KEY_SHIFT))
ENTRY_BYTES = 8
_NONE = np.uint64(0)
_ONE = np.uint64(1)


class BoundsTable(NamedTuple):
    """The kernels of one kind of table.

    `table` is a table's address, and `entries` the number of its entries, a power of two.
    """

    prefetch_bucket: object  # (table, entries, hash): ask the CPU to fetch the bucket into its cache
    probe: object  # (table, entries, hash) -> the entry, or 0, which means no bounds and no move
    lower_bound: object  # (entry) -> int64
    upper_bound: object  # (entry) -> int64
    stored_move: object  # (entry) -> the move, or -1 if there is none
    store: object  # (table, entries, hash, lower, upper, move, work): enter what is known of a position


def make_bounds_table(bucket, bound_bits, move_bits, work_bits):
    """Returns the BoundsTable for buckets of `bucket` entries, a power of two, and entry fields of these widths.

    The widths are in bits. Raises ValueError if the fields do not fill an entry.
    """
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
        """Enter bounds and a move of a position. They replace an older entry of the same position.

        `work` is the class of work: how much the entry has cost to find. If the bucket is full, the new entry replaces
        the old entry with the lowest class. If every old entry has a higher class than the new entry, the new one is
        not stored. Instead, the lowest class among the old entries is reduced by one, so that old entries are replaced
        in the end.
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
