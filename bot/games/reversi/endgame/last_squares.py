"""The last six empty squares, solved exactly: each number of them has a function of its own, and no table.

All take the side to move as `own`, a null window just above `alpha` (int64), the empty squares and `odd`, the
quadrants of the board (4x4 squares each) that have an odd number of them. They return the score in discs, empty
squares counted for the winner: exact on the side of the window where it lies, a bound on the true score there
(fail soft). A move in an odd quadrant comes first: it leaves the opponent an even one, where the mover tends to
get the last word. Sources: the order by parity and the special cases of the last squares are common to the solvers
of this game, see Andersson's notes on its endgame (radagast.se/othello/endgame.html).
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit

from ..rules.bitboard import NONE, ONE, SIZE, SQUARES, bit, flips, legal_moves

NO_SCORE = -128  # lower than any score
_LOW_BYTE = np.uint64(255)
_COLUMN = np.uint64(0x0101010101010101)
_TO_ROW = np.uint64(0x0102040810204080)  # times a word with bits in column 0 only: row r's arrives at bit 56 + r
_TOP_BYTE = np.uint64(56)


def _flipped_in_line(place, own):
    """Discs turned by a move at `place` of a line of 8 where each square not in the bit set `own` is the opponent's."""
    higher = own >> (place + 1)
    lower = own & ((1 << place) - 1)
    return ((higher & -higher).bit_length() - 1 if higher else 0) + (place - lower.bit_length() if lower else 0)


def _diagonal(square, direction):
    """Squares of the diagonal through `square`; direction 1: down right, -1: down left."""
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
    """Discs that `own` turns by moving to the last empty square, where all other squares are the opponent's (int64)."""
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
    """The score where neither side can move any more."""
    difference = bit_count(own) - bit_count(opponent)
    if difference > 0:
        return difference + empty_squares
    return difference - empty_squares if difference < 0 else 0


@kernel
def solve_1(own, opponent, square):
    """The score with one empty square left; exact whatever the window."""
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
    """Two empty squares, tried in that order. nodes: pointer to int64, raised by the positions visited."""
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
    """Three empty squares."""
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
    """The function for so many empty squares from the one for the rest."""

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
    """At most six empty squares."""
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
    """uint64 of the quadrants that have an odd number of the empty squares."""
    odd = NONE
    while empty != NONE:
        odd ^= QUADRANTS[np.uint64(lowest_bit(empty))]
        empty &= empty - ONE
    return odd
