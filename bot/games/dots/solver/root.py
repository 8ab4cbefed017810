"""The exact solver's questions about any position: values in a window, and a turn that reaches them. Kernels."""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import lowest_bit, monotonic_ns
from bot.search.solver.stack import STOPPED

from ..rules.board import VERTICAL
from ..rules.turns import (
    DOUBLE_CROSS,
    NOTHING_LEFT,
    boxes_left,
    double_cross,
    draw,
    list_edges,
    load_root,
    taken_and_left,
    turn_edges,
)
from . import layout
from .layout import (
    ALL_BOXES,
    ALL_HORIZONTAL,
    ALL_VERTICAL,
    ASKED,
    BEST_EDGE,
    BUDGET_NS,
    COLUMNS,
    DEPTH,
    DONE,
    GIVEN,
    LOWER,
    MAX_NODES,
    MOVE_HORIZONTAL,
    MOVE_VERTICAL,
    MOVES_END,
    NO_TURN,
    NODES,
    ROOT_ALPHA,
    ROOT_BETA,
    ROOT_LEFT,
    ROOT_LOWER,
    ROOT_TAKEN,
    ROOT_UPPER,
    ROWS,
    STATUS,
    TURN,
    TURN_EDGES,
    UNFINISHED,
    UPPER,
)
from .memory import control_at, control_words_at, frame_at, frame_words_at, position_at, turn_at
from .search import enter, run
from .symmetry import normal_image

NO_QUESTION = 128
NO_EDGE = -1
_NEVER = np.int64(0x7FFFFFFFFFFFFFFF)


@kernel
def value_bounds(lower, upper, taken, left):
    """(lower, upper) of a position's value from those of what remains after its takeable boxes, see taken_and_left."""
    if left == 0:
        return taken + lower, taken + upper
    return taken + max(-left + (lower & 1), lower, -upper - 2 * left), taken + max(upper, -lower - 2 * left)


@kernel
def next_bound(lower, upper, taken, left, remaining, alpha, beta, with_turn):
    """The bound to ask for next of what remains, NO_QUESTION once the value is known as far as it lies in the window.

    lower, upper: of what remains; remaining: boxes; with_turn: whether it also has to be known what to do with `left`.
    """
    low, high = value_bounds(lower, upper, taken, left)
    is_known = low == high or low >= beta or high <= alpha
    if left > 0 and lower < -left < upper:
        if is_known and not with_turn:
            return NO_QUESTION
        bound = -left
    elif is_known:
        return NO_QUESTION
    elif left == 0 or lower >= -left:
        bound = min(max(0, lower + 1, alpha - taken + 1), upper, beta - taken)
    else:
        turned = taken - 2 * left
        bound = min(max(0, lower + 1, turned - beta + 1), upper, turned - alpha)
    return bound + ((bound - remaining) & 1)


@kernel
def solve_within(base, horizontal, vertical, alpha, beta, max_nodes):
    """(whether it is known, value): net boxes for the side to move, for other kernels.

    The value is exact between alpha and beta, else a bound on its side of the window; after max_nodes positions it is
    a lower bound that may be anything. The memory's board must be that of the edges, which may be any of a game's.
    A question of solve_in that is under way is lost; the table is shared.
    """
    control, words = control_at(base), control_words_at(base)
    boxes = words[ALL_BOXES]
    control[STATUS] = layout.NOT_STARTED
    horizontal, vertical, taken, left = taken_and_left(horizontal, vertical, boxes)
    remaining = boxes_left(horizontal, vertical, boxes)
    lower, upper = -remaining, remaining
    node_limit = control[NODES] + max_nodes
    while True:
        bound = next_bound(lower, upper, taken, left, remaining, alpha, beta, False)
        if bound == NO_QUESTION:
            break
        # From frame 1 on: frame 0 is the one that has to have a move.
        enter(base, 1, horizontal, vertical, remaining, bound)
        value, _ = run(base, 1, 1, node_limit, _NEVER)
        if value == STOPPED:
            return False, value_bounds(lower, upper, taken, left)[0]
        if value >= bound:
            lower = value
        else:
            upper = value
    low, high = value_bounds(lower, upper, taken, left)
    return True, high if high <= alpha else low


@kernel
def position_after_taking(base):
    """(horizontal, vertical): of the position in memory after everything takeable."""
    state = load_root(position_at(base), 0)
    horizontal, vertical, _, _ = taken_and_left(state[0], state[1], state[5])
    return horizontal, vertical


@kernel
def edge_of_best(base):
    """The number of an edge that is the root's move under way: one that leads to the same position.

    The root's frame may hold an image of the position, and its moves are of kinds.
    """
    control, words = control_at(base), control_words_at(base)
    rows, columns, boxes = control[ROWS], control[COLUMNS], words[ALL_BOXES]
    frame, frame_words = frame_at(base, 0), frame_words_at(base, 0)
    place = frame[MOVES_END]
    sought_across, sought_beside = normal_image(
        frame_words[place + MOVE_HORIZONTAL], frame_words[place + MOVE_VERTICAL], rows, columns
    )
    horizontal, vertical = position_after_taking(base)
    edges = turn_at(base)
    for number in range(list_edges(words[ALL_HORIZONTAL] & ~horizontal, words[ALL_VERTICAL] & ~vertical, edges, 0)):
        across, beside = draw(horizontal, vertical, np.int64(edges[number]))
        across, beside, given, left = taken_and_left(across, beside, boxes)
        if 8 * given + left == frame[place + GIVEN]:
            across, beside = normal_image(across, beside, rows, columns)
            if across == sought_across and beside == sought_beside:
                return np.int64(edges[number])
    return NO_EDGE


@kernel
def begin(base):
    """Take up the question in memory."""
    control, words = control_at(base), control_words_at(base)
    state = load_root(position_at(base), 0)
    words[ALL_HORIZONTAL], words[ALL_VERTICAL], words[ALL_BOXES] = state[3], state[4], state[5]
    horizontal, vertical, control[ROOT_TAKEN], control[ROOT_LEFT] = taken_and_left(state[0], state[1], state[5])
    remaining = boxes_left(horizontal, vertical, state[5])
    control[LOWER], control[UPPER] = -remaining, remaining
    control[BEST_EDGE] = NO_EDGE
    control[STATUS] = UNFINISHED
    control[TURN] = NO_TURN
    next_question(base)


@kernel
def next_question(base):
    """Set up frame 0 for what has to be asked next, and write the bounds; DONE where nothing has."""
    control = control_at(base)
    lower, upper, taken, left = control[LOWER], control[UPPER], control[ROOT_TAKEN], control[ROOT_LEFT]
    control[ROOT_LOWER], control[ROOT_UPPER] = value_bounds(lower, upper, taken, left)
    horizontal, vertical = position_after_taking(base)
    remaining = boxes_left(horizontal, vertical, control_words_at(base)[ALL_BOXES])
    bound = next_bound(lower, upper, taken, left, remaining, control[ROOT_ALPHA], control[ROOT_BETA], True)
    if bound == NO_QUESTION:
        control[STATUS] = DONE
        return
    enter(base, 0, horizontal, vertical, remaining, bound)
    control[ASKED], control[DEPTH] = bound, 0


@kernel
def write_turn(base):
    """Write the turn that reaches ROOT_LOWER, if one is known, and its edges."""
    control, words = control_at(base), control_words_at(base)
    state = load_root(position_at(base), 0)
    left, edge = control[ROOT_LEFT], control[BEST_EDGE]
    horizontal, vertical = position_after_taking(base)
    across, beside = words[ALL_HORIZONTAL] & ~horizontal, words[ALL_VERTICAL] & ~vertical
    control[TURN] = NO_TURN
    if left > 0 and control[UPPER] <= -left:
        control[TURN] = double_cross(state[0], state[1], state[5])[0] | DOUBLE_CROSS
    elif left == 0 or control[LOWER] >= -left:
        if across | beside == np.uint64(0):
            control[TURN] = NOTHING_LEFT
        elif edge != NO_EDGE:
            control[TURN] = edge
        elif control[LOWER] == control[UPPER]:  # all is lost: by any move
            control[TURN] = lowest_bit(across) if across != np.uint64(0) else VERTICAL + lowest_bit(beside)
    control[TURN_EDGES] = 0
    if control[TURN] != NO_TURN:
        edges = turn_at(base)
        control[TURN_EDGES] = turn_edges(state, control[TURN], edges, 0)


@kernel
def solve_in(base):
    """Begin or go on with the question in memory, see control[STATUS]; the positions visited by this call.

    What is known is in control after every call: ROOT_LOWER, ROOT_UPPER and TURN.
    """
    control = control_at(base)
    before = control[NODES]
    deadline, node_limit = monotonic_ns() + control[BUDGET_NS], before + control[MAX_NODES]
    if control[STATUS] != UNFINISHED:
        begin(base)
    while control[STATUS] != DONE:
        value, depth = run(base, 0, control[DEPTH], node_limit, deadline)
        if value == STOPPED:
            control[DEPTH] = depth
            break
        if value >= control[ASKED]:
            control[LOWER] = value
            control[BEST_EDGE] = edge_of_best(base)
        else:
            control[UPPER] = value
        next_question(base)
    write_turn(base)
    return control[NODES] - before
