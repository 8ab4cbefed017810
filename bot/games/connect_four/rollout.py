"""Rollouts: both sides play on to the end, at random among the moves that the policy's tactics allow.

`rollout` with every tactic on has no branch but the loop's end: candidate columns are a bit mask that each
tactic narrows, and the random one of them comes from a table. Other policies, which earlier systems need,
take the plainer `rollout_with`.
"""
import numpy as np
from numba import njit

from ...search.lanes import blend, lane_mask, nonzero_lanes
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


@njit(error_model="numpy", _nrt=False)
def next_random(random):
    """xorshift64 (Marsaglia 2003): the next uint64 state from one that is not zero."""
    random ^= random << np.uint64(13)
    random ^= random >> np.uint64(7)
    return random ^ (random << np.uint64(17))


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
def rollout(state, policy, control):
    """(value, score) of one random game from the state, for its side to move; see search/uct.py.

    control is the search's uint64 control block: its random state is advanced and its ply count raised.
    """
    if policy != ALL_TACTICS:
        return rollout_with(state, policy, control)
    own, opponent, floor, above, forbidden, board = state
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    random = control[RANDOM_STATE]
    plies = 0
    alternatives = 0
    while True:
        wins = nonzero_lanes(own_threats & floor)
        blocks = nonzero_lanes(opponent_threats & floor)
        legal = nonzero_lanes(floor)
        candidates = legal & ~nonzero_lanes(opponent_threats & above)
        if blocks != 0:
            candidates = blocks
        if (wins | (blocks & (blocks - 1))) != 0 or candidates == 0:
            break
        alternatives |= candidates & (candidates - 1)
        unreserved = candidates & ~nonzero_lanes(own_threats & above)
        if blocks == 0 and unreserved != 0:
            candidates = unreserved
        random = next_random(random)
        lane = lane_mask(pick_column(candidates, random))
        own = own | (floor & lane)
        floor = blend(lane, above, floor)
        above = blend(lane, cell_above(above, forbidden, board), above)
        own, opponent = opponent, own
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    control[RANDOM_STATE] = random
    control[ROLLOUT_PLIES] += np.uint64(plies)
    if legal == 0:
        return 0, (PROVEN_DRAW if alternatives == 0 else UNPROVEN)
    value, score = ending(wins != 0, plies)
    return value, (score if alternatives == 0 else UNPROVEN)


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
    if nonzero_lanes(winning_cells(state[1]) & state[1]) != 0:
        return -1, -WIN_BASE
    random = control[RANDOM_STATE]
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
        random = next_random(random)
        column = pick_column(candidates, random)
        plies += 1
        if (wins >> column) & 1:
            value = 1 if plies & 1 else -1
            score = value * (WIN_BASE - plies)
            break
        state = play(state, column)
    control[RANDOM_STATE] = random
    control[ROLLOUT_PLIES] += np.uint64(plies)
    return value, (score if alternatives == 0 else UNPROVEN)
