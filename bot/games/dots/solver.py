"""The exact solver: how many boxes more than the other side does the side to move get from here on?

What was taken before does not count, so that a position is its edges. Takeable boxes are taken at once, but for the two
or four that may be left by a double-cross: with v the value of what remains for who is to move there, a position is
worth taken + v, or taken - left + |v + left| where some can be left (chains.py). So the search only knows positions
without a takeable box, and its moves draw an edge and all that is given away by that (solver_moves.py).

One question is a search with a null window: is the value at least a bound? Values are odd where an odd number of boxes
is left, so that bounds are two apart. A move that gives boxes of which some may be left asks two questions: whether
what remains is worth too much to who gets them, and whether it is worth too little. Positions of nothing but separate
chains and loops are settled by loony.py. What is known of the others is in a table (solver_table.py) under their free
edges, chains and loops that stand alone counting by their lengths only, wherever they lie. Before its
first move is tried a position with many free edges asks the table about all of them, as one that is known may settle it
(enhanced transposition cutoffs). Sources: Barker and Korf, Solving Dots-and-Boxes, AAAI 2012 (edges as the key, chains,
corners, symmetry); Plaat, Schaeffer, Pijls and de Bruin 1996 (cutoffs); Buzzard and Ciere, arXiv 1305.2156.

The search keeps its stack in memory (solver_layout.py), one frame a move, so that it stops at any node and goes on
later.
"""
import numpy as np
from numba import njit

from ...search.machine import bit_count, monotonic_ns
from .loony import loony_value
from .solver_layout import (
    ALL_HORIZONTAL,
    ALL_VERTICAL,
    BEST,
    BEST_MOVE,
    BOUND,
    BOXES_LEFT,
    CHILD_UPPER,
    CODE,
    COLUMNS,
    GIVEN,
    HORIZONTAL,
    KEY,
    KNOWN_LOWER,
    KNOWN_UPPER,
    LISTED,
    MOVE_HORIZONTAL,
    MOVE_VERTICAL,
    MOVE_WORDS,
    MOVES,
    NODES,
    NODES_BEFORE,
    PHASE,
    ROWS,
    SYMMETRY_FROM,
    VERTICAL,
)
from .solver_memory import control_at, control_words_at, frame_at, frame_words_at
from .solver_moves import learn, list_openings, list_safe_edges, next_move, order_moves
from .solver_table import keep, look_up, lower_bound, stored_move, upper_bound, work_of
from .symmetry import normal_image, with_corners_settled

OPEN = -128                     # no value: moves have to be tried
STOPPED = -127                  # no value: the limits were reached
NODES_A_CLOCK_CHECK = 256       # a quarter of a millisecond
ASKED_TOO_MUCH, ASKED_TOO_LITTLE = range(2)
# To ask the table about every move takes about as long as to visit a position for each of them: it pays where much
# lies below.
TABLE_FIRST_FROM = 20
NO_PLACE = -1
_NONE = np.uint64(0)


@njit(error_model="numpy", _nrt=False)
def enter(base, depth, horizontal, vertical, left, bound):
    """Set up a frame: is a position without takeable boxes, `left` boxes not complete, worth at least `bound`?"""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    words[HORIZONTAL], words[VERTICAL] = horizontal, vertical
    frame[BOXES_LEFT], frame[BOUND] = left, bound


@njit(error_model="numpy", _nrt=False)
def free_edges(base, depth):
    """How many edges of the frame are free."""
    board, words = control_words_at(base), frame_words_at(base, depth)
    return bit_count(board[ALL_HORIZONTAL] & ~words[HORIZONTAL]) + bit_count(board[ALL_VERTICAL] & ~words[VERTICAL])


@njit(error_model="numpy", _nrt=False)
def settle_image(base, depth):
    """Put in the frame's place the image by which the position is known."""
    words, numbers = frame_words_at(base, depth), control_at(base)
    horizontal, vertical = words[HORIZONTAL], words[VERTICAL]
    if free_edges(base, depth) >= numbers[SYMMETRY_FROM]:
        horizontal, vertical = normal_image(horizontal, vertical, numbers[ROWS], numbers[COLUMNS])
    else:
        horizontal, vertical = with_corners_settled(horizontal, vertical, numbers[ROWS], numbers[COLUMNS])
    words[HORIZONTAL], words[VERTICAL] = horizontal, vertical


@njit(error_model="numpy", _nrt=False)
def remember(base, depth, lower, upper):
    """Enter the frame's result into the table."""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    keep(base, words[KEY], max(lower, frame[KNOWN_LOWER]), min(upper, frame[KNOWN_UPPER]), frame[BEST_MOVE],
         work_of(control_at(base)[NODES] - frame[NODES_BEFORE]))


@njit(error_model="numpy", _nrt=False)
def settled_by_table(base, depth):
    """(place, value): of a listed move that reaches the frame's bound by what the table knows; NO_PLACE without one.

    Only moves that leave the other side no choice are looked at. Uses the frame below.
    """
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    place = MOVES
    while place < frame[LISTED]:
        given, left = frame[place + GIVEN] >> 3, frame[place + GIVEN] & 7
        if left == 0:
            asked = 2 - frame[BOUND] - given
            enter(base, depth + 1, words[place + MOVE_HORIZONTAL], words[place + MOVE_VERTICAL],
                  frame[BOXES_LEFT] - given, asked)
            settle_image(base, depth + 1)
            list_openings(base, depth + 1)
            known = upper_bound(look_up(base, frame_words_at(base, depth + 1)[KEY]))
            if known < asked:
                return place, -given - known
        place += MOVE_WORDS
    return NO_PLACE, 0


@njit(error_model="numpy", _nrt=False)
def open_position(base, depth):
    """The frame's value as a bound on one side of its own where that needs no search; else OPEN, and moves are listed.

    At depth 0 only what comes with no move is answered at once: the root needs one that reaches the bound.
    """
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    left, bound = frame[BOXES_LEFT], frame[BOUND]
    if bound > left:
        return left
    if bound <= -left:
        return -left
    settle_image(base, depth)
    across, beside = list_openings(base, depth)
    if depth > 0 and across | beside == _NONE:
        return loony_value(base)
    entry = look_up(base, words[KEY])
    lower, upper = max(lower_bound(entry), -left), min(upper_bound(entry), left)
    if lower >= bound and depth > 0:
        return lower
    if upper < bound:
        return upper
    list_safe_edges(base, depth, across, beside)
    hash_move = stored_move(entry)
    frame[KNOWN_LOWER], frame[KNOWN_UPPER] = lower, upper
    frame[NODES_BEFORE] = control_at(base)[NODES]
    if free_edges(base, depth) >= TABLE_FIRST_FROM:
        place, value = settled_by_table(base, depth)
        if place != NO_PLACE:
            hash_move = frame[place + CODE]
            if depth > 0:
                frame[BEST_MOVE] = hash_move
                remember(base, depth, value, 64)
                return value
    order_moves(base, depth, hash_move)
    frame[BEST], frame[BEST_MOVE] = -left, hash_move
    return OPEN


@njit(error_model="numpy", _nrt=False)
def descend(base, depth, place):
    """Set up the frame below for a move's first question; whether the move needs one, else its bound is counted."""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    given, left = frame[place + GIVEN] >> 3, frame[place + GIVEN] & 7
    bound, remaining = frame[BOUND], frame[BOXES_LEFT] - given
    # The move is worth -(given + x) with x the rest's value, or -(given - left + |x + left|).
    at_most = remaining - given
    if left > 0:
        at_most = min(at_most, left - given - (remaining & 1))
    if at_most < bound:
        frame[BEST] = max(frame[BEST], at_most)
        return False
    frame[PHASE] = ASKED_TOO_MUCH
    enter(base, depth + 1, words[place + MOVE_HORIZONTAL], words[place + MOVE_VERTICAL], remaining, 2 - bound - given)
    return True


@njit(error_model="numpy", _nrt=False)
def take_reply(base, depth, value):
    """Use the value of the question under way: 1 where the move reaches the bound, 0 where it does not, -1 where it has
    another question, which is set up in the frame below."""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    place = frame[LISTED]
    given, left = frame[place + GIVEN] >> 3, frame[place + GIVEN] & 7
    bound, remaining = frame[BOUND], frame[BOXES_LEFT] - given
    if frame[PHASE] == ASKED_TOO_MUCH:
        if value >= 2 - bound - given:
            frame[BEST] = max(frame[BEST], -given - value)
            learn(base, depth, frame[place + CODE], False)
            return 0
        reached = -given - value
        if left > 0:
            lowest = given + bound - 2 * left
            if lowest > -remaining:
                frame[CHILD_UPPER], frame[PHASE] = value, ASKED_TOO_LITTLE
                enter(base, depth + 1, words[place + MOVE_HORIZONTAL], words[place + MOVE_VERTICAL], remaining, lowest)
                return -1
            reached = min(reached, 2 * left - given - remaining)
    else:
        reached = value + 2 * left - given
        if value < given + bound - 2 * left:
            frame[BEST] = max(frame[BEST], reached)
            learn(base, depth, frame[place + CODE], False)
            return 0
        reached = min(reached, -given - frame[CHILD_UPPER])
    frame[BEST], frame[BEST_MOVE] = reached, frame[place + CODE]
    learn(base, depth, frame[place + CODE], True)
    return 1


@njit(error_model="numpy", _nrt=False)
def run(base, first, depth, entering, node_limit, deadline):
    """(value, depth): search on from where the stack above frame `first` stands; STOPPED, and where, at the limits.

    entering: whether the frame at `depth` is new. The value is that of frame `first`, a bound on its bound's side.
    """
    control = control_at(base)
    value = np.int64(OPEN)
    while True:
        if entering:
            nodes = control[NODES]
            if nodes >= node_limit or (nodes % NODES_A_CLOCK_CHECK == 0 and monotonic_ns() >= deadline):
                return STOPPED, depth
            control[NODES] = nodes + 1
            value = open_position(base, depth)
        if value == OPEN:
            place = next_move(base, depth)
            if place >= 0:
                entering = descend(base, depth, place)
                if entering:
                    depth += 1
                continue
            value = frame_at(base, depth)[BEST]
            remember(base, depth, -64, value)
        entering = False
        while depth > first:
            depth -= 1
            outcome = take_reply(base, depth, value)
            if outcome < 0:
                depth += 1
                entering = True
                break
            if outcome == 0:
                value = OPEN
                break
            value = frame_at(base, depth)[BEST]
            remember(base, depth, value, 64)
        if value != OPEN and not entering:
            return value, depth
