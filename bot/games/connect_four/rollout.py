"""Rollouts: both sides play on to the end, at random among the moves that the policy's tactics allow.

`rollout`, with every tactic on, never leaves the vector registers: each column draws a lot, the tactics put the
lots into bands, the smallest lot is played. Other policies, which earlier systems need, take `rollout_with`, which
does the same with the policy's tactics only.

Among the columns of a band the settings rollout_follow and rollout_even prefer the one just played in, and those with
an odd number of free cells: who answers so gets the second cell of every pair, and the other side is the first that
has to give way (claimeven and baseinverse of Allis 1988, which parity.py turns into bounds). A lot that is preferred
lacks so many of the highest bits of its random part.
"""
import numpy as np
from numba import njit

from ...search.lanes import (
    everywhere,
    filled_lanes,
    lane_mask,
    lane_numbers,
    least_lane,
    load_lanes,
    next_random_lanes,
    nonzero_lanes,
    overlap,
    same_in_all_lanes,
    same_lanes,
    store_lanes,
    top_bit_lanes,
    up,
    without,
    zero_lanes,
)
from ...search.layout import EVEN_BITS, FOLLOW_BITS, RANDOM_STATE, ROLLOUT_PLIES
from ...search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE
from .board import ALL_TACTICS, AVOID, BLOCK, PAIRS, RESERVE, TAKE_WINS
from .position import drop, winning_cells, wins_by_pair

# Parts of a lot (draw_lots), 16 bits: band, random, lane.
LOSING = 0x8000
RESERVED = 0x4000
NO_BLOCK = 0x2000
RANDOM_BITS = 0x1FF0
# The same for draw_lots_with, where losing columns may have to be told from full ones.
FULL = 0x8000
NO_REPLY = 0x4000
UNSAFE = 0x2000
KEPT = 0x1000
ALWAYS_RANDOM = 0x0FF0
WHOLE_LANE = 0xFFFF


@njit(error_model="numpy", _nrt=False)
def ending(mover_wins, plies):
    """(value, score) for the side to move at the start, when the mover after `plies` plies wins in 1 or loses in 2."""
    mover_value = 1 if mover_wins else -1
    distance = plies + 1 if mover_wins else plies + 2
    value = mover_value if plies & 1 == 0 else -mover_value
    return value, value * (WIN_BASE - distance)


@njit(error_model="numpy", _nrt=False)
def draw_lots(random, own_threats, opponent_threats, floor, above):
    """One lot for each column (lane); the column with the smallest is played, none when that is LOSING or more.

    Bands, best first: a column that blocks; one where both sides may play; one that only the opponent may not
    play, kept in reserve; one that is full or lies under the opponent's winning cell. Random within a band; the
    lane's number makes lots differ.
    """
    lots = (random & everywhere(RANDOM_BITS)) | lane_numbers()
    band = everywhere(NO_BLOCK) | (filled_lanes(own_threats & above) & everywhere(RESERVED))
    losing = filled_lanes(opponent_threats & above) | zero_lanes(floor)
    return lots | (zero_lanes(opponent_threats & floor) & band) | (losing & everywhere(LOSING))


@njit(error_model="numpy", _nrt=False)
def leaves_no_choice(opponent_threats, floor, above):
    """Whether every move but at most one loses at once, as far as one look ahead tells."""
    if overlap(opponent_threats, floor):
        return True
    safe = nonzero_lanes(floor) & ~nonzero_lanes(opponent_threats & above)
    return safe & (safe - 1) == 0


@njit(error_model="numpy", _nrt=False)
def odd_columns(free):
    """All ones in the lanes with an odd number of free cells."""
    parity = free ^ up(free, 1)
    parity = parity ^ up(parity, 2)
    parity = parity ^ up(parity, 4)
    return top_bit_lanes(parity ^ up(parity, 8))


@njit(error_model="numpy", _nrt=False)
def highest_bits(random_bits, count):
    """So many of the highest bits of the lots' random part: a lot without them is likely to be the smallest."""
    return same_in_all_lanes(random_bits & ~(random_bits >> np.int64(count)))


@njit(error_model="numpy", _nrt=False)
def rollout(state, played, policy, control):
    """(value, score) of one random game from the state, for its side to move; see search/uct.py.

    played: the column that led to the state, or -1. A four that is on the board already is the opponent's, and ends
    the game before the first ply. control is the search's uint64 control block: its random state is advanced and its
    ply count raised.
    """
    if policy == ALL_TACTICS:
        return tactical_rollout(state, played, True, control)
    # As constants, what the earlier systems play by: LLVM leaves out the tactics that they lack.
    if policy == ALL_TACTICS & ~PAIRS:
        return tactical_rollout(state, played, False, control)
    if policy == 0:
        return rollout_with(state, played, 0, control)
    if policy == TAKE_WINS | BLOCK:
        return rollout_with(state, played, TAKE_WINS | BLOCK, control)
    return rollout_with(state, played, policy, control)


@njit(error_model="numpy", _nrt=False, inline="always")
def tactical_rollout(state, played, pairs, control):
    """`rollout` with every tactic, PAIRS only where `pairs` says so."""
    own, opponent, floor, above, forbidden, board = state
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    if overlap(opponent_threats, opponent):
        return -1, -WIN_BASE
    random = load_lanes(control, RANDOM_STATE)
    if_last = highest_bits(RANDOM_BITS, control[FOLLOW_BITS])
    if_odd = highest_bits(RANDOM_BITS, control[EVEN_BITS])
    last, odd = lane_mask(played), odd_columns(without(board, own | opponent | forbidden))
    plies = 0
    forced = True
    won_by_pair = False
    while True:
        random = next_random_lanes(random)
        preferred = (last & if_last) | (odd & if_odd)
        lots = draw_lots(without(random, preferred), own_threats, opponent_threats, floor, above)
        smallest = least_lane(lots)
        if overlap(own_threats, floor) or overlap(smallest, everywhere(LOSING)):
            break
        if pairs and wins_by_pair(own_threats, opponent_threats, floor, above, forbidden, board):
            won_by_pair = True
            break
        if forced:
            forced = leaves_no_choice(opponent_threats, floor, above)
        lane = same_lanes(lots, smallest)
        last, odd = lane, odd ^ lane
        own, opponent, floor, above, _, _ = drop((own, opponent, floor, above, forbidden, board), lane)
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    if nonzero_lanes(floor) == 0:
        return 0, (PROVEN_DRAW if forced else UNPROVEN)
    value, score = ending(True, plies + 2) if won_by_pair else ending(overlap(own_threats, floor), plies)
    return value, (score if forced else UNPROVEN)


@njit(error_model="numpy", _nrt=False)
def where(wanted, bits):
    """Those Lanes if wanted, else nothing."""
    return bits if wanted else everywhere(0)


@njit(error_model="numpy", _nrt=False)
def random_bits_with(policy):
    """The part of a lot that is random: the bands' bits too, from the lowest on, that the policy has no use for."""
    if policy & RESERVE:
        return ALWAYS_RANDOM
    if policy & AVOID:
        return ALWAYS_RANDOM | KEPT
    if policy & BLOCK:
        return ALWAYS_RANDOM | KEPT | UNSAFE
    return ALWAYS_RANDOM | KEPT | UNSAFE | NO_REPLY


@njit(error_model="numpy", _nrt=False)
def draw_lots_with(policy, random, own_threats, opponent_threats, floor, above):
    """draw_lots for any policy and for a side that does not win at once; a full column's lot has the bit FULL."""
    replies = where(policy & BLOCK, opponent_threats & floor)
    unsafe = where(policy & AVOID, opponent_threats & above)
    kept = where(policy & RESERVE and not overlap(opponent_threats, floor), own_threats & above)
    band = ((filled_lanes(unsafe) & everywhere(UNSAFE)) | (filled_lanes(kept) & everywhere(KEPT))
            | where(policy & BLOCK, everywhere(NO_REPLY)))
    return (random & same_in_all_lanes(random_bits_with(policy))) | lane_numbers() | (zero_lanes(replies) & band) | (
        zero_lanes(floor) & everywhere(FULL))


@njit(error_model="numpy", _nrt=False)
def leaves_no_choice_with(policy, opponent_threats, floor, above):
    """leaves_no_choice as far as movers of that policy can tell; the side to move does not win at once."""
    choices = nonzero_lanes(floor)
    if policy & TAKE_WINS:      # who may miss a win does not prove what a move loses
        if policy & BLOCK and overlap(opponent_threats, floor):
            return True
        if policy & AVOID:
            choices &= ~nonzero_lanes(opponent_threats & above)
    return choices & (choices - 1) == 0


@njit(error_model="numpy", _nrt=False, inline="always")
def rollout_with(state, played, policy, control):
    """`rollout` for any policy; compiled anew for each call, so that a constant one costs only its own tactics."""
    own, opponent, floor, above, forbidden, board = state
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    if overlap(opponent_threats, opponent):
        return -1, -WIN_BASE
    random = load_lanes(control, RANDOM_STATE)
    takes_any_win = where(policy & TAKE_WINS, everywhere(WHOLE_LANE))
    if_last = highest_bits(random_bits_with(policy), control[FOLLOW_BITS])
    if_odd = highest_bits(random_bits_with(policy), control[EVEN_BITS])
    last, odd = lane_mask(played), odd_columns(without(board, own | opponent | forbidden))
    plies = 0
    forced = True
    won_by_pair = False
    while True:
        random = next_random_lanes(random)
        preferred = (last & if_last) | (odd & if_odd)
        lots = draw_lots_with(policy, without(random, preferred), own_threats, opponent_threats, floor, above)
        smallest = least_lane(lots)
        lane = same_lanes(lots, smallest)
        if overlap(own_threats & floor, lane | takes_any_win) or overlap(smallest, everywhere(FULL)):
            break
        if policy & PAIRS and policy & TAKE_WINS and wins_by_pair(own_threats, opponent_threats, floor, above, forbidden,
                                                                  board):
            won_by_pair = True
            break
        if forced:
            forced = leaves_no_choice_with(policy, opponent_threats, floor, above)
        last, odd = lane, odd ^ lane
        own, opponent, floor, above, _, _ = drop((own, opponent, floor, above, forbidden, board), lane)
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    if nonzero_lanes(floor) == 0:
        return 0, (PROVEN_DRAW if forced else UNPROVEN)
    value, score = ending(True, plies + 2 if won_by_pair else plies)
    return value, (score if forced else UNPROVEN)
