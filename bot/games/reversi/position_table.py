"""The memory as kernels see it (memory.py shows its layout): its fields, and the table of searched positions. Kernels.

Midgame and endgame share the table. The table maps a position to bounds of its score and to its two best moves. An
entry is two uint64, and four entries (64 bytes, one cache line) form a bucket. All words of an empty table are zero.

    word 0: key, a hash of all 64 bits of both sides
    word 1: bits  0.. 7  128 + lower bound of the score           bits 32..39  best move, NO_SQUARE if unknown
            bits  8..15  128 + upper bound                        bits 40..47  the former best move
            bits 16..23  depth searched                           bits 48..55  date of the search
            bits 24..31  certainty, highest for an exact search

Two positions are confused if all 64 bits of their keys agree. The chance that this happens in 10**7 probes of a table
of 2**24 entries is one in 10**11.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import numbers_at, words_at

from .bitboard import swap_bytes
from .memory import (
    FRAME_WORDS,
    FRAMES_OFFSET,
    INDEX_MULTIPLIER,
    NO_SQUARE,
    OPPONENT_MULTIPLIER,
    OWN_MULTIPLIER,
    TABLE_BUCKETS,
    TABLE_DATE,
    TABLE_OFFSET,
    TABLE_USED,
)

BUCKET_WORDS = 8
SCORE_ZERO = 128
LOWEST, HIGHEST = -127, 127
_BYTE = np.uint64(255)
_OWN_MULTIPLIER = np.uint64(OWN_MULTIPLIER)
_OPPONENT_MULTIPLIER = np.uint64(OPPONENT_MULTIPLIER)
_INDEX_MULTIPLIER = np.uint64(INDEX_MULTIPLIER)


@kernel
def control_at(base):
    """Returns a pointer (int64) to the control fields."""
    return numbers_at(base, 0)


@kernel
def frame_at(base, ply):
    """Returns a pointer (int64) to the fields of the frame at `ply`."""
    return numbers_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * ply)


@kernel
def frame_words_at(base, ply):
    """Returns a pointer (uint64) to the fields of the frame at `ply`, for its discs and keys."""
    return words_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * ply)


@kernel
def key_of(own, opponent):
    """Returns the key (uint64) of a position seen by the side to move. It is never 0 in practice."""
    return own * _OWN_MULTIPLIER + swap_bytes(opponent * _OPPONENT_MULTIPLIER)


@kernel
def bucket_of(base, key):
    """Returns where the bucket of a position's `key` begins: an index (int64) into the words of the table at `base`."""
    spread = key * _INDEX_MULTIPLIER >> np.uint64(32)
    return np.int64(spread * np.uint64(control_at(base)[TABLE_BUCKETS]) >> np.uint64(32)) * BUCKET_WORDS


@kernel
def probe(base, key):
    """Returns word 1 of the entry of the position with the key `key`, or 0 if there is none."""
    table = words_at(base, TABLE_OFFSET)
    first = bucket_of(base, key)
    for slot in range(first, first + BUCKET_WORDS, 2):
        if table[slot] == key:
            return table[slot + 1]
    return np.uint64(0)


@kernel
def lower_of(data):
    return np.int64(data & _BYTE) - SCORE_ZERO


@kernel
def upper_of(data):
    return np.int64(data >> np.uint64(8) & _BYTE) - SCORE_ZERO


@kernel
def depth_of(data):
    return np.int64(data >> np.uint64(16) & _BYTE)


@kernel
def certainty_of(data):
    return np.int64(data >> np.uint64(24) & _BYTE)


@kernel
def move_of(data):
    return np.int64(data >> np.uint64(32) & _BYTE)


@kernel
def second_move_of(data):
    return np.int64(data >> np.uint64(40) & _BYTE)


@kernel
def store(base, key, depth, certainty, lower, upper, move):
    """Enter the bounds `lower` and `upper` of a position into the table.

    If the position has an entry with the same depth and certainty, its bounds are combined with the new ones, otherwise
    they are replaced. `move` is the best move, or NO_SQUARE if none is known. If the bucket is full, the entry with the
    least depth is replaced, and entries of older searches are replaced first.
    """
    table = words_at(base, TABLE_OFFSET)
    date = np.uint64(control_at(base)[TABLE_DATE])
    first = bucket_of(base, key)
    victim, least = first, np.int64(1) << 40
    second = NO_SQUARE
    for slot in range(first, first + BUCKET_WORDS, 2):
        data = table[slot + 1]
        if table[slot] == key and data != np.uint64(0):
            victim = slot
            if depth_of(data) == depth and certainty_of(data) == certainty:
                lower, upper = max(lower, lower_of(data)), min(upper, upper_of(data))
            second = move_of(data)
            if second == move or move == NO_SQUARE:
                move, second = second, second_move_of(data)
            break
        worth = depth_of(data) + (256 if data >> np.uint64(48) == date else 0)
        if data == np.uint64(0):
            worth = -1
        if worth < least:
            victim, least = slot, worth
    if table[victim + 1] == np.uint64(0):
        control_at(base)[TABLE_USED] += 1
    table[victim] = key
    table[victim + 1] = (
        np.uint64(lower + SCORE_ZERO)
        | np.uint64(upper + SCORE_ZERO) << np.uint64(8)
        | np.uint64(depth) << np.uint64(16)
        | np.uint64(certainty) << np.uint64(24)
        | np.uint64(move) << np.uint64(32)
        | np.uint64(second) << np.uint64(40)
        | date << np.uint64(48)
    )
