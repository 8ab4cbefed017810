"""The search's order of moves: listed with a position, taken one by one.

First the move that the table remembers and the one before it; then by a small search after the move and by how many
replies it leaves.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit

from ..endgame.last_squares import NO_SCORE
from ..evaluation.patterns import follow_move
from ..memory.layout import FEATURE_BYTES, FEATURES_OFFSET, FRAME_WORDS, FRAMES_OFFSET, LEFT, LISTED, MOVE_WORDS
from ..memory.position_table import certainty_of, depth_of, key_of, move_of, probe, second_move_of, upper_of
from ..memory.views import numbers_at, words_at
from ..rules.bitboard import CORNERS, NONE, ONE, bit, flips, legal_moves
from .leaf import search_0, search_1, search_2

TABLE_MOVE_ORDER = 1 << 30
SECOND_MOVE_ORDER = 1 << 29


@kernel
def list_moves(base, ply, own, opponent, empty, moves, alpha, beta, depth, level, data):
    """Write the moves into the frame; a score of at least beta where the table has one for a null window, or NO_SCORE.

    data: what the table has on the position.
    """
    frame = ply * FRAME_WORDS
    words, numbers = words_at(base, FRAMES_OFFSET), numbers_at(base, FRAMES_OFFSET)
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    empty_squares = bit_count(empty)
    table_move, second_move = -1, -1
    if data != np.uint64(0):
        table_move, second_move = move_of(data), second_move_of(data)
    place = frame + LISTED
    while moves != NONE:
        square = lowest_bit(moves)
        moves &= moves - ONE
        turned = flips(own, opponent, square)
        next_own, next_opponent = opponent ^ turned, own ^ turned ^ bit(square)
        if beta == alpha + 1:
            found = probe(base, key_of(next_own, next_opponent))
            if found != np.uint64(0) and depth_of(found) >= depth - 1 and certainty_of(found) >= level:
                if -upper_of(found) >= beta:
                    return -upper_of(found)
        replies = legal_moves(next_own, next_opponent, empty ^ bit(square))
        if square == table_move:
            order = TABLE_MOVE_ORDER
        elif square == second_move:
            order = SECOND_MOVE_ORDER
        else:
            order = order_of(base, features, next_own, next_opponent, square, turned, replies, depth, empty_squares)
        numbers[place], numbers[place + 1] = order, square
        words[place + 2], words[place + 3] = turned, replies
        place += MOVE_WORDS
    numbers[frame + LEFT] = place
    return NO_SCORE


@kernel
def order_of(base, features, next_own, next_opponent, square, turned, replies, depth, empty_squares):
    """How promising a move is, by the position after it."""
    after = features + FEATURE_BYTES
    follow_move(features, after, square, turned)
    count = bit_count(replies) + bit_count(replies & CORNERS)
    if depth == empty_squares:
        if empty_squares < 15:
            worth = search_0(base, after, next_own, next_opponent, -64, 64)
        elif empty_squares < 19:
            worth = search_1(base, after, next_own, next_opponent, -64, 64)
        else:
            worth = search_2(base, after, next_own, next_opponent, -64, 64)
        return -worth - 3 * count
    if depth < 9:
        worth = search_0(base, after, next_own, next_opponent, -64, 64)
    elif depth < 13:
        worth = search_1(base, after, next_own, next_opponent, -64, 64)
    else:
        worth = search_2(base, after, next_own, next_opponent, -64, 64)
    return -worth - 2 * count


@kernel
def next_move(base, ply):
    """Whether a move is left; the best one is then put behind those still left, where LEFT says."""
    numbers = numbers_at(base, FRAMES_OFFSET)
    frame = ply * FRAME_WORDS
    first, end = frame + LISTED, numbers[frame + LEFT]
    if end == first:
        return False
    best = first
    for place in range(first + MOVE_WORDS, end, MOVE_WORDS):
        if numbers[place] > numbers[best]:
            best = place
    end -= MOVE_WORDS
    numbers[frame + LEFT] = end
    for word in range(MOVE_WORDS):
        kept = numbers[end + word]
        numbers[end + word] = numbers[best + word]
        numbers[best + word] = kept
    return True
