"""What bot/search/alphabeta.py needs from reversi: the rules (rules.py), and five leaf values.

The leaf values are those of the Othello program in the project's report on this game. A value compares two sides, "own"
and "other": their discs on the board, or the moves that each side would have if it were to move. As in the report's
program, own is the side for which the whole search is made, whichever side is to move at the leaf. That only matters
for RESTRICTING, which counts the other side's moves twice.

A line also ends where the side to move has no move, whether it has to pass or the game is over. Such a position gets
its leaf value, as a position at the full depth does. So the end of a game has no special value.
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import count_bits, down, sideways, up, without

from .board import COMBINED, DISCS, MOBILITY, STABLE
from .rules import legal_cells, list_cells, load_root, play, store

__all__ = ["can_win", "evaluate", "leaf_value", "list_moves", "load_root", "play", "stable_value", "store"]


@kernel
def list_moves(state, control, moves, offset):
    """Write the numbers of the legal cells to moves[offset:], row by row. `control` is not used.

    Returns their number, which is 0 if the side to move has no move.
    """
    own, opponent, board = state
    return list_cells(legal_cells(own, opponent, board), moves, offset)


@kernel
def can_win(state):
    """Returns False: no move wins at once, because the board is counted at the end."""
    return False


@kernel
def stable_value(cells, board):
    """Returns the value (int64) of the discs in the set `cells` by their places. `board` is the set of all cells.

    Each disc counts 1, plus the board's size if it lies in row 0 or column 0, plus the size if it lies in the last row
    or column. So corner (0, 0) and the corner opposite to it get the size once; the other two corners get it twice.
    """
    size = count_bits(without(board, sideways(board, 1)))
    first = without(board, sideways(board, 1) & up(board, 1))
    last = without(board, sideways(board, -1) & down(board, 1))
    return count_bits(cells) + size * (count_bits(cells & first) + count_bits(cells & last))


@kernel
def evaluate(own, other, board, evaluation):
    """Returns the leaf value (int64) for the side with the discs `own`.

    `evaluation` is an index into board.EVALUATIONS.

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
    """Returns the leaf value for the side to move, computed from the view of the side to move at ply 0."""
    own, other, board = state
    if ply & 1:
        return -evaluate(other, own, board, evaluation)
    return evaluate(own, other, board, evaluation)
