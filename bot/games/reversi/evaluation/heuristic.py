"""What a position is worth without learnt weights: corners, moves, empty squares beside discs.

The weights are guesses that play sensibly. It serves boards of every size up to 8x8.
"""

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count

from ..rules.bitboard import legal_moves, neighbours

# In 1/128 of a disc.
_CORNER = 1000
_BESIDE_FREE_CORNER = 300
_MOVE = 110
_FREE_SQUARE_BESIDE = 40


@kernel
def judge(own, opponent, empty, corners):
    """int64 in 1/128 of a disc for the side to move; corners: the four of the board."""
    beside = neighbours(corners & empty)
    corner_difference = bit_count(own & corners) - bit_count(opponent & corners)
    beside_difference = bit_count(own & beside) - bit_count(opponent & beside)
    move_difference = bit_count(legal_moves(own, opponent, empty)) - bit_count(legal_moves(opponent, own, empty))
    open_difference = bit_count(neighbours(opponent) & empty) - bit_count(neighbours(own) & empty)
    return (
        _CORNER * corner_difference
        - _BESIDE_FREE_CORNER * beside_difference
        + _MOVE * move_difference
        + _FREE_SQUARE_BESIDE * open_difference
    )
