"""Reversi for bot/search/alphabeta.py: the rules of rules.py, and the five leaf values of the report's Othello program.

A value compares two sides, "own" and "other", by discs on the board or by moves that they would have if it were their
turn. The report's program computes it for itself wherever a line ends: own is the side for which the whole search is
made, whoever is to move at the leaf. Only RESTRICTING, which counts the other's moves twice, tells the two apart.

The search stops where the side to move has no move, though it would only pass or the game be over: there, as at the
end of the depth, the position is worth its value. No ending is worth more than what is on the board.
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import count_bits, down, sideways, up, without

from .board import COMBINED, DISCS, MOBILITY, STABLE
from .rules import legal_cells, list_cells, load_root, play, store

__all__ = ["can_win", "evaluate", "leaf_value", "list_moves", "load_root", "play", "stable_value", "store"]


@kernel
def list_moves(state, control, moves, offset):
    """Write the legal cells' numbers to moves[offset:], row by row; returns how many, 0 where the side would pass."""
    own, opponent, board = state
    return list_cells(legal_cells(own, opponent, board), moves, offset)


@kernel
def can_win(state):
    """No move wins at once: the board is counted at the end."""
    return False


@kernel
def stable_value(cells, board):
    """What a set of discs is worth by place: each 1, more by the board's size in row 0 or column 0, and again by the
    size in the last row or column.

    So corner (0, 0) counts for its two edges once, as the last corner does; the other two corners count twice.
    """
    size = count_bits(without(board, sideways(board, 1)))
    first = without(board, sideways(board, 1) & up(board, 1))
    last = without(board, sideways(board, -1) & down(board, 1))
    return count_bits(cells) + size * (count_bits(cells & first) + count_bits(cells & last))


@kernel
def evaluate(own, other, board, evaluation):
    """The leaf value, int64, for the side whose discs are own; evaluation: a number of board.EVALUATIONS.

    DISCS         discs, own - other
    STABLE        stable_value, own - other
    MOBILITY      moves, own - other
    RESTRICTING   moves, own - 2 * other
    COMBINED      STABLE + MOBILITY
    """
    if evaluation == DISCS:
        return count_bits(own) - count_bits(other)
    by_place = 0
    if evaluation == STABLE or evaluation == COMBINED:
        by_place = stable_value(own, board) - stable_value(other, board)
    if evaluation == STABLE:
        return by_place
    own_moves, other_moves = count_bits(legal_cells(own, other, board)), count_bits(legal_cells(other, own, board))
    if evaluation == MOBILITY or evaluation == COMBINED:
        return by_place + own_moves - other_moves
    return own_moves - 2 * other_moves


@kernel
def leaf_value(state, evaluation, ply):
    """`evaluate` for the side to move; own is the side that is to move at ply 0, which an odd ply's mover is not."""
    own, other, board = state
    if ply & 1:
        return -evaluate(other, own, board, evaluation)
    return evaluate(own, other, board, evaluation)
