"""The search's order of moves: listed with a position, taken one by one.

First the move that the table remembers and the one before it; then by a small search after the move and by how many
replies it leaves.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit
from bot.search.solver.move_list import make_next_move
from bot.search.solver.stack import OPEN

from ..evaluation.patterns import follow_move
from ..memory.layout import (
    FEATURE_BYTES,
    FEATURES_OFFSET,
    MOVE_SQUARE,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    ORDER,
    REPLIES,
    TURNED,
)
from ..memory.position_table import certainty_of, depth_of, key_of, move_of, probe, second_move_of, upper_of
from ..memory.views import frame_at, frame_words_at
from ..rules.bitboard import CORNERS, NONE, ONE, bit, flips, legal_moves
from .leaf import MOST_DISCS, search_0, search_1, search_2

TABLE_MOVE_ORDER = 1 << 30
SECOND_MOVE_ORDER = 1 << 29
# The search after a move has one ply, or two, where the position is searched so deep, to the end or not.
ONE_PLY_FROM, TWO_PLIES_FROM = 9, 13
ONE_PLY_FROM_TO_END, TWO_PLIES_FROM_TO_END = 15, 19
# What a reply is worth in that order; one into a corner counts twice. None of these numbers is tuned.
REPLY_DISCS, REPLY_DISCS_TO_END = 2, 3

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def list_moves(base, ply, own, opponent, empty, moves, alpha, beta, depth, level, data):
    """Write the moves into the frame; a score of at least beta where the table has one for a null window, or OPEN.

    data: what the table has on the position.
    """
    frame, words = frame_at(base, ply), frame_words_at(base, ply)
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    empty_squares = bit_count(empty)
    table_move, second_move = -1, -1
    if data != np.uint64(0):
        table_move, second_move = move_of(data), second_move_of(data)
    place = MOVES
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
        frame[place + ORDER], frame[place + MOVE_SQUARE] = order, square
        words[place + TURNED], words[place + REPLIES] = turned, replies
        place += MOVE_WORDS
    frame[MOVES_END] = place
    return OPEN


@kernel
def order_of(base, features, next_own, next_opponent, square, turned, replies, depth, empty_squares):
    """How promising a move is, by the position after it."""
    after = features + FEATURE_BYTES
    follow_move(features, after, square, turned)
    count = bit_count(replies) + bit_count(replies & CORNERS)
    to_the_end = depth == empty_squares
    if depth < (ONE_PLY_FROM_TO_END if to_the_end else ONE_PLY_FROM):
        worth = search_0(base, after, next_own, next_opponent, -MOST_DISCS, MOST_DISCS)
    elif depth < (TWO_PLIES_FROM_TO_END if to_the_end else TWO_PLIES_FROM):
        worth = search_1(base, after, next_own, next_opponent, -MOST_DISCS, MOST_DISCS)
    else:
        worth = search_2(base, after, next_own, next_opponent, -MOST_DISCS, MOST_DISCS)
    return -worth - (REPLY_DISCS_TO_END if to_the_end else REPLY_DISCS) * count
