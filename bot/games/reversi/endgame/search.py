"""The endgame with up to a dozen empty squares: null windows, an explicit stack, moves by the opponent's mobility.

A frame belongs to a number of empty squares; it lists its moves with the positions they lead to:

    word 0 own, 1 opponent, 2 empty, 3 odd quadrants, 4 key; numbers 5 alpha, 6 best, 7 best move, 8 sign, 9 moves left
    from word 16 on, five for each move: order, square, own and opponent after it (seen by the next mover), their moves
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit

from ..memory.layout import NODES, SMALL_FRAMES_OFFSET
from ..memory.position_table import (
    HIGHEST,
    LOWEST,
    NO_MOVE,
    certainty_of,
    depth_of,
    key_of,
    lower_of,
    move_of,
    probe,
    store,
    upper_of,
)
from ..memory.views import numbers_at, words_at
from ..rules.bitboard import CORNERS, NONE, ONE, bit, flips, legal_moves
from ..rules.stability import stability_bound
from .last_squares import NO_SCORE, QUADRANTS, odd_quadrants, settled, solve_6, solve_last

FRAME_WORDS = 96
MOVES = 16
MOVE_WORDS = 5
OWN, OPPONENT, EMPTY, ODD, KEY, ALPHA, BEST, BEST_MOVE, SIGN, LEFT = range(10)
LAST = 6  # solved by last_squares.py
TABLE_FROM = 8  # fewer empty squares are not worth an entry
CUTS_FROM = 10  # nor a look at the entries of what the moves lead to
MOST = 14
EXACT = 7
HASH_MOVE_ORDER = 1 << 20
# With alpha at least so high, by empty squares, stable discs may show that it cannot be passed.
STABILITY_FROM = np.array([99, 99, 99, 99, 99, 99, 99, 0, 0, 0, 2, 4, 6, 8, 10, 12], np.int64)


@kernel
def is_exact(data, empty_squares):
    """Whether an entry's bounds are those of a search to the end without probes: the midgame leaves others."""
    return certainty_of(data) >= EXACT and depth_of(data) >= empty_squares


@kernel
def list_moves(base, frame, own, opponent, empty, odd, moves, alpha, hash_move, empty_squares):
    """Write the moves into the frame; a score above alpha where an entry of the table proves one, else NO_SCORE."""
    words, numbers = words_at(base, SMALL_FRAMES_OFFSET), numbers_at(base, SMALL_FRAMES_OFFSET)
    place = frame + MOVES
    while moves != NONE:
        square = lowest_bit(moves)
        moves &= moves - ONE
        turned = flips(own, opponent, square)
        next_own, next_opponent = opponent ^ turned, own ^ turned ^ bit(square)
        if empty_squares >= CUTS_FROM:
            data = probe(base, key_of(next_own, next_opponent))
            if is_exact(data, empty_squares - 1) and -upper_of(data) > alpha:
                return -upper_of(data)
        replies = legal_moves(next_own, next_opponent, empty ^ bit(square))
        order = -4 * bit_count(replies) - 4 * bit_count(replies & CORNERS)
        if bit(square) & odd != NONE:
            order += 3
        if square == hash_move:
            order = HASH_MOVE_ORDER
        numbers[place] = order
        numbers[place + 1] = square
        words[place + 2] = next_own
        words[place + 3] = next_opponent
        words[place + 4] = replies
        place += MOVE_WORDS
    numbers[frame + LEFT] = place
    return NO_SCORE


@kernel
def next_move(base, frame):
    """The place of the best move left in the frame, put behind those still left; -1 where none is."""
    numbers = numbers_at(base, SMALL_FRAMES_OFFSET)
    end = numbers[frame + LEFT]
    first = frame + MOVES
    if end == first:
        return -1
    best = first
    place = first + MOVE_WORDS
    while place < end:
        if numbers[place] > numbers[best]:
            best = place
        place += MOVE_WORDS
    end -= MOVE_WORDS
    numbers[frame + LEFT] = end
    for word in range(MOVE_WORDS):
        kept = numbers[end + word]
        numbers[end + word] = numbers[best + word]
        numbers[best + word] = kept
    return end


@kernel
def solve_small(base, own, opponent, alpha, empty, empty_squares):
    """The score of a position with at most MOST empty squares in the null window above alpha, fail soft."""
    words, numbers = words_at(base, SMALL_FRAMES_OFFSET), numbers_at(base, SMALL_FRAMES_OFFSET)
    nodes = numbers_at(base, 8 * NODES)
    odd = odd_quadrants(empty)
    if empty_squares <= LAST:
        return solve_last(own, opponent, alpha, empty, odd, nodes)
    top = empty_squares
    moves = legal_moves(own, opponent, empty)
    while True:
        # Enter a position.
        frame = empty_squares * FRAME_WORDS
        nodes[0] += 1
        score = NO_SCORE
        sign = 1
        if moves == NONE:
            own, opponent, alpha, sign = opponent, own, -alpha - 1, -1
            moves = legal_moves(own, opponent, empty)
            if moves == NONE:
                score = settled(own, opponent, empty_squares)
        if score == NO_SCORE and alpha >= STABILITY_FROM[np.uint64(empty_squares)]:
            bound = stability_bound(opponent, empty)
            if bound <= alpha:
                score = bound
        if score == NO_SCORE:
            hash_move = NO_MOVE
            if empty_squares >= TABLE_FROM:
                key = key_of(own, opponent)
                words[frame + KEY] = key
                data = probe(base, key)
                if data != np.uint64(0):
                    hash_move = move_of(data)
                if is_exact(data, empty_squares):
                    if lower_of(data) > alpha:
                        score = lower_of(data)
                    elif upper_of(data) <= alpha:
                        score = upper_of(data)
            if score == NO_SCORE:
                score = list_moves(base, frame, own, opponent, empty, odd, moves, alpha, hash_move, empty_squares)
        if score == NO_SCORE:
            words[frame + OWN], words[frame + OPPONENT] = own, opponent
            words[frame + EMPTY], words[frame + ODD] = empty, odd
            numbers[frame + ALPHA], numbers[frame + SIGN] = alpha, sign
            numbers[frame + BEST], numbers[frame + BEST_MOVE] = NO_SCORE, NO_MOVE
        else:
            # Known at once: hand it to the frame above.
            score *= sign
            empty_squares += 1
            if empty_squares > top:
                return score
            frame = empty_squares * FRAME_WORDS
            score = -score
            if score > numbers[frame + BEST]:
                numbers[frame + BEST] = score
                numbers[frame + BEST_MOVE] = numbers[numbers[frame + LEFT] + 1]
        # Go on with the frame's moves until one needs a frame of its own.
        while True:
            best, alpha = numbers[frame + BEST], numbers[frame + ALPHA]
            if best <= alpha:
                place = next_move(base, frame)
                if place >= 0:
                    square = numbers[place + 1]
                    empty = words[frame + EMPTY] ^ bit(square)
                    odd = words[frame + ODD] ^ QUADRANTS[np.uint64(square)]
                    if empty_squares - 1 > LAST:
                        own, opponent, moves = words[place + 2], words[place + 3], words[place + 4]
                        alpha = -alpha - 1
                        empty_squares -= 1
                        break
                    score = -solve_6(words[place + 2], words[place + 3], -alpha - 1, empty, odd, nodes)
                    if score > best:
                        numbers[frame + BEST], numbers[frame + BEST_MOVE] = score, square
                    continue
            if empty_squares >= TABLE_FROM:
                store(
                    base,
                    words[frame + KEY],
                    empty_squares,
                    EXACT,
                    best if best > alpha else LOWEST,
                    HIGHEST if best > alpha else best,
                    numbers[frame + BEST_MOVE],
                )
            score = best * numbers[frame + SIGN]
            empty_squares += 1
            if empty_squares > top:
                return score
            frame = empty_squares * FRAME_WORDS
            score = -score
            if score > numbers[frame + BEST]:
                numbers[frame + BEST] = score
                numbers[frame + BEST_MOVE] = numbers[numbers[frame + LEFT] + 1]


@kernel
def solve_window(base, own, opponent, alpha, beta, empty, empty_squares):
    """The same in any window: null windows that halve what is left of it."""
    lower, upper = -127, 127
    while lower < upper and lower < beta and upper > alpha:
        asked = (max(lower, alpha) + min(upper, beta)) // 2
        score = solve_small(base, own, opponent, min(asked, min(upper, beta) - 1), empty, empty_squares)
        if score > min(asked, min(upper, beta) - 1):
            lower = score
        else:
            upper = score
    return lower if lower >= beta or lower == upper else upper
