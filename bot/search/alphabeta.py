"""Alpha-beta for any game whose kernels follow the contract below: negamax to a fixed depth, an explicit stack.

`make_alphabeta(game)` closes over a game *module*, as make_uct does, and returns the kernel `search`. The module
supplies

    load_root(positions, offset)          -> state of the position at uint16 positions[offset:]
    store(state, positions, offset)       writes what load_root reads, at most POSITION_BYTES
    play(state, edge)                     -> state after that legal move, seen by the other side
    legal_edges(state)                    -> bit mask of the legal moves
    can_win(state)                        -> whether one of them wins at once
    evaluate(state, evaluation)           -> int64 for the side to move, of a size far below WIN

A move that wins is seen one ply before it is made, which gives the value that making it would give without a node
for each of the others. Source: the negamax form and deep cut-offs, Knuth and Moore 1975.
"""
from collections import namedtuple

from numba import njit

from .alphabeta_layout import (ALPHA, BETA, BUDGET_NS, CONTROL_FIELDS, DEPTH, EVALUATION, FRAME_ALPHA, FRAME_BEST,
                               FRAME_BETA, FRAME_EDGE, FRAME_FIELDS, FRAME_LEGAL, FRAME_LINE, FRAME_NEXT,
                               FRAMES_OFFSET, INFINITY, LINE_LENGTH, LINE_PLACES, LINES_OFFSET, MAX_NODES, NODES,
                               ORDER, ORDER_LENGTH, POSITION_BYTES, POSITIONS_OFFSET, STOPPED, VALUE, WIN,
                               WIN_STEPS)
from .machine import int64_array_at, monotonic_ns, uint16_array_at

# Some 0.3 ms: a check costs less than a node, but a deadline never waits longer than this.
NODES_A_CLOCK_CHECK = 1024
_POSITION_HALVES = POSITION_BYTES // 2

Memory = namedtuple("Memory", "control frames lines positions")


@njit
def memory_at(address):
    """The block at that address as arrays; alphabeta_layout.py draws it."""
    return Memory(int64_array_at(address, CONTROL_FIELDS),
                  int64_array_at(address + FRAMES_OFFSET, LINE_PLACES * FRAME_FIELDS),
                  int64_array_at(address + LINES_OFFSET, LINE_PLACES * LINE_PLACES),
                  uint16_array_at(address + POSITIONS_OFFSET, LINE_PLACES * _POSITION_HALVES))


def make_alphabeta(game):
    """The kernel search(memory) of the alpha-beta for one game."""

    @njit(error_model="numpy", _nrt=False)
    def win_value(control, ply):
        """Value of a four made by the move that leads to that ply, for the side that makes it."""
        return WIN if control[WIN_STEPS] < 0 else WIN * (1 + control[WIN_STEPS] - ply)

    @njit(error_model="numpy", _nrt=False)
    def settle(control, state, ply):
        """(whether a position needs no search below it, its value for the side to move)."""
        legal = game.legal_edges(state)
        if legal == 0:
            return True, 0
        if ply == control[DEPTH]:
            return True, game.evaluate(state, control[EVALUATION])
        if game.can_win(state):
            return True, win_value(control, ply + 1)
        return False, 0

    @njit(error_model="numpy", _nrt=False)
    def enter(memory, state, ply, alpha, beta):
        """Begin the search of an unsettled position."""
        game.store(state, memory.positions, ply * _POSITION_HALVES)
        frame = ply * FRAME_FIELDS
        memory.frames[frame + FRAME_ALPHA] = alpha
        memory.frames[frame + FRAME_BETA] = beta
        memory.frames[frame + FRAME_BEST] = -INFINITY
        memory.frames[frame + FRAME_NEXT] = 0
        memory.frames[frame + FRAME_LEGAL] = game.legal_edges(state)
        memory.frames[frame + FRAME_LINE] = 0

    @njit(error_model="numpy", _nrt=False)
    def next_edge(memory, ply):
        """The legal edge to try next at a ply; -1 when all are tried or the rest is cut off."""
        frame = ply * FRAME_FIELDS
        if memory.frames[frame + FRAME_BEST] >= memory.frames[frame + FRAME_BETA]:
            return -1
        place = memory.frames[frame + FRAME_NEXT]
        while place < memory.control[ORDER_LENGTH]:
            edge = memory.control[ORDER + place]
            place += 1
            if (memory.frames[frame + FRAME_LEGAL] >> edge) & 1:
                memory.frames[frame + FRAME_NEXT] = place
                return edge
        return -1

    @njit(error_model="numpy", _nrt=False)
    def take_over(memory, ply, edge, value, line_below):
        """Let a position learn what one of its edges is worth; line_below: edges of the best line after it."""
        frame = ply * FRAME_FIELDS
        if value <= memory.frames[frame + FRAME_BEST]:
            return
        memory.frames[frame + FRAME_BEST] = value
        memory.frames[frame + FRAME_ALPHA] = max(value, memory.frames[frame + FRAME_ALPHA])
        line, below = ply * LINE_PLACES, (ply + 1) * LINE_PLACES
        memory.lines[line] = edge
        for place in range(line_below):
            memory.lines[line + 1 + place] = memory.lines[below + place]
        memory.frames[frame + FRAME_LINE] = line_below + 1

    @njit(error_model="numpy", _nrt=False)
    def is_out_of_budget(control, nodes, started):
        return nodes > control[MAX_NODES] or (
            nodes % NODES_A_CLOCK_CHECK == 0 and monotonic_ns() - started >= control[BUDGET_NS])

    @njit(error_model="numpy", _nrt=False)
    def search(memory):
        """Give control[VALUE] of position 0, in which nobody has won, within its depth, window and budgets."""
        control, frames = memory.control, memory.frames
        started = monotonic_ns()
        nodes = 1
        control[STOPPED], control[LINE_LENGTH] = 0, 0
        root = game.load_root(memory.positions, 0)
        settled, value = settle(control, root, 0)
        ply = -1 if settled else 0
        if not settled:
            enter(memory, root, 0, control[ALPHA], control[BETA])
        while ply >= 0:
            frame = ply * FRAME_FIELDS
            edge = next_edge(memory, ply)
            if edge < 0:
                value, line = frames[frame + FRAME_BEST], frames[frame + FRAME_LINE]
                ply -= 1
                if ply < 0:
                    control[LINE_LENGTH] = line
                else:
                    take_over(memory, ply, frames[frame - FRAME_FIELDS + FRAME_EDGE], -value, line)
                continue
            nodes += 1
            if is_out_of_budget(control, nodes, started):
                control[STOPPED] = 1
                break
            frames[frame + FRAME_EDGE] = edge
            child = game.play(game.load_root(memory.positions, ply * _POSITION_HALVES), edge)
            settled, value = settle(control, child, ply + 1)
            if settled:
                take_over(memory, ply, edge, -value, 0)
            else:
                ply += 1
                enter(memory, child, ply, -frames[frame + FRAME_BETA], -frames[frame + FRAME_ALPHA])
        control[VALUE] = value
        control[NODES] = nodes

    return search
