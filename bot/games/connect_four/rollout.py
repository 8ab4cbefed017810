"""Rollouts: both sides play on to the end, at random among the moves that the policy's tactics allow.

`rollout`, with every tactic on, never leaves the vector registers: each column draws a lot, the tactics put the
lots into bands, the smallest lot is played. Other policies, which earlier systems need, take the plainer
`rollout_with`.
"""
import numpy as np
from numba import njit

from ...search.lanes import (
    blend,
    everywhere,
    filled_lanes,
    lane_numbers,
    least_lane,
    load_lanes,
    next_random_lanes,
    nonzero_lanes,
    overlap,
    quarter,
    same_lanes,
    store_lanes,
    zero_lanes,
)
from ...search.layout import RANDOM_STATE, ROLLOUT_PLIES
from ...search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE
from .board import ALL_TACTICS, AVOID, BLOCK, MAX_COLUMNS, RESERVE, TAKE_WINS
from .position import cell_above, play, winning_cells


def _columns_of_masks():
    """uint64[4096]: for each set of columns their numbers, 4 bits each, lowest first, and their count at bit 48."""
    table = np.zeros(1 << MAX_COLUMNS, np.uint64)
    for mask in range(1 << MAX_COLUMNS):
        columns = [column for column in range(MAX_COLUMNS) if (mask >> column) & 1]
        packed = sum(column << (4 * index) for index, column in enumerate(columns))
        table[mask] = packed | (len(columns) << 48)
    return table


COLUMNS_OF_MASK = _columns_of_masks()

# Parts of a lot (draw_lots), 16 bits: band, random, lane.
LOSING = 0x8000
RESERVED = 0x4000
NO_BLOCK = 0x2000
RANDOM_BITS = 0x1FF0


@njit(error_model="numpy", _nrt=False)
def pick_column(mask, random):
    """A column of the mask (not empty), each as likely as the others, from the random word's high half."""
    packed = COLUMNS_OF_MASK[mask]
    index = ((random >> np.uint64(32)) * (packed >> np.uint64(48))) >> np.uint64(32)
    return np.int64((packed >> (index * np.uint64(4))) & np.uint64(15))


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
        own = own | (floor & lane)
        floor = blend(lane, above, floor)
        above = blend(lane, cell_above(above, forbidden, board), above)
        own, opponent = opponent, own
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    if nonzero_lanes(floor) == 0:
        return 0, (PROVEN_DRAW if forced else UNPROVEN)
    value, score = ending(overlap(own_threats, floor), plies)
    return value, (score if forced else UNPROVEN)


@njit(error_model="numpy", _nrt=False)
def choices_with(policy, blocks, losing, legal):
    """The columns a mover of that policy who cannot win at once looks at; legal is not empty."""
    if policy & BLOCK and blocks != 0:
        return blocks
    safe = legal & ~losing
    return safe if policy & AVOID and safe != 0 else legal


@njit(error_model="numpy", _nrt=False)
def rollout_with(state, policy, control):
    """`rollout` for any policy, move by move to the last stone."""
    if overlap(winning_cells(state[1]), state[1]):
        return -1, -WIN_BASE
    random = load_lanes(control, RANDOM_STATE)
    plies = 0
    alternatives = 0
    value = 0
    score = PROVEN_DRAW
    while True:
        own, opponent, floor, above, _, _ = state
        legal = nonzero_lanes(floor)
        if legal == 0:
            break
        own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
        wins = nonzero_lanes(own_threats & floor)
        blocks = nonzero_lanes(opponent_threats & floor)
        if policy & TAKE_WINS and wins != 0:
            candidates = wins
        else:
            candidates = choices_with(policy, blocks, nonzero_lanes(opponent_threats & above), legal)
            # A choice is forced only when every other move is known to lose, which a missed own win could belie.
            real_choices = candidates if policy & TAKE_WINS else legal
            alternatives |= real_choices & (real_choices - 1)
            unreserved = candidates & ~nonzero_lanes(own_threats & above)
            if policy & RESERVE and blocks == 0 and unreserved != 0:
                candidates = unreserved
        random = next_random_lanes(random)
        column = pick_column(candidates, quarter(random, 0))
        plies += 1
        if (wins >> column) & 1:
            value = 1 if plies & 1 else -1
            score = value * (WIN_BASE - plies)
            break
        state = play(state, column)
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    return value, (score if alternatives == 0 else UNPROVEN)
