"""Rollouts: both sides play on to the end, at random among the moves that the policy's tactics allow.

`rollout`, with every tactic on, never leaves the vector registers: each column draws a lot, the tactics put the
lots into bands, the smallest lot is played. Other policies, which earlier systems need, take `rollout_with`, which
does the same with the policy's tactics only.
"""
import numpy as np
from numba import njit

from ...search.lanes import (
    everywhere,
    filled_lanes,
    lane_numbers,
    least_lane,
    load_lanes,
    next_random_lanes,
    nonzero_lanes,
    overlap,
    same_lanes,
    store_lanes,
    zero_lanes,
)
from ...search.layout import RANDOM_STATE, ROLLOUT_PLIES
from ...search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE
from .board import ALL_TACTICS, AVOID, BLOCK, RESERVE, TAKE_WINS
from .position import drop, winning_cells

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
def rollout(state, policy, control):
    """(value, score) of one random game from the state, for its side to move; see search/uct.py.

    A four that is on the board already is the opponent's, and ends the game before the first ply.
    control is the search's uint64 control block: its random state is advanced and its ply count raised.
    """
    if policy != ALL_TACTICS:
        # As constants, what the earlier systems play by: LLVM leaves out the tactics that they lack.
        if policy == 0:
            return rollout_with(state, 0, control)
        if policy == TAKE_WINS | BLOCK:
            return rollout_with(state, TAKE_WINS | BLOCK, control)
        return rollout_with(state, policy, control)
    own, opponent, floor, above, forbidden, board = state
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    if overlap(opponent_threats, opponent):
        return -1, -WIN_BASE
    random = load_lanes(control, RANDOM_STATE)
    plies = 0
    forced = True
    while True:
        random = next_random_lanes(random)
        lots = draw_lots(random, own_threats, opponent_threats, floor, above)
        smallest = least_lane(lots)
        if overlap(own_threats, floor) or overlap(smallest, everywhere(LOSING)):
            break
        if forced:
            forced = leaves_no_choice(opponent_threats, floor, above)
        lane = same_lanes(lots, smallest)
        own, opponent, floor, above, _, _ = drop((own, opponent, floor, above, forbidden, board), lane)
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    if nonzero_lanes(floor) == 0:
        return 0, (PROVEN_DRAW if forced else UNPROVEN)
    value, score = ending(overlap(own_threats, floor), plies)
    return value, (score if forced else UNPROVEN)


@njit(error_model="numpy", _nrt=False)
def where(wanted, bits):
    """Those Lanes if wanted, else nothing."""
    return bits if wanted else everywhere(0)


@njit(error_model="numpy", _nrt=False)
def random_bits_with(policy):
    """The part of a lot that is random: the bands' bits too, from the lowest on, that the policy has no use for."""
    return (everywhere(ALWAYS_RANDOM) | where(not policy & RESERVE, everywhere(KEPT))
            | where(not policy & (RESERVE | AVOID), everywhere(UNSAFE))
            | where(not policy & (RESERVE | AVOID | BLOCK), everywhere(NO_REPLY)))


@njit(error_model="numpy", _nrt=False)
def draw_lots_with(policy, random, own_threats, opponent_threats, floor, above):
    """draw_lots for any policy and for a side that does not win at once; a full column's lot has the bit FULL."""
    replies = where(policy & BLOCK, opponent_threats & floor)
    unsafe = where(policy & AVOID, opponent_threats & above)
    kept = where(policy & RESERVE and not overlap(opponent_threats, floor), own_threats & above)
    band = ((filled_lanes(unsafe) & everywhere(UNSAFE)) | (filled_lanes(kept) & everywhere(KEPT))
            | where(policy & BLOCK, everywhere(NO_REPLY)))
    return (random & random_bits_with(policy)) | lane_numbers() | (zero_lanes(replies) & band) | (
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
def rollout_with(state, policy, control):
    """`rollout` for any policy; compiled anew for each call, so that a constant one costs only its own tactics."""
    own, opponent, floor, above, forbidden, board = state
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    if overlap(opponent_threats, opponent):
        return -1, -WIN_BASE
    random = load_lanes(control, RANDOM_STATE)
    takes_any_win = where(policy & TAKE_WINS, everywhere(WHOLE_LANE))
    plies = 0
    forced = True
    while True:
        random = next_random_lanes(random)
        lots = draw_lots_with(policy, random, own_threats, opponent_threats, floor, above)
        smallest = least_lane(lots)
        lane = same_lanes(lots, smallest)
        if overlap(own_threats & floor, lane | takes_any_win) or overlap(smallest, everywhere(FULL)):
            break
        if forced:
            forced = leaves_no_choice_with(policy, opponent_threats, floor, above)
        own, opponent, floor, above, _, _ = drop((own, opponent, floor, above, forbidden, board), lane)
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    if nonzero_lanes(floor) == 0:
        return 0, (PROVEN_DRAW if forced else UNPROVEN)
    value, score = ending(True, plies)
    return value, (score if forced else UNPROVEN)
