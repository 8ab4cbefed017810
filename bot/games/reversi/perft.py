"""Counts the games of so many plies: what shows that moves and flips are right."""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit, words_at

from .memory.layout import BOARD, FRAMES_OFFSET
from .memory.views import control_at
from .rules.bitboard import NONE, ONE, bit, flips, legal_moves

_OWN, _OPPONENT, _MOVES, _WORDS = 0, 1, 2, 3


@kernel
def count_games(base, depth):
    """Sequences of `depth` plies (>= 1) from the position in frame 0; a pass is a ply, so is a double pass, an end.

    What lies in the frames is lost.
    """
    words, board = words_at(base, FRAMES_OFFSET), np.uint64(control_at(base)[BOARD])
    own, opponent = words[_OWN], words[_OPPONENT]
    moves = legal_moves(own, opponent, board & ~(own | opponent))
    if moves == NONE:
        return 0
    if depth == 1:
        return bit_count(moves)
    games, ply = 0, 0
    while ply >= 0:
        frame = ply * _WORDS
        if moves == NONE:
            ply -= 1
            if ply >= 0:
                frame -= _WORDS
                own, opponent, moves = words[frame + _OWN], words[frame + _OPPONENT], words[frame + _MOVES]
            continue
        square = lowest_bit(moves)
        moves &= moves - ONE
        words[frame + _OWN], words[frame + _OPPONENT], words[frame + _MOVES] = own, opponent, moves
        turned = flips(own, opponent, square)
        own, opponent = opponent ^ turned, own ^ turned ^ bit(square)
        empty = board & ~(own | opponent)
        replies = legal_moves(own, opponent, empty)
        below = ply + 1
        if replies == NONE:
            moves_after_pass = legal_moves(opponent, own, empty)
            if moves_after_pass == NONE or depth - below == 1:
                games += 1
                own, opponent = words[frame + _OWN], words[frame + _OPPONENT]
                continue
            words[frame + _WORDS + _MOVES] = NONE  # the pass is all there is to try at that ply
            own, opponent, replies = opponent, own, moves_after_pass
            below += 1
        if depth - below == 1:
            games += bit_count(replies)
            own, opponent = words[frame + _OWN], words[frame + _OPPONENT]
            continue
        ply, moves = below, replies
    return games
