"""Which column a rollout plays: each has a random key, the smallest key is played.

A key is 16 bits: the band that the tactics put its column in, random bits, the number of its lane. The settings
rollout_follow and rollout_even prefer, within a band, the column just played in and those with an odd number of free
cells: who answers so gets the second cell of every pair, and the other side is the first that has to give way
(claimeven and baseinverse of Allis 1988, which rules/parity.py turns into bounds). rollout_reply prefers the reply that
has last won (replies.py). A key that is preferred lacks so many of the highest bits of its random part.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    everywhere,
    filled_lanes,
    lane_numbers,
    nonzero_lanes,
    overlap,
    same_in_all_lanes,
    zero_lanes,
)

from ..rules.board import AVOID, BLOCK, RESERVE, TAKE_WINS

# Parts of a key (sampling_keys), 16 bits: band, random, lane.
LOSING = 0x8000
RESERVED = 0x4000
NO_BLOCK = 0x2000
RANDOM_BITS = 0x1FF0
LANE_NUMBER = 0x000F
# The same for sampling_keys_with, where losing columns may have to be told from full ones.
FULL = 0x8000
NO_REPLY = 0x4000
UNSAFE = 0x2000
KEPT = 0x1000
ALWAYS_RANDOM = 0x0FF0


@kernel
def highest_bits(random_bits, count):
    """So many of the highest bits of the keys' random part: a key without them is likely to be the smallest."""
    return same_in_all_lanes(random_bits & ~(random_bits >> np.int64(count)))


@kernel
def sampling_keys(random, own_threats, opponent_threats, floor, above):
    """One key for each column (lane); the column with the smallest is played, none when that is LOSING or more.

    Bands, best first: a column that blocks; one where both sides may play; one that only the opponent may not
    play, kept in reserve; one that is full or lies under the opponent's winning cell. Random within a band; the
    lane's number makes keys differ.
    """
    keys = (random & everywhere(RANDOM_BITS)) | lane_numbers()
    band = everywhere(NO_BLOCK) | (filled_lanes(own_threats & above) & everywhere(RESERVED))
    losing = filled_lanes(opponent_threats & above) | zero_lanes(floor)
    return keys | (zero_lanes(opponent_threats & floor) & band) | (losing & everywhere(LOSING))


@kernel
def leaves_no_choice(opponent_threats, floor, above):
    """Whether every move but at most one loses at once, as far as one look ahead tells."""
    if overlap(opponent_threats, floor):
        return True
    safe = nonzero_lanes(floor) & ~nonzero_lanes(opponent_threats & above)
    return safe & (safe - 1) == 0


@kernel
def where(wanted, bits):
    """Those Lanes if wanted, else nothing."""
    return bits if wanted else everywhere(0)


@kernel
def random_bits_with(policy):
    """The part of a key that is random: the bands' bits too, from the lowest on, that the policy has no use for."""
    if policy & RESERVE:
        return ALWAYS_RANDOM
    if policy & AVOID:
        return ALWAYS_RANDOM | KEPT
    if policy & BLOCK:
        return ALWAYS_RANDOM | KEPT | UNSAFE
    return ALWAYS_RANDOM | KEPT | UNSAFE | NO_REPLY


@kernel
def sampling_keys_with(policy, random, own_threats, opponent_threats, floor, above):
    """sampling_keys for any policy and for a side that does not win at once; a full column's key has the bit FULL."""
    replies = where(policy & BLOCK, opponent_threats & floor)
    unsafe = where(policy & AVOID, opponent_threats & above)
    kept = where(policy & RESERVE and not overlap(opponent_threats, floor), own_threats & above)
    band = (
        (filled_lanes(unsafe) & everywhere(UNSAFE))
        | (filled_lanes(kept) & everywhere(KEPT))
        | where(policy & BLOCK, everywhere(NO_REPLY))
    )
    return (
        (random & same_in_all_lanes(random_bits_with(policy)))
        | lane_numbers()
        | (zero_lanes(replies) & band)
        | (zero_lanes(floor) & everywhere(FULL))
    )


@kernel
def leaves_no_choice_with(policy, opponent_threats, floor, above):
    """leaves_no_choice as far as movers of that policy can tell; the side to move does not win at once."""
    choices = nonzero_lanes(floor)
    if policy & TAKE_WINS:  # who may miss a win does not prove what a move loses
        if policy & BLOCK and overlap(opponent_threats, floor):
            return True
        if policy & AVOID:
            choices &= ~nonzero_lanes(opponent_threats & above)
    return choices & (choices - 1) == 0
