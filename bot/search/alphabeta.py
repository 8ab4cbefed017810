"""Alpha-beta for any game whose kernels follow the contract below: negamax to a fixed depth, with an explicit stack.

`make_alphabeta(game)` closes over a game *module*, as make_uct does, and returns the kernel `search`. Moves are 16-bit
integers in the game's own numbering; a pass may be one of them. The module supplies

    load_root(positions, offset)          -> state of the position at uint16 positions[offset:]
    store(state, positions, offset)       writes what load_root reads, at most POSITION_BYTES
    list_moves(state, control, moves, offset)
                                          writes the legal moves, in the order in which they are to be tried, to int16
                                          moves[offset:] and returns their number, at most MOST_MOVES; `control` may
                                          hold an ORDER that the game's engine has written
    play(state, move)                     -> state after that legal move, seen by the other side
    can_win(state)                        -> whether a legal move wins at once
    leaf_value(state, evaluation, ply)    -> int64 value for the side to move, far smaller in size than WIN, of a
                                          position at the end of the depth or where list_moves finds no move

The search asks can_win before it tries moves. A position with a winning move gets the value of making that move, and
needs no nodes below it. With control[PRUNING] 0 the same search is minimax: every window is the widest one, so that
nothing is cut off. Source: the negamax form and deep cut-offs, Knuth and Moore 1975.
"""

from collections import namedtuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import int16_array_at, int64_array_at, monotonic_ns, uint16_array_at

from .alphabeta_engine import (
    ALPHA,
    BETA,
    BUDGET_NS,
    CONTROL_FIELDS,
    DEPTH,
    EVALUATION,
    FRAME_ALPHA,
    FRAME_BEST,
    FRAME_BETA,
    FRAME_FIELDS,
    FRAME_LINE,
    FRAME_MOVE,
    FRAME_MOVES,
    FRAME_NEXT,
    FRAMES_OFFSET,
    INFINITY,
    LINE_LENGTH,
    LINE_PLACES,
    LINES_OFFSET,
    MAX_NODES,
    MOST_MOVES,
    MOVES_OFFSET,
    NODES,
    POSITION_BYTES,
    POSITIONS_OFFSET,
    PRUNING,
    STOPPED,
    VALUE,
    WIN,
    WIN_STEPS,
)

# So many nodes take about 0.3 ms, by which the search can exceed its deadline. A check costs less than a node.
NODES_A_CLOCK_CHECK = 1024
_POSITION_HALVES = POSITION_BYTES // 2

Memory = namedtuple("Memory", "control frames lines positions moves")


@kernel
def memory_at(address):
    """Returns the memory at `address` (int64) as arrays. alphabeta_engine.py shows the layout."""
    return Memory(
        int64_array_at(address, CONTROL_FIELDS),
        int64_array_at(address + FRAMES_OFFSET, LINE_PLACES * FRAME_FIELDS),
        int64_array_at(address + LINES_OFFSET, LINE_PLACES * LINE_PLACES),
        uint16_array_at(address + POSITIONS_OFFSET, LINE_PLACES * _POSITION_HALVES),
        int16_array_at(address + MOVES_OFFSET, LINE_PLACES * MOST_MOVES),
    )


def make_alphabeta(game):
    """Returns the kernel search(memory), the alpha-beta search of one game."""

    @kernel
    def win_value(control, ply):
        """Returns the value of a win for the side that wins. Its winning move leads to the position at `ply`."""
        return WIN if control[WIN_STEPS] < 0 else WIN * (1 + control[WIN_STEPS] - ply)

    @kernel
    def known_value(control, state, ply):
        """Returns (whether the value of `state` is known without trying moves, that value for the side to move).

        The value is known if `ply` is the full depth, or if the next move can win. If it is not known, 0 stands in its
        place.
        """
        if ply == control[DEPTH]:
            return True, game.leaf_value(state, control[EVALUATION], ply)
        if game.can_win(state):
            return True, win_value(control, ply + 1)
        return False, 0

    @kernel
    def enter(memory, state, ply, alpha, beta):
        """Write the frame, the moves and the position of `ply`, which is searched in the window (alpha, beta).

        Returns whether the position has a move.
        """
        frames = memory.frames
        count = game.list_moves(state, memory.control, memory.moves, ply * MOST_MOVES)
        game.store(state, memory.positions, ply * _POSITION_HALVES)
        frame = ply * FRAME_FIELDS
        frames[frame + FRAME_ALPHA] = alpha
        frames[frame + FRAME_BETA] = beta
        frames[frame + FRAME_BEST] = -INFINITY
        frames[frame + FRAME_NEXT] = 0
        frames[frame + FRAME_MOVES] = count
        frames[frame + FRAME_LINE] = 0
        return count != 0

    @kernel
    def outcome(frames, ply):
        """Returns (whether `ply` is done, the best value found there, the length of the best line from there).

        A ply is done when every move has been tried or the remaining moves are cut off.
        """
        frame = ply * FRAME_FIELDS
        best = frames[frame + FRAME_BEST]
        done = frames[frame + FRAME_NEXT] == frames[frame + FRAME_MOVES] or best >= frames[frame + FRAME_BETA]
        return done, best, frames[frame + FRAME_LINE]

    @kernel
    def next_move(memory, ply):
        """Returns the next move to try at a ply that is not done, and notes that it is being tried."""
        frame = ply * FRAME_FIELDS
        place = memory.frames[frame + FRAME_NEXT]
        move = np.int64(memory.moves[ply * MOST_MOVES + place])
        memory.frames[frame + FRAME_NEXT] = place + 1
        memory.frames[frame + FRAME_MOVE] = move
        return move

    @kernel
    def window_below(control, frames, ply):
        """Returns the window (alpha, beta) of the position that a move at `ply` leads to."""
        frame = ply * FRAME_FIELDS
        if control[PRUNING] == 0:
            return -INFINITY, INFINITY
        return -frames[frame + FRAME_BETA], -frames[frame + FRAME_ALPHA]

    @kernel
    def take_over(memory, ply, value, line_below):
        """Store `value`, the value of the move being tried at `ply`, and its line, if it is the best so far.

        `line_below` is the length of the best line after that move.
        """
        frame = ply * FRAME_FIELDS
        if value <= memory.frames[frame + FRAME_BEST]:
            return
        memory.frames[frame + FRAME_BEST] = value
        memory.frames[frame + FRAME_ALPHA] = max(value, memory.frames[frame + FRAME_ALPHA])
        line, below = ply * LINE_PLACES, (ply + 1) * LINE_PLACES
        memory.lines[line] = memory.frames[frame + FRAME_MOVE]
        for place in range(line_below):
            memory.lines[line + 1 + place] = memory.lines[below + place]
        memory.frames[frame + FRAME_LINE] = line_below + 1

    @kernel
    def is_out_of_budget(control, nodes, started):
        return nodes > control[MAX_NODES] or (
            nodes % NODES_A_CLOCK_CHECK == 0 and monotonic_ns() - started >= control[BUDGET_NS]
        )

    @kernel
    def search(memory):
        """Search the position at ply 0 within the depth, window and budgets of `control`.

        Nobody may have won in the position. Writes the control fields VALUE, LINE_LENGTH, NODES and STOPPED, and the
        best line.
        """
        control, frames = memory.control, memory.frames
        started = monotonic_ns()
        nodes = 1
        control[STOPPED] = 0
        ply, state = 0, game.load_root(memory.positions, 0)
        alpha, beta = control[ALPHA], control[BETA]
        while True:
            done, value = known_value(control, state, ply)
            if not done and not enter(memory, state, ply, alpha, beta):
                done, value = True, game.leaf_value(state, control[EVALUATION], ply)
            line = 0
            while done and ply > 0:
                ply -= 1
                take_over(memory, ply, -value, line)
                done, value, line = outcome(frames, ply)
            if done:
                break
            move = next_move(memory, ply)
            nodes += 1
            if is_out_of_budget(control, nodes, started):
                control[STOPPED] = 1
                break
            state = game.play(game.load_root(memory.positions, ply * _POSITION_HALVES), move)
            alpha, beta = window_below(control, frames, ply)
            ply += 1
        control[LINE_LENGTH] = line
        control[VALUE] = value
        control[NODES] = nodes

    return search
