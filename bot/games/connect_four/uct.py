"""What search/uct/narrow_tree/search.py needs from connect four: the rules, and the value of a leaf. Kernels.

A leaf's value is a weighted mean of one rollout's result and the network's value. In a rollout both sides play to the
end of the game, at random among the moves that the policy's tactics allow. Each column has a random key, and the column
with the smallest key is played. A key has 16 bits: the band that the tactics put its column in, random bits, and the
number of its lane. Within a band, the setting rollout_follow prefers the column just played in, and rollout_even the
columns with an odd number of free cells. A side that answers in this way gets the second cell of every pair, and the
other side is the first one that runs out of moves (claimeven and baseinverse of Allis 1988, which zugzwang.py turns
into bounds). The value of such a setting is the number of the highest random bits that are set to zero in a preferred
key.

The setting rollout_reply prefers the reply that has last won after the stone just played. It is known for each side and
each cell of that stone (the last good reply with forgetting of Baier and Drake 2010). After a rollout the winner's
replies are kept, and the loser's replies are forgotten. Rollouts that know only tactics mostly answer a stone in its
own column. If another column is the right answer, as in a pair of odd columns or above a threat, rollouts find that out
by learning replies. The learnt replies last as long as the tree (uct_engine.py).

With every tactic on, rollouts never leave the vector registers. Other policies, which reproduce earlier systems, use
`rollout_with`, which has only the tactics of its policy.
"""

import numpy as np

from bot.kernels.kernel import inlined_kernel, kernel
from bot.kernels.lanes import (
    LANE_COUNT,
    count_bits,
    everywhere,
    filled_lanes,
    lane_mask,
    lane_numbers,
    least_lane,
    load_lanes,
    next_random_lanes,
    nonzero_lanes,
    overlap,
    quarter,
    same_in_all_lanes,
    same_lanes,
    store_lanes,
    without,
    zero_lanes,
)
from bot.kernels.machine import lowest_bit
from bot.search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE

from . import policy, rules
from .board import ALL_TACTICS, AVOID, BLOCK, PAIRS, RESERVE, TAKE_WINS
from .network import evaluate, network_at
from .rules import drop, load_root, play, position_hash, winning_cells, wins_by_pair
from .uct_engine import (
    CELLS,
    EVEN_BITS,
    FOLLOW_BITS,
    NETWORK,
    NETWORK_SHARE,
    POLICY,
    RANDOM_STATE,
    REPLIES,
    REPLY_BITS,
    ROLLOUT_PLIES,
    ROLLOUT_POLICY,
    TREE_POLICY,
    WHOLE_SHARE,
)
from .zugzwang import odd_columns

__all__ = ["assess", "leaf_value", "load_root", "play", "position_hash", "rollout"]

# The parts of a 16-bit key of sampling_keys: the band (the first three constants), random bits, lane number.
LOSING = 0x8000
RESERVED = 0x4000
NO_BLOCK = 0x2000
RANDOM_BITS = 0x1FF0
LANE_NUMBER = 0x000F
# The same parts for sampling_keys_with, which may have to distinguish losing columns from full ones.
FULL = 0x8000
NO_REPLY = 0x4000
UNSAFE = 0x2000
KEPT = 0x1000
ALWAYS_RANDOM = 0x0FF0


@kernel
def highest_bits(random_bits, count):
    """Returns lanes in which the `count` highest bits of a key's random part are set, and no others.

    `random_bits` has all bits of that part. A key in which these bits are cleared is likely to be the smallest.
    """
    return same_in_all_lanes(random_bits & ~(random_bits >> np.int64(count)))


@kernel
def sampling_keys(random, own_threats, opponent_threats, floor, above):
    """Returns one key for each column (lane).

    The column with the smallest key is to be played. If that key is LOSING or more, no column is worth playing. The
    columns are in bands, the best band first: columns that block; columns in which both sides may play; columns kept in
    reserve, in which only the opponent may not play; columns that are full or in which a stone comes to lie below a
    winning cell of the opponent. Within a band the order is random. The lane number makes all keys different.
    """
    keys = (random & everywhere(RANDOM_BITS)) | lane_numbers()
    band = everywhere(NO_BLOCK) | (filled_lanes(own_threats & above) & everywhere(RESERVED))
    losing = filled_lanes(opponent_threats & above) | zero_lanes(floor)
    return keys | (zero_lanes(opponent_threats & floor) & band) | (losing & everywhere(LOSING))


@kernel
def leaves_no_choice(opponent_threats, floor, above):
    """Returns whether at most one move does not lose at once, as far as a look at the opponent's next ply tells."""
    if overlap(opponent_threats, floor):
        return True
    safe = nonzero_lanes(floor) & ~nonzero_lanes(opponent_threats & above)
    return safe & (safe - 1) == 0


@kernel
def where(wanted, bits):
    """Returns `bits` if `wanted` is true, else lanes of zeros."""
    return bits if wanted else everywhere(0)


@kernel
def random_bits_with(policy):
    """Returns the bits that are random in the keys for a policy.

    They include bits of the bands, from the lowest one up, as far as the policy does not use them.
    """
    if policy & RESERVE:
        return ALWAYS_RANDOM
    if policy & AVOID:
        return ALWAYS_RANDOM | KEPT
    if policy & BLOCK:
        return ALWAYS_RANDOM | KEPT | UNSAFE
    return ALWAYS_RANDOM | KEPT | UNSAFE | NO_REPLY


@kernel
def sampling_keys_with(policy, random, own_threats, opponent_threats, floor, above):
    """Returns one key for each column (lane), as sampling_keys does, but for any policy.

    The key of a full column has the bit FULL. The side to move does not win at once.
    """
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
    """Returns what leaves_no_choice does, as far as sides with that policy can tell.

    The side to move does not win at once.
    """
    choices = nonzero_lanes(floor)
    if policy & TAKE_WINS:  # without this tactic a side may miss a win, so no move is proven to lose
        if policy & BLOCK and overlap(opponent_threats, floor):
            return True
        if policy & AVOID:
            choices &= ~nonzero_lanes(opponent_threats & above)
    return choices & (choices - 1) == 0


NO_COLUMN = 15  # a column whose lane is always empty
ROW_BITS = 4
ROW_MASK = (1 << ROW_BITS) - 1
NIBBLE_SHIFT = 2  # the nibble of a row begins at bit 4 * row
NIBBLE = np.uint64(15)


@kernel
def cell_of(stone, key):
    """Returns the number of the cell of a single stone, 16 * column + row.

    Every lane of `key` must hold the key of the stone's column (sampling_keys).
    """
    column = np.int64(quarter(key, 0)) & LANE_NUMBER
    bits = quarter(stone, 0) | quarter(stone, 1) | quarter(stone, 2)
    return column << ROW_BITS | lowest_bit(bits) & ROW_MASK


@kernel
def reply_to(words, side, cell):
    """Returns the lane_mask of the column in which `side` has a known reply to a stone in `cell`.

    If no reply is known, it is the mask of a lane that is always empty.
    """
    word = words[REPLIES + LANE_COUNT * side + (cell >> ROW_BITS)]
    reply = word >> np.uint64((cell & ROW_MASK) << NIBBLE_SHIFT) & NIBBLE
    return lane_mask(NO_COLUMN - np.int64(reply))


@kernel
def learn_replies(words, plies, side, value):
    """Update the replies with a rollout of `plies` plies.

    `side` moved first. `value`, 1 or -1, is the result for `side`.
    """
    for ply in range(1, plies):
        before, played = np.int64(words[CELLS + ply - 1]), np.int64(words[CELLS + ply])
        has_won = (value > 0) == (ply & 1 == 0)
        place = REPLIES + LANE_COUNT * (side ^ (ply & 1)) + (before >> ROW_BITS)
        shift = np.uint64((before & ROW_MASK) << NIBBLE_SHIFT)
        reply = np.uint64(NO_COLUMN - (played >> ROW_BITS))
        word = words[place]
        others = word & ~(NIBBLE << shift)
        if has_won:
            words[place] = others | reply << shift
        elif word >> shift & NIBBLE == reply:
            words[place] = others


WHOLE_LANE = 0xFFFF

# How a game ends, for the side to move.
GOES_ON, WINS_IN_1, WINS_IN_3, LOSES_IN_2, IS_DRAWN = range(5)


@kernel
def rollout(state, played, policy, words):
    """Play one random game from the state. Returns (value, score) for its side to move.

    `played` is the column of the move that led to the state, or -1 if it is not known. If there is a four on the board,
    it is the opponent's, and the game ends before the first ply. In the game words (uct_engine.py), the rollout changes
    the random state, the count of plies and the learnt replies.
    """
    if policy == ALL_TACTICS:
        if words[REPLY_BITS] != 0:
            return tactical_rollout(state, played, True, True, words)
        return tactical_rollout(state, played, True, False, words)
    # The policies of earlier systems are passed as constants, so that LLVM leaves out the tactics that they lack.
    if policy == ALL_TACTICS & ~PAIRS:
        return tactical_rollout(state, played, False, False, words)
    if policy == 0:
        return rollout_with(state, played, 0, words)
    if policy == TAKE_WINS | BLOCK:
        return rollout_with(state, played, TAKE_WINS | BLOCK, words)
    return rollout_with(state, played, policy, words)


@kernel
def begin_game(state, played):
    """Returns the tuple that describes a game to tactical_ply.

    The tuple is (own, opponent, floor, above, winning cells of own, winning cells of opponent, lane of the column just
    played in, lanes with an odd number of free cells).
    """
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
    """Play one ply.

    Returns (how the game ends before the ply, or GOES_ON; the key of the column played; the game after the ply).
    `pairs` says whether the tactic PAIRS is used.
    """
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
    """Returns (value, score) of a game, for the side to move at its start.

    `end` says how the game ends, for the side to move after `plies` plies.
    """
    if end == IS_DRAWN:
        return 0, PROVEN_DRAW
    mover_value = -1 if end == LOSES_IN_2 else 1
    distance = plies + (1 if end == WINS_IN_1 else 2 if end == LOSES_IN_2 else 3)
    value = mover_value if plies & 1 == 0 else -mover_value
    return value, value * (WIN_BASE - distance)


@inlined_kernel
def tactical_rollout(state, played, pairs, replies, words):
    """Do what `rollout` does for a policy with every tactic.

    The tactic PAIRS is used only if `pairs` is true, and learnt replies only if `replies` is true.
    """
    game = begin_game(state, played)
    forbidden, board = state[4], state[5]
    if overlap(game[5], game[1]):
        return -1, -WIN_BASE
    random = load_lanes(words, RANDOM_STATE)
    if_last = highest_bits(RANDOM_BITS, words[FOLLOW_BITS])
    if_odd = highest_bits(RANDOM_BITS, words[EVEN_BITS])
    if_reply = highest_bits(RANDOM_BITS, words[REPLY_BITS])
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
            words[CELLS + plies] = np.uint64(cell)
            reply = reply_to(words, side ^ ((plies + 1) & 1), cell)
        game = after
        plies += 1
    store_lanes(words, RANDOM_STATE, random)
    words[ROLLOUT_PLIES] += np.uint64(plies)
    value, score = result_of(end, plies)
    if replies and value != 0:
        learn_replies(words, plies, side, value)
    return value, (score if forced else UNPROVEN)


@inlined_kernel
def rollout_with(state, played, policy, words):
    """Do what `rollout` does for any policy.

    Each call is compiled separately. So if `policy` is a constant, only its own tactics cost time.
    """
    own, opponent, floor, above, forbidden, board = state
    own_threats, opponent_threats = winning_cells(own), winning_cells(opponent)
    if overlap(opponent_threats, opponent):
        return -1, -WIN_BASE
    random = load_lanes(words, RANDOM_STATE)
    takes_any_win = where(policy & TAKE_WINS, everywhere(WHOLE_LANE))
    if_last = highest_bits(random_bits_with(policy), words[FOLLOW_BITS])
    if_odd = highest_bits(random_bits_with(policy), words[EVEN_BITS])
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
    store_lanes(words, RANDOM_STATE, random)
    words[ROLLOUT_PLIES] += np.uint64(plies)
    value, score = result_of(end, plies)
    return value, (score if forced else UNPROVEN)


@kernel
def assess(state, words):
    """Returns what rules.assess returns for the tree's tactics."""
    return rules.assess(state, np.int64(words[TREE_POLICY]))


@kernel
def leaf_value(state, played, words):
    """Returns (value, score) of a leaf, found by a rollout.

    If the score is not proven, the network contributes its share of the value. `played` is the column of the move that
    led to the leaf.
    """
    result, score = rollout(state, played, np.int64(words[ROLLOUT_POLICY]), words)
    value = np.float32(result)
    if score == UNPROVEN and words[NETWORK_SHARE] != 0:
        share = np.float32(np.int64(words[NETWORK_SHARE])) / np.float32(WHOLE_SHARE)
        learnt = evaluate(network_at(np.int64(words[NETWORK])), state)
        value = (np.float32(1) - share) * value + share * learnt
    return value, score


@kernel
def write_factors(state, legal, words, share, factors, offset):
    """Does what policy.write_factors does, with the policy of the game words."""
    policy.write_factors(state, legal, np.int64(words[POLICY]), share, factors, offset)
