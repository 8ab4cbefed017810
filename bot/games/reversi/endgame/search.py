"""The endgame with up to a dozen empty squares: null windows, an explicit stack, moves by the opponent's mobility.

There is a frame for every number of empty squares, as a pass is made in the frame of the position itself. What is
needed next travels in variables, and six empty squares need no frame: so this is not search/solver/stack.py's loop.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit, numbers_at, words_at
from bot.search.solver.move_list import NO_MOVE_LEFT, make_next_move

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
from ..rules.bitboard import CORNERS, NONE, ONE, bit, flips, legal_moves
from ..rules.stability import stability_bound
from .last_squares import NO_SCORE, QUADRANTS, final_score, odd_quadrants, solve_6, solve_last

# Frame fields. SIGN is -1 where the side to move had to pass. Moves still to be tried come first and end at MOVES_END;
# the one under way is there.
FRAME_WORDS = 96
OWN, OPPONENT, EMPTY, ODD, KEY, ALPHA, BEST, BEST_MOVE, SIGN, MOVES_END = range(10)
MOVES = 16
# A move: how good it looks, its square; the position after it as the next to move sees it, with the moves there.
ORDER, SQUARE, NEXT_OWN, NEXT_OPPONENT, REPLIES = range(5)
MOVE_WORDS = 5
LAST = 6  # solved by last_squares.py
TABLE_FROM = 8  # fewer empty squares are not worth an entry
CUTS_FROM = 10  # nor a look at the entries of what the moves lead to
MOST = 14
EXACT = 7
# The order: every reply counts against a move, one into a corner twice; an odd quadrant counts for it. Not tuned.
REPLY_ORDER, CORNER_ORDER, ODD_ORDER = 4, 4, 3
HASH_MOVE_ORDER = 1 << 20
# With alpha at least so high, by empty squares, stable discs may show that it cannot be passed.
STABILITY_FROM = np.array([99, 99, 99, 99, 99, 99, 99, 0, 0, 0, 2, 4, 6, 8, 10, 12], np.int64)

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def frame_at(base, empty_squares):
    """The fields of a frame: pointer to int64."""
    return numbers_at(base, SMALL_FRAMES_OFFSET + 8 * FRAME_WORDS * empty_squares)


@kernel
def frame_words_at(base, empty_squares):
    """The same as uint64: discs and keys are among them."""
    return words_at(base, SMALL_FRAMES_OFFSET + 8 * FRAME_WORDS * empty_squares)


@kernel
def is_exact(data, empty_squares):
    """Whether an entry's bounds are those of a search to the end without probes: the midgame leaves others."""
    return certainty_of(data) >= EXACT and depth_of(data) >= empty_squares


@kernel
def list_moves(base, own, opponent, empty, odd, moves, alpha, hash_move, empty_squares):
    """Write the moves into the frame; a score above alpha where an entry of the table proves one, else NO_SCORE."""
    frame, words = frame_at(base, empty_squares), frame_words_at(base, empty_squares)
    place = MOVES
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
        order = -REPLY_ORDER * bit_count(replies) - CORNER_ORDER * bit_count(replies & CORNERS)
        if bit(square) & odd != NONE:
            order += ODD_ORDER
        if square == hash_move:
            order = HASH_MOVE_ORDER
        frame[place + ORDER] = order
        frame[place + SQUARE] = square
        words[place + NEXT_OWN] = next_own
        words[place + NEXT_OPPONENT] = next_opponent
        words[place + REPLIES] = replies
        place += MOVE_WORDS
    frame[MOVES_END] = place
    return NO_SCORE


@kernel
def take_score(frame, score):
    """Let a frame learn what its move under way is worth to its mover."""
    if score > frame[BEST]:
        frame[BEST], frame[BEST_MOVE] = score, frame[frame[MOVES_END] + SQUARE]


@kernel
def solve_small(base, own, opponent, alpha, empty, empty_squares):
    """The score of a position with at most MOST empty squares in the null window above alpha, fail soft."""
    nodes = numbers_at(base, 8 * NODES)
    odd = odd_quadrants(empty)
    if empty_squares <= LAST:
        return solve_last(own, opponent, alpha, empty, odd, nodes)
    top = empty_squares
    moves = legal_moves(own, opponent, empty)
    while True:
        # Enter a position.
        frame, words = frame_at(base, empty_squares), frame_words_at(base, empty_squares)
        nodes[0] += 1
        score = NO_SCORE
        sign = 1
        if moves == NONE:
            own, opponent, alpha, sign = opponent, own, -alpha - 1, -1
            moves = legal_moves(own, opponent, empty)
            if moves == NONE:
                score = final_score(own, opponent, empty_squares)
        if score == NO_SCORE and alpha >= STABILITY_FROM[np.uint64(empty_squares)]:
            bound = stability_bound(opponent, empty)
            if bound <= alpha:
                score = bound
        if score == NO_SCORE:
            hash_move = NO_MOVE
            if empty_squares >= TABLE_FROM:
                key = key_of(own, opponent)
                words[KEY] = key
                data = probe(base, key)
                if data != np.uint64(0):
                    hash_move = move_of(data)
                if is_exact(data, empty_squares):
                    if lower_of(data) > alpha:
                        score = lower_of(data)
                    elif upper_of(data) <= alpha:
                        score = upper_of(data)
            if score == NO_SCORE:
                score = list_moves(base, own, opponent, empty, odd, moves, alpha, hash_move, empty_squares)
        if score == NO_SCORE:
            words[OWN], words[OPPONENT] = own, opponent
            words[EMPTY], words[ODD] = empty, odd
            frame[ALPHA], frame[SIGN] = alpha, sign
            frame[BEST], frame[BEST_MOVE] = NO_SCORE, NO_MOVE
        else:
            # Known at once: hand it to the frame above.
            score *= sign
            empty_squares += 1
            if empty_squares > top:
                return score
            frame, words = frame_at(base, empty_squares), frame_words_at(base, empty_squares)
            take_score(frame, -score)
        # Go on with the frame's moves until one needs a frame of its own.
        while True:
            best, alpha = frame[BEST], frame[ALPHA]
            if best <= alpha:
                place = next_move(frame)
                if place != NO_MOVE_LEFT:
                    square = frame[place + SQUARE]
                    empty = words[EMPTY] ^ bit(square)
                    odd = words[ODD] ^ QUADRANTS[np.uint64(square)]
                    own, opponent = words[place + NEXT_OWN], words[place + NEXT_OPPONENT]
                    if empty_squares - 1 > LAST:
                        moves, alpha = words[place + REPLIES], -alpha - 1
                        empty_squares -= 1
                        break
                    take_score(frame, -solve_6(own, opponent, -alpha - 1, empty, odd, nodes))
                    continue
            if empty_squares >= TABLE_FROM:
                store(
                    base,
                    words[KEY],
                    empty_squares,
                    EXACT,
                    best if best > alpha else LOWEST,
                    HIGHEST if best > alpha else best,
                    frame[BEST_MOVE],
                )
            score = best * frame[SIGN]
            empty_squares += 1
            if empty_squares > top:
                return score
            frame, words = frame_at(base, empty_squares), frame_words_at(base, empty_squares)
            take_score(frame, -score)


@kernel
def solve_window(base, own, opponent, alpha, beta, empty, empty_squares):
    """The same in any window: null windows that halve what is left of it."""
    lower, upper = LOWEST, HIGHEST
    while lower < upper and lower < beta and upper > alpha:
        asked = (max(lower, alpha) + min(upper, beta)) // 2
        score = solve_small(base, own, opponent, min(asked, min(upper, beta) - 1), empty, empty_squares)
        if score > min(asked, min(upper, beta) - 1):
            lower = score
        else:
            upper = score
    return lower if lower >= beta or lower == upper else upper
