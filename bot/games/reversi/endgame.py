"""The exact search of positions with at most MOST empty squares, in null windows. pvs.py uses it for at most SMALL.

Kernels. Scores are in discs for the side to move. At the end of the game, empty squares count as discs of the winner.
For each number of empty squares up to six there is a separate function, which uses no table. For seven and more empty
squares there is one function, which has a frame in memory for each number of empty squares. A pass needs no frame of
its own.

A move in a quadrant with an odd number of empty squares comes first. It leaves an even number, so that the side that
has moved tends to get the last move in this quadrant. Sources: the order by parity and the special cases of the last
squares are common to the solvers of this game, see Andersson's notes on its endgame (radagast.se/othello/endgame.html).
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit, numbers_at, words_at
from bot.search.solver import NO_MOVE_LEFT, make_next_move

from .bitboard import CORNERS, NONE, ONE, SIZE, SQUARES, bit, flips, legal_moves, stability_bound
from .memory import EXACT, NO_SQUARE, NODES, SMALL_FRAMES_OFFSET
from .position_table import HIGHEST, LOWEST, certainty_of, depth_of, key_of, lower_of, move_of, probe, store, upper_of

# The last six empty squares
# --------------------------
#
# All functions take the discs of the side to move as `own`, a null window just above `alpha` (int64), the empty squares
# and `odd`, the quadrants of the board (4x4 squares each) with an odd number of empty squares. They return a bound of
# the score, on the same side of the window as the score (fail soft).


NO_SCORE = -128  # lower than any score
_LOW_BYTE = np.uint64(255)
_COLUMN = np.uint64(0x0101010101010101)
_TO_ROW = np.uint64(0x0102040810204080)  # factor for a word with bits only in column 0: moves row r's bit to bit 56 + r
_TOP_BYTE = np.uint64(56)


def _flipped_in_line(place, own):
    """Returns the number of discs that a move at `place` of a line of 8 turns.

    `own` is the set, in 8 bits, of the own discs on the line. All other squares but `place` are the opponent's.
    """
    higher = own >> (place + 1)
    lower = own & ((1 << place) - 1)
    return ((higher & -higher).bit_length() - 1 if higher else 0) + (place - lower.bit_length() if lower else 0)


def _diagonal(square, direction):
    """Returns the squares of the diagonal through `square`. `direction` is 1 for down right, -1 for down left."""
    row, column = divmod(square, SIZE)
    return sum(
        1 << (SIZE * down + right)
        for down in range(SIZE)
        for right in range(SIZE)
        if down - row == direction * (right - column)
    )


def _around(square):
    row, column = divmod(square, SIZE)
    return sum(
        1 << (SIZE * down + right)
        for down in range(SIZE)
        for right in range(SIZE)
        if max(abs(down - row), abs(right - column)) == 1
    )


def _quadrant(square):
    row, column = divmod(square, SIZE)
    return 0x0F0F0F0F << (SIZE * (row & 4) + (column & 4))


_FLIPPED_IN_LINE = np.array(
    [[_flipped_in_line(place, own) for own in range(256)] for place in range(SIZE)], np.uint8
).ravel()
_DIAGONALS_DOWN = np.array([_diagonal(square, 1) for square in range(SQUARES)], np.uint64)
_DIAGONALS_UP = np.array([_diagonal(square, -1) for square in range(SQUARES)], np.uint64)
AROUND = np.array([_around(square) for square in range(SQUARES)], np.uint64)
QUADRANTS = np.array([_quadrant(square) for square in range(SQUARES)], np.uint64)


@kernel
def count_last_flips(own, square):
    """Returns the number of discs (int64) that a move on `square`, the last empty square, turns.

    `own` are the discs of the side that moves. All other squares are the opponent's.
    """
    place = np.uint64(square)
    column, row = place & np.uint64(7), place >> np.uint64(3)
    of_column, of_row = column << np.uint64(8), row << np.uint64(8)
    in_row = (own >> (place & np.uint64(56))) & _LOW_BYTE
    in_column = (((own >> column) & _COLUMN) * _TO_ROW) >> _TOP_BYTE
    down = ((own & _DIAGONALS_DOWN[place]) * _COLUMN) >> _TOP_BYTE
    up = ((own & _DIAGONALS_UP[place]) * _COLUMN) >> _TOP_BYTE
    return (
        np.int64(_FLIPPED_IN_LINE[of_column | in_row])
        + np.int64(_FLIPPED_IN_LINE[of_row | in_column])
        + np.int64(_FLIPPED_IN_LINE[of_column | down])
        + np.int64(_FLIPPED_IN_LINE[of_column | up])
    )


@kernel
def final_score(own, opponent, empty_squares):
    """Returns the score of a position in which neither side can move."""
    difference = bit_count(own) - bit_count(opponent)
    if difference > 0:
        return difference + empty_squares
    return difference - empty_squares if difference < 0 else 0


@kernel
def solve_1(own, opponent, square):
    """Returns the score of a position with one empty square. It is exact, whatever the window."""
    difference = bit_count(own) - bit_count(opponent)
    turned = count_last_flips(own, square)
    if turned != 0:
        return difference + 1 + 2 * turned
    turned = count_last_flips(opponent, square)
    if turned != 0:
        return difference - 1 - 2 * turned
    return final_score(own, opponent, 1)


@kernel
def solve_2(own, opponent, alpha, first, second, nodes):
    """Returns the score of a position with two empty squares. `first` is tried before `second`.

    `nodes` is a pointer to an int64, to which the number of positions visited is added.
    """
    nodes[0] += 1
    best = NO_SCORE
    if opponent & AROUND[np.uint64(first)] != NONE:
        turned = flips(own, opponent, first)
        if turned != NONE:
            best = -solve_1(opponent ^ turned, own ^ turned ^ bit(first), second)
            if best > alpha:
                return best
    if opponent & AROUND[np.uint64(second)] != NONE:
        turned = flips(own, opponent, second)
        if turned != NONE:
            return max(best, -solve_1(opponent ^ turned, own ^ turned ^ bit(second), first))
    if best != NO_SCORE:
        return best
    worst = -NO_SCORE
    turned = flips(opponent, own, first)
    if turned != NONE:
        worst = solve_1(own ^ turned, opponent ^ turned ^ bit(first), second)
        if worst <= alpha:
            return worst
    turned = flips(opponent, own, second)
    if turned != NONE:
        return min(worst, solve_1(own ^ turned, opponent ^ turned ^ bit(second), first))
    return worst if worst != -NO_SCORE else final_score(own, opponent, 2)


@kernel
def solve_3(own, opponent, alpha, empty, odd, nodes):
    """Returns the score of a position with three empty squares. `nodes` is as in solve_2."""
    nodes[0] += 1
    sign = 1
    for _ in range(2):
        best = NO_SCORE
        left = empty & odd
        if left == NONE:
            left = empty
        others = empty ^ left
        while left != NONE:
            square = lowest_bit(left)
            left &= left - ONE
            if opponent & AROUND[np.uint64(square)] != NONE:
                turned = flips(own, opponent, square)
                if turned != NONE:
                    rest = empty ^ bit(square)
                    score = -solve_2(
                        opponent ^ turned,
                        own ^ turned ^ bit(square),
                        -alpha - 1,
                        lowest_bit(rest),
                        lowest_bit(rest & (rest - ONE)),
                        nodes,
                    )
                    if score > best:
                        if score > alpha:
                            return sign * score
                        best = score
            if left == NONE:
                left = others
                others = NONE
        if best != NO_SCORE:
            return sign * best
        own, opponent, alpha, sign = opponent, own, -alpha - 1, -sign
    return final_score(own, opponent, 3)


def _make_solve(empty_squares, solve_rest):
    """Returns the kernel for positions with `empty_squares` empty squares.

    `solve_rest` is the kernel for one empty square fewer.
    """

    @kernel
    def solve(own, opponent, alpha, empty, odd, nodes):
        nodes[0] += 1
        sign = 1
        moves = legal_moves(own, opponent, empty)
        if moves == NONE:
            own, opponent, alpha, sign = opponent, own, -alpha - 1, -1
            moves = legal_moves(own, opponent, empty)
            if moves == NONE:
                return -final_score(own, opponent, empty_squares)
        best = NO_SCORE
        left = moves & odd
        others = moves ^ left
        if left == NONE:
            left = others
            others = NONE
        while left != NONE:
            square = lowest_bit(left)
            left &= left - ONE
            turned = flips(own, opponent, square)
            score = -solve_rest(
                opponent ^ turned,
                own ^ turned ^ bit(square),
                -alpha - 1,
                empty ^ bit(square),
                odd ^ QUADRANTS[np.uint64(square)],
                nodes,
            )
            if score > best:
                if score > alpha:
                    return sign * score
                best = score
            if left == NONE:
                left = others
                others = NONE
        return sign * best

    return solve


solve_4 = _make_solve(4, solve_3)
solve_5 = _make_solve(5, solve_4)
solve_6 = _make_solve(6, solve_5)


@kernel
def solve_last(own, opponent, alpha, empty, odd, nodes):
    """Returns the score of a position with at most six empty squares. `nodes` is as in solve_2."""
    empty_squares = bit_count(empty)
    if empty_squares == 6:
        return solve_6(own, opponent, alpha, empty, odd, nodes)
    if empty_squares == 5:
        return solve_5(own, opponent, alpha, empty, odd, nodes)
    if empty_squares == 4:
        return solve_4(own, opponent, alpha, empty, odd, nodes)
    if empty_squares == 3:
        return solve_3(own, opponent, alpha, empty, odd, nodes)
    if empty_squares == 2:
        return solve_2(own, opponent, alpha, lowest_bit(empty), lowest_bit(empty & (empty - ONE)), nodes)
    if empty_squares == 1:
        return solve_1(own, opponent, lowest_bit(empty))
    return final_score(own, opponent, 0)


@kernel
def odd_quadrants(empty):
    """Returns a uint64 of the quadrants with an odd number of empty squares."""
    odd = NONE
    while empty != NONE:
        odd ^= QUADRANTS[np.uint64(lowest_bit(empty))]
        empty &= empty - ONE
    return odd


# From seven empty squares on
# ---------------------------
#
# The search uses an explicit stack and orders moves by the opponent's mobility. It does not use bot/search/solver.py's
# loop, because its own loop keeps the data that are needed next in variables, and positions with six empty squares need
# no frame.


# Frame fields. SIGN is -1 if the side to move had to pass. The moves begin at MOVES. First come the moves that are
# left. They end at MOVES_END, where the move being tried lies.
FRAME_WORDS = 96
OWN, OPPONENT, EMPTY, ODD, KEY, ALPHA, BEST, BEST_MOVE, SIGN, MOVES_END = range(10)
MOVES = 16
# Fields of a move: its order, its square, the position after the move as the side to move then sees it, and the legal
# moves in that position.
ORDER, SQUARE, NEXT_OWN, NEXT_OPPONENT, REPLIES = range(5)
MOVE_WORDS = 5
LAST = 6  # solve_last solves positions with at most so many empty squares
TABLE_FROM = 8  # positions with fewer empty squares are not worth an entry in the table
CUTS_FROM = 10  # with fewer empty squares the table is not probed for the positions after the moves
MOST = 14
# The order of moves: every reply counts against a move, and a reply into a corner twice as much. An odd quadrant counts
# for a move. The numbers are not tuned.
REPLY_ORDER, CORNER_ORDER, ODD_ORDER = 4, 4, 3
HASH_MOVE_ORDER = 1 << 20
# The least alpha, by empty squares, at which the opponent's stable discs are counted to show that no score exceeds it.
STABILITY_FROM = np.array([99, 99, 99, 99, 99, 99, 99, 0, 0, 0, 2, 4, 6, 8, 10, 12], np.int64)

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def frame_at(base, empty_squares):
    """Returns a pointer (int64) to the fields of the frame for `empty_squares`."""
    return numbers_at(base, SMALL_FRAMES_OFFSET + 8 * FRAME_WORDS * empty_squares)


@kernel
def frame_words_at(base, empty_squares):
    """Returns a pointer (uint64) to the fields of the frame for `empty_squares`, for its discs and keys."""
    return words_at(base, SMALL_FRAMES_OFFSET + 8 * FRAME_WORDS * empty_squares)


@kernel
def is_exact(data, empty_squares):
    """Returns whether the bounds of the table's entry `data` come from a search to the end without probes.

    The midgame search also stores other bounds.
    """
    return certainty_of(data) >= EXACT and depth_of(data) >= empty_squares


@kernel
def list_moves(base, own, opponent, empty, odd, moves, alpha, hash_move, empty_squares):
    """Write the moves into the frame for `empty_squares`, and return NO_SCORE.

    If the table proves that a move has a score above alpha, return this score instead.
    """
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
    """Update a frame's best score and move.

    `score` is the score of its current move, for the side that makes the move.
    """
    if score > frame[BEST]:
        frame[BEST], frame[BEST_MOVE] = score, frame[frame[MOVES_END] + SQUARE]


@kernel
def solve_small(base, own, opponent, alpha, empty, empty_squares):
    """Returns the score of a position with at most MOST empty squares, in the null window above alpha (fail soft)."""
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
            hash_move = NO_SQUARE
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
            frame[BEST], frame[BEST_MOVE] = NO_SCORE, NO_SQUARE
        else:
            # The score is known at once: pass it to the frame of the position before.
            score *= sign
            empty_squares += 1
            if empty_squares > top:
                return score
            frame, words = frame_at(base, empty_squares), frame_words_at(base, empty_squares)
            take_score(frame, -score)
        # Try the frame's moves until one needs a frame of its own.
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
    """Returns the score of a position with at most MOST empty squares, in the window (alpha, beta), which may be wide.

    It searches one null window after another. Each halves the part of the window in which the score may still lie.
    """
    lower, upper = LOWEST, HIGHEST
    while lower < upper and lower < beta and upper > alpha:
        asked = (max(lower, alpha) + min(upper, beta)) // 2
        score = solve_small(base, own, opponent, min(asked, min(upper, beta) - 1), empty, empty_squares)
        if score > min(asked, min(upper, beta) - 1):
            lower = score
        else:
            upper = score
    return lower if lower >= beta or lower == upper else upper
