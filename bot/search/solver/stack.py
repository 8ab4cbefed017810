"""A depth-first search with its stack in memory, so that it stops at any position and goes on later. Kernels.

A frame of that memory holds each position on the path from the root. `make_run` takes what a game's search does with a
frame, five kernels in which `memory` is whatever the game's kernels take:

    nodes_of(memory)                    -> the positions opened so far
    open_position(memory, depth)        -> the value of the frame's position where that needs no frame below it, else
                                          OPEN: then there are moves to try. Counts the position.
    ask_next(memory, depth)             -> whether another question is left, about the position after one of the moves;
                                          it is then set up in the frame below
    conclude(memory, depth)             -> the value of a frame that has no question left
    take_answer(memory, depth, value)   -> the frame's value where the answer from the frame below settles it;
                                          OPEN where the next question is to be asked; ASK_AGAIN where the frame below
                                          now holds another question about the same move
"""

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns

# In place of a value; no game's values reach so far down.
OPEN, ASK_AGAIN, STOPPED = -1000, -1001, -1002


def make_run(nodes_of, open_position, ask_next, conclude, take_answer, nodes_a_clock_check):
    """The kernel `run` of a search; it looks at the clock once in so many positions."""

    @kernel
    def run(memory, first, depth, node_limit, deadline):
        """(value, depth): search the position in frame `first`, whose value it is; STOPPED, and where, at the limits.

        depth: `first` to begin, or where the run before has stopped. deadline: of the monotonic clock, in nanoseconds.
        """
        check_at = nodes_of(memory) + nodes_a_clock_check
        value, entering = OPEN, True
        while True:
            if entering:
                nodes = nodes_of(memory)
                if nodes >= node_limit:
                    return STOPPED, depth
                if nodes >= check_at:
                    if monotonic_ns() >= deadline:
                        return STOPPED, depth
                    check_at = nodes + nodes_a_clock_check
                value = open_position(memory, depth)
            entering = value == OPEN and ask_next(memory, depth)
            if entering:
                depth += 1
                continue
            if value == OPEN:
                value = conclude(memory, depth)
            if depth == first:
                return value, depth
            value = take_answer(memory, depth - 1, value)
            if value == ASK_AGAIN:
                entering = True
            else:
                depth -= 1

    return run
