"""A frame's list of moves: the best of those left is taken, and swapped to the end of them. Kernels."""

from bot.kernels.kernel import kernel

NO_MOVE_LEFT = -1


def make_next_move(moves, move_words, moves_end):
    """The kernel next_move(frame) for frames whose list begins at word `moves`, with so many words a move.

    The first word of a move is its order, the greatest is tried first. Word `moves_end` of the frame says where the
    moves end that are still to be tried; from there on lie those that were taken, the last one first.
    """

    @kernel
    def next_move(frame):
        """The place of the move to try next, from now on not among those left; NO_MOVE_LEFT where none is.

        frame: pointer to int64.
        """
        end = frame[moves_end]
        if end == moves:
            return NO_MOVE_LEFT
        best = place = moves
        while place < end:
            if frame[place] > frame[best]:
                best = place
            place += move_words
        end -= move_words
        frame[moves_end] = end
        for word in range(move_words):
            kept = frame[end + word]
            frame[end + word] = frame[best + word]
            frame[best + word] = kept
        return end

    return next_move
