"""The last plies of a midgame search: a function for each number of plies left, no table, nothing to interrupt.

Each takes the address of the features of its position (evaluation/patterns.py) and returns the score in discs for the
side to move, fail soft. A pass takes no ply. Moves are tried in the order of what the position after them evaluates to.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit, numbers_at, words_at

from ..endgame.last_squares import NO_SCORE, final_score
from ..evaluation.heuristic import judge
from ..evaluation.patterns import follow_move, follow_pass, weigh
from ..memory.layout import BOARD, BOARD_CORNERS, LEAF_FEATURES_OFFSET, LEAF_FRAMES_OFFSET, NODES, TRAINED
from ..memory.views import control_at
from ..rules.bitboard import NONE, ONE, bit, flips, legal_moves
from ..weights.pattern_set import WEIGHTS_PER_DISC

MOST_DISCS = 64
_FEATURE_BYTES = 128
_FRAME_WORDS = 4 * 40


@kernel
def evaluate(base, features, own, opponent):
    """What an unfinished position is worth in discs, -64 .. 64, without any search."""
    control = control_at(base)
    if control[TRAINED] != 0:
        worth = weigh(base, features, own, opponent)
    else:
        worth = judge(own, opponent, np.uint64(control[BOARD]) & ~(own | opponent), np.uint64(control[BOARD_CORNERS]))
    return max(-MOST_DISCS, min(MOST_DISCS, (worth + WEIGHTS_PER_DISC // 2) >> 7))


@kernel
def search_0(base, features, own, opponent, alpha, beta):
    """The evaluation, or the true score where a side has no disc left."""
    numbers_at(base, 8 * NODES)[0] += 1
    if own == NONE or opponent == NONE:
        return final_score(own, opponent, bit_count(np.uint64(control_at(base)[BOARD]) & ~(own | opponent)))
    return evaluate(base, features, own, opponent)


@kernel
def search_1(base, features, own, opponent, alpha, beta):
    """One ply: the best of the evaluations after a move."""
    empty = np.uint64(control_at(base)[BOARD]) & ~(own | opponent)
    after = base + LEAF_FEATURES_OFFSET + _FEATURE_BYTES
    moves = legal_moves(own, opponent, empty)
    sign = 1
    if moves == NONE:
        own, opponent, alpha, beta, sign = opponent, own, -beta, -alpha, -1
        moves = legal_moves(own, opponent, empty)
        if moves == NONE:
            return -final_score(own, opponent, bit_count(empty))
        follow_pass(features, base + LEAF_FEATURES_OFFSET)
        features = base + LEAF_FEATURES_OFFSET
    best = NO_SCORE
    while moves != NONE:
        square = lowest_bit(moves)
        moves &= moves - ONE
        turned = flips(own, opponent, square)
        follow_move(features, after, square, turned)
        score = -search_0(base, after, opponent ^ turned, own ^ turned ^ bit(square), -beta, -alpha)
        if score > best:
            best = score
            if score >= beta:
                break
    return sign * best


def _make_search(plies, search_rest):
    """The search of so many plies from the one of one ply less."""
    own_features = LEAF_FEATURES_OFFSET + 2 * plies * _FEATURE_BYTES
    frame = LEAF_FRAMES_OFFSET + 8 * plies * _FRAME_WORDS

    @kernel
    def search(base, features, own, opponent, alpha, beta):
        words, numbers = words_at(base, frame), numbers_at(base, frame)
        empty = np.uint64(control_at(base)[BOARD]) & ~(own | opponent)
        after = base + own_features + _FEATURE_BYTES
        moves = legal_moves(own, opponent, empty)
        sign = 1
        if moves == NONE:
            own, opponent, alpha, beta, sign = opponent, own, -beta, -alpha, -1
            moves = legal_moves(own, opponent, empty)
            if moves == NONE:
                return -final_score(own, opponent, bit_count(empty))
            follow_pass(features, base + own_features)
            features = base + own_features
        count = 0
        while moves != NONE:
            square = lowest_bit(moves)
            moves &= moves - ONE
            turned = flips(own, opponent, square)
            follow_move(features, after, square, turned)
            order = search_0(base, after, opponent ^ turned, own ^ turned ^ bit(square), NO_SCORE, NO_SCORE)
            place = count
            while place > 0 and numbers[place - 4] > order:
                numbers[place], numbers[place + 1] = numbers[place - 4], numbers[place - 3]
                words[place + 2] = words[place - 2]
                place -= 4
            numbers[place], numbers[place + 1], words[place + 2] = order, square, turned
            count += 4
        best = NO_SCORE
        for place in range(0, count, 4):
            square, turned = numbers[place + 1], words[place + 2]
            follow_move(features, after, square, turned)
            score = -search_rest(base, after, opponent ^ turned, own ^ turned ^ bit(square), -beta, -max(alpha, best))
            if score > best:
                best = score
                if score >= beta:
                    break
        return sign * best

    return search


search_2 = _make_search(2, search_1)
search_3 = _make_search(3, search_2)
