"""Rollouts: both sides play on to the end, at random among the moves that the policy's tactics allow.

With every tactic on they never leave the vector registers (move_sampling.py says how a column is picked). Other
policies, which earlier systems need, take `rollout_with`, which does the same with the policy's tactics only.
"""

import numpy as np

from bot.kernels.kernel import inlined_kernel, kernel
from bot.kernels.lanes import (
    count_bits,
    everywhere,
    lane_mask,
    least_lane,
    load_lanes,
    next_random_lanes,
    nonzero_lanes,
    overlap,
    same_lanes,
    store_lanes,
    without,
)
from bot.search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE
from bot.search.uct.edge_nodes.layout import RANDOM_STATE, ROLLOUT_PLIES

from ..rules.board import ALL_TACTICS, BLOCK, EVEN_BITS, FOLLOW_BITS, PAIRS, REPLY_BITS, TAKE_WINS
from ..rules.parity import odd_columns
from ..rules.position import drop, winning_cells, wins_by_pair
from .move_sampling import (
    FULL,
    LOSING,
    RANDOM_BITS,
    highest_bits,
    leaves_no_choice,
    leaves_no_choice_with,
    random_bits_with,
    sampling_keys,
    sampling_keys_with,
    where,
)
from .replies import CELLS, NO_COLUMN, cell_of, learn_replies, reply_to

WHOLE_LANE = 0xFFFF

# How a game ends, for the side that has the move.
GOES_ON, WINS_IN_1, WINS_IN_3, LOSES_IN_2, IS_DRAWN = range(5)


@kernel
def rollout(state, played, policy, control):
    """(value, score) of one random game from the state, for its side to move; see search/uct/edge_nodes/search.py.

    played: the column that led to the state, or -1. A four that is on the board already is the opponent's, and ends
    the game before the first ply. control is the search's uint64 control block: its random state is advanced and its
    ply count raised.
    """
    if policy == ALL_TACTICS:
        if control[REPLY_BITS] != 0:
            return tactical_rollout(state, played, True, True, control)
        return tactical_rollout(state, played, True, False, control)
    # As constants, what the earlier systems play by: LLVM leaves out the tactics that they lack.
    if policy == ALL_TACTICS & ~PAIRS:
        return tactical_rollout(state, played, False, False, control)
    if policy == 0:
        return rollout_with(state, played, 0, control)
    if policy == TAKE_WINS | BLOCK:
        return rollout_with(state, played, TAKE_WINS | BLOCK, control)
    return rollout_with(state, played, policy, control)


@kernel
def begin_game(state, played):
    """A game as tactical_ply takes it: own, opponent, floor, above, the threats of both, the lane just played in, lanes
    with an odd number of free cells."""
    own, opponent, floor, above, forbidden, board = state
    return (
        own,
        opponent,
        floor,
        above,
        winning_cells(own),
        winning_cells(opponent),
        lane_mask(played),
        odd_columns(without(board, own | opponent | forbidden)),
    )


@kernel
def tactical_ply(game, random, pairs, forbidden, board):
    """(how the game ends before this ply, or GOES_ON; the key of the column played; the game after it)."""
    own, opponent, floor, above, own_threats, opponent_threats, _, odd = game
    keys = sampling_keys(random, own_threats, opponent_threats, floor, above)
    smallest = least_lane(keys)
    end = GOES_ON
    if overlap(own_threats, floor):
        end = WINS_IN_1
    elif overlap(smallest, everywhere(LOSING)):
        end = LOSES_IN_2 if nonzero_lanes(floor) != 0 else IS_DRAWN
    elif pairs and wins_by_pair(own_threats, opponent_threats, floor, above, forbidden, board):
        end = WINS_IN_3
    lane = same_lanes(keys, smallest)
    own, opponent, floor, above, _, _ = drop((own, opponent, floor, above, forbidden, board), lane)
    return end, smallest, (own, opponent, floor, above, opponent_threats, winning_cells(opponent), lane, odd ^ lane)


@kernel
def result_of(end, plies):
    """(value, score) for the side to move at the start of a game that ends so after that many plies."""
    if end == IS_DRAWN:
        return 0, PROVEN_DRAW
    mover_value = -1 if end == LOSES_IN_2 else 1
    distance = plies + (1 if end == WINS_IN_1 else 2 if end == LOSES_IN_2 else 3)
    value = mover_value if plies & 1 == 0 else -mover_value
    return value, value * (WIN_BASE - distance)


@inlined_kernel
def tactical_rollout(state, played, pairs, replies, control):
    """`rollout` with every tactic, PAIRS and what replies.py learns only where `pairs` and `replies` say so."""
    game = begin_game(state, played)
    forbidden, board = state[4], state[5]
    if overlap(game[5], game[1]):
        return -1, -WIN_BASE
    random = load_lanes(control, RANDOM_STATE)
    if_last = highest_bits(RANDOM_BITS, control[FOLLOW_BITS])
    if_odd = highest_bits(RANDOM_BITS, control[EVEN_BITS])
    if_reply = highest_bits(RANDOM_BITS, control[REPLY_BITS])
    side = count_bits(state[0] | state[1]) & 1
    reply = lane_mask(NO_COLUMN)
    plies = 0
    forced = True
    while True:
        random = next_random_lanes(random)
        preferred = (game[6] & if_last) | (game[7] & if_odd)
        if replies:
            preferred = preferred | (reply & if_reply)
        end, key, after = tactical_ply(game, without(random, preferred), pairs, forbidden, board)
        if end != GOES_ON:
            break
        if forced:
            forced = leaves_no_choice(game[5], game[2], game[3])
        if replies:
            cell = cell_of(game[2] & after[6], key)
            control[CELLS + plies] = np.uint64(cell)
            reply = reply_to(control, side ^ ((plies + 1) & 1), cell)
        game = after
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    value, score = result_of(end, plies)
    if replies and value != 0:
        learn_replies(control, plies, side, value)
    return value, (score if forced else UNPROVEN)


@inlined_kernel
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
    while True:
        random = next_random_lanes(random)
        preferred = (last & if_last) | (odd & if_odd)
        keys = sampling_keys_with(policy, without(random, preferred), own_threats, opponent_threats, floor, above)
        smallest = least_lane(keys)
        lane = same_lanes(keys, smallest)
        if overlap(own_threats & floor, lane | takes_any_win) or overlap(smallest, everywhere(FULL)):
            end = WINS_IN_1 if nonzero_lanes(floor) != 0 else IS_DRAWN
            break
        if (
            policy & PAIRS
            and policy & TAKE_WINS
            and wins_by_pair(own_threats, opponent_threats, floor, above, forbidden, board)
        ):
            end = WINS_IN_3
            break
        if forced:
            forced = leaves_no_choice_with(policy, opponent_threats, floor, above)
        last, odd = lane, odd ^ lane
        own, opponent, floor, above, _, _ = drop((own, opponent, floor, above, forbidden, board), lane)
        own_threats, opponent_threats = opponent_threats, winning_cells(opponent)
        plies += 1
    store_lanes(control, RANDOM_STATE, random)
    control[ROLLOUT_PLIES] += np.uint64(plies)
    value, score = result_of(end, plies)
    return value, (score if forced else UNPROVEN)
