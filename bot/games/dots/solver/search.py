"""The exact solver: how many boxes more than the other side does the side to move get from here on?

What was taken before does not count, so that a position is its edges. Takeable boxes are taken at once, but for the two
or four that may be left by a double-cross: with v the value of what remains for who is to move there, a position is
worth taken + v, or taken - left + |v + left| where some can be left (rules/turns.py). So the search only knows
positions without a takeable box, and its moves draw an edge and all that is given away by that (moves.py).

One question is a search with a null window: is the value at least a bound? Values are odd where an odd number of boxes
is left, so that bounds are two apart. A move that gives boxes of which some may be left asks two questions: whether
what remains is worth too much to who gets them, and whether it is worth too little. Positions of nothing but separate
chains and loops are settled by loony.py. What is known of the others is in a table (table.py) under a key that
tells apart what plays differently (survey.py). Sources: Barker and Korf, Solving Dots-and-Boxes, AAAI 2012
(edges as the key, chains, corners, symmetry); Plaat, Schaeffer, Pijls and de Bruin 1996 (cutoffs by the table); Buzzard
and Ciere, arXiv 1305.2156.

The search keeps its stack in memory (layout.py, search/solver/stack.py), one frame a move.
"""

from bot.kernels.kernel import kernel
from bot.search.solver.move_list import NO_MOVE_LEFT
from bot.search.solver.stack import ASK_AGAIN, OPEN, make_run

from .layout import (
    BEST,
    BEST_MOVE,
    BOUND,
    BOXES_LEFT,
    CHILD_UPPER,
    CODE,
    GIVEN,
    HORIZONTAL,
    KEY,
    KNOWN_LOWER,
    KNOWN_UPPER,
    MOVE_HORIZONTAL,
    MOVE_KEY,
    MOVE_VERTICAL,
    MOVES_END,
    NODES,
    NODES_BEFORE,
    PHASE,
    VERTICAL,
)
from .memory import control_at, frame_at, frame_words_at
from .moves import canonical_image, drop_answered, list_moves, next_move
from .survey import OF_FRAME, stands_alone, survey, surveyed_whole, value_alone
from .table import NO_BOUND, lower_bound, probe, store, stored_move, upper_bound, work_of

NODES_A_CLOCK_CHECK = 256  # less than a quarter of a millisecond
ASKED_TOO_MUCH, ASKED_TOO_LITTLE = range(2)


@kernel
def nodes_of(base):
    """The positions opened so far."""
    return control_at(base)[NODES]


@kernel
def enter(base, depth, horizontal, vertical, left, bound):
    """Set up a frame: is a position without takeable boxes, `left` boxes not complete, worth at least `bound`?"""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    horizontal, vertical = canonical_image(base, horizontal, vertical)
    words[HORIZONTAL], words[VERTICAL] = horizontal, vertical
    words[KEY], _, _ = surveyed_whole(base, horizontal, vertical)
    frame[BOXES_LEFT], frame[BOUND] = left, bound


@kernel
def enter_after(base, depth, place, bound):
    """Set up the frame below with that question about what remains after the move at `place`."""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    below, words_below = frame_at(base, depth + 1), frame_words_at(base, depth + 1)
    words_below[HORIZONTAL], words_below[VERTICAL] = words[place + MOVE_HORIZONTAL], words[place + MOVE_VERTICAL]
    words_below[KEY] = words[place + MOVE_KEY]
    below[BOXES_LEFT], below[BOUND] = frame[BOXES_LEFT] - (frame[place + GIVEN] >> 3), bound


@kernel
def remember(base, depth, lower, upper):
    """Enter the frame's result into the table."""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    store(
        base,
        words[KEY],
        max(lower, frame[KNOWN_LOWER]),
        min(upper, frame[KNOWN_UPPER]),
        frame[BEST_MOVE],
        work_of(control_at(base)[NODES] - frame[NODES_BEFORE]),
    )


@kernel
def open_position(base, depth):
    """The frame's value as a bound on one side of its own where that needs no search; else OPEN, and moves are listed.

    At depth 0 only what comes with no move is answered at once: the root needs one that reaches the bound.
    """
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    control_at(base)[NODES] += 1
    left, bound = frame[BOXES_LEFT], frame[BOUND]
    if bound > left:
        return left
    if bound <= -left:
        return -left
    entry = probe(base, words[KEY])
    lower, upper = max(lower_bound(entry), -left), min(upper_bound(entry), left)
    if lower >= bound and depth > 0:
        return lower
    if upper < bound:
        return upper
    survey(base, OF_FRAME, words[HORIZONTAL], words[VERTICAL])
    if depth > 0 and stands_alone(base, OF_FRAME):
        return value_alone(base, OF_FRAME)
    frame[KNOWN_LOWER], frame[KNOWN_UPPER] = lower, upper
    frame[NODES_BEFORE] = control_at(base)[NODES]
    frame[BEST], frame[BEST_MOVE] = -left, stored_move(entry)
    value = list_moves(base, depth)
    if value == OPEN:
        value = drop_answered(base, depth, frame[BEST_MOVE])
    if value != OPEN:
        remember(base, depth, value, NO_BOUND)
    return value


@kernel
def ask_next(base, depth):
    """Set up the frame below for the next move's first question; False where no move is left."""
    frame = frame_at(base, depth)
    place = next_move(frame)
    if place == NO_MOVE_LEFT:
        return False
    frame[PHASE] = ASKED_TOO_MUCH
    # The move is worth -(given + x) with x the rest's value, or -(given - left + |x + left|).
    enter_after(base, depth, place, 2 - frame[BOUND] - (frame[place + GIVEN] >> 3))
    return True


@kernel
def conclude(base, depth):
    """The value of a frame whose moves all fall short of its bound."""
    value = frame_at(base, depth)[BEST]
    remember(base, depth, -NO_BOUND, value)
    return value


@kernel
def take_answer(base, depth, value):
    """Use the answer to the question under way: the frame's value where the move reaches its bound, OPEN where it does
    not; ASK_AGAIN where the move has another question, which is set up in the frame below."""
    frame = frame_at(base, depth)
    place = frame[MOVES_END]
    given, left = frame[place + GIVEN] >> 3, frame[place + GIVEN] & 7
    bound, remaining = frame[BOUND], frame[BOXES_LEFT] - given
    if frame[PHASE] == ASKED_TOO_MUCH:
        if value >= 2 - bound - given:
            frame[BEST] = max(frame[BEST], -given - value)
            return OPEN
        reached = -given - value
        if left > 0:
            lowest = given + bound - 2 * left
            if lowest > -remaining:
                frame[CHILD_UPPER], frame[PHASE] = value, ASKED_TOO_LITTLE
                enter_after(base, depth, place, lowest)
                return ASK_AGAIN
            reached = min(reached, 2 * left - given - remaining)
    else:
        reached = value + 2 * left - given
        if value < given + bound - 2 * left:
            frame[BEST] = max(frame[BEST], reached)
            return OPEN
        reached = min(reached, -given - frame[CHILD_UPPER])
    frame[BEST], frame[BEST_MOVE] = reached, frame[place + CODE]
    remember(base, depth, reached, NO_BOUND)
    return reached


run = make_run(nodes_of, open_position, ask_next, conclude, take_answer, NODES_A_CLOCK_CHECK)
