"""The moves of a position of the exact solver, and in which order they are tried. Kernels.

The position has no takeable box and its corners are settled (symmetry.py). A move draws an edge, and with it all that
the other side is given by that. They are

* the safe edges, which give nothing; of a corner's two border edges only the vertical one;
* of chains that stand alone (loony.py) the shortest of at most two boxes, the shortest longer one, the shortest loop;
* every chain that hangs on a box with fewer edges drawn.

Of a chain only one edge is tried: all that is taken is the same with each. Of two boxes it is the middle one, which
leaves the other side no choice, of more there always are two that it may leave, of a loop four.

A move's code is the number of its edge, for a hanging chain the lowest free one, or the kind of a chain that stands
alone, so that it means the same in all positions that have the same key.
"""
import numpy as np
from numba import njit

from ...search.machine import bit_count, lowest_bit
from . import solver_layout as layout
from .board import VERTICAL
from .boxes import with_two
from .chains import after_opening, boxes_left, chain_of, free_around
from .loony import add_chain, add_loop, clear_lengths
from .solver_layout import (
    ALL_BOXES,
    ALL_HORIZONTAL,
    ALL_VERTICAL,
    BOUND,
    BOXES_LEFT,
    CODE,
    COLUMNS,
    GIVEN,
    HORIZONTAL,
    KEY,
    LISTED,
    MOVE_HORIZONTAL,
    MOVE_VERTICAL,
    MOVE_WORDS,
    MOVES,
    ORDER,
    ROWS,
    TRIED,
)
from .solver_memory import (
    control_at,
    control_words_at,
    frame_at,
    frame_words_at,
    history_at,
)
from .symmetry import corner_edges

SHORT_CHAIN, LONG_CHAIN, LOOP = 120, 121, 122     # codes; no edge has such a number
_HASH_MOVE_ORDER = 1 << 60
_GIVEN_ORDER = 1 << 40      # the least gift first, after all that gives nothing
_LIKELY, _SAFE_EDGE = 4096, 1024    # a move that settles every question makes up for four safe edges
_UNKNOWN_TRIES = 8
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_LENGTH_KEY = np.uint64(0x9E3779B97F4A7C15)
_LOOP_KEY = np.uint64(0xD1B54A32D192ED03)
_ACROSS_KEY = np.uint64(0xC2B2AE3D27D4EB4F)
_BESIDE_KEY = np.uint64(0x9FB21C651E98DF25)


@njit(error_model="numpy", _nrt=False)
def mixed(word):
    """A word of which every bit depends on every bit of that one (the last steps of splitmix64, Steele 2014)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit(error_model="numpy", _nrt=False)
def add_move(base, depth, code, horizontal, vertical, given, left):
    """Append a move to the frame."""
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    place = frame[LISTED]
    frame[place + CODE] = code
    words[place + MOVE_HORIZONTAL] = horizontal
    words[place + MOVE_VERTICAL] = vertical
    frame[place + GIVEN] = 8 * given + left
    frame[LISTED] = place + MOVE_WORDS


@njit(error_model="numpy", _nrt=False)
def list_openings(base, depth):
    """(across, beside): list the frame's openings, write its key, enter what stands alone into the room of loony.py.

    Returned are the free edges of all that does not stand alone.
    """
    control, frame, words = control_words_at(base), frame_at(base, depth), frame_words_at(base, depth)
    horizontal, vertical, boxes = words[HORIZONTAL], words[layout.VERTICAL], control[ALL_BOXES]
    free_across, free_beside = control[ALL_HORIZONTAL] & ~horizontal, control[ALL_VERTICAL] & ~vertical
    across_left, beside_left = free_across, free_beside
    two = with_two(horizontal, vertical, boxes)
    clear_lengths(base)
    frame[LISTED] = MOVES
    key = _NONE
    short, long, loop = _NONE, _NONE, _NONE
    short_length = long_length = loop_length = np.int64(64)
    left = two
    while left != _NONE:
        chain, beyond = chain_of(left & (~left + _ONE), two, free_across, free_beside)
        left &= ~chain
        length = bit_count(chain)
        across, beside = free_around(chain, free_across, free_beside)
        if beyond & ~two & boxes != _NONE:
            after_across, after_beside = after_opening(horizontal, vertical, across, beside, boxes)
            code = lowest_bit(across) if across != _NONE else VERTICAL + lowest_bit(beside)
            given = frame[BOXES_LEFT] - boxes_left(after_across, after_beside, boxes)
            add_move(base, depth, code, after_across, after_beside, given, 0 if length <= 2 else 2)
            continue
        across_left ^= across
        beside_left ^= beside
        if bit_count(across) + bit_count(beside) == length:
            add_loop(base, length)
            key += mixed(_LOOP_KEY + np.uint64(length))
            if length < loop_length:
                loop_length, loop = length, chain
            continue
        add_chain(base, length)
        key += mixed(_LENGTH_KEY + np.uint64(length))
        if length <= 2:
            if length < short_length:
                short_length, short = length, chain
        elif length < long_length:
            long_length, long = length, chain
    words[KEY] = mixed(mixed(across_left * _ACROSS_KEY + key) ^ beside_left * _BESIDE_KEY)
    if short != _NONE:
        across, beside = free_around(short, free_across, free_beside)
        add_move(base, depth, SHORT_CHAIN, horizontal | across, vertical | beside, short_length, 0)
    if long != _NONE:
        across, beside = free_around(long, free_across, free_beside)
        add_move(base, depth, LONG_CHAIN, horizontal | across, vertical | beside, long_length, 2)
    if loop != _NONE:
        across, beside = free_around(loop, free_across, free_beside)
        add_move(base, depth, LOOP, horizontal | across, vertical | beside, loop_length, 4)
    return across_left, beside_left


@njit(error_model="numpy", _nrt=False)
def list_safe_edges(base, depth, free_across, free_beside):
    """List the frame's safe edges among those edges."""
    control, words = control_words_at(base), frame_words_at(base, depth)
    horizontal, vertical = words[HORIZONTAL], words[layout.VERTICAL]
    two = with_two(horizontal, vertical, control[ALL_BOXES])
    numbers = control_at(base)
    across = free_across & ~(two | two << np.uint64(8)) & ~corner_edges(numbers[ROWS], numbers[COLUMNS])
    beside = free_beside & ~(two | two << _ONE)
    while across != _NONE:
        edge = across & (~across + _ONE)
        add_move(base, depth, lowest_bit(across), horizontal | edge, vertical, 0, 0)
        across ^= edge
    while beside != _NONE:
        edge = beside & (~beside + _ONE)
        add_move(base, depth, VERTICAL + lowest_bit(beside), horizontal, vertical | edge, 0, 0)
        beside ^= edge


@njit(error_model="numpy", _nrt=False)
def safe_edges_after(base, horizontal, vertical):
    """How many edges are safe where these are drawn."""
    board = control_words_at(base)
    two = with_two(horizontal, vertical, board[ALL_BOXES])
    across = board[ALL_HORIZONTAL] & ~horizontal & ~(two | two << np.uint64(8))
    beside = board[ALL_VERTICAL] & ~vertical & ~(two | two << _ONE)
    return bit_count(across) + bit_count(beside)


@njit(error_model="numpy", _nrt=False)
def order_moves(base, depth, hash_move):
    """Rate the listed moves: the fewer safe edges one leaves the less lies below it, and the likelier one is by what it
    has settled elsewhere the sooner it is tried. (Of measured ways this one visits the fewest positions.)
    """
    frame, words, history = frame_at(base, depth), frame_words_at(base, depth), history_at(base)
    side = history_of(base, depth)
    place = MOVES
    while place < frame[LISTED]:
        code = frame[place + CODE]
        settled, tried = history[side + code], history[side + code + TRIED]
        order = _LIKELY * settled // (tried + _UNKNOWN_TRIES) - _GIVEN_ORDER * frame[place + GIVEN]
        if frame[place + GIVEN] == 0:
            order -= _SAFE_EDGE * safe_edges_after(base, words[place + MOVE_HORIZONTAL], words[place + MOVE_VERTICAL])
        if code == hash_move:
            order = _HASH_MOVE_ORDER
        frame[place + ORDER] = order
        place += MOVE_WORDS


@njit(error_model="numpy", _nrt=False)
def history_of(base, depth):
    """Where the history lies of the side that asks in this frame."""
    return 128 if frame_at(base, depth)[BOUND] > 0 else 0


@njit(error_model="numpy", _nrt=False)
def learn(base, depth, code, has_settled):
    """Note that a move of the frame was tried, and whether it has settled the question."""
    history, side = history_at(base), history_of(base, depth)
    history[side + code + TRIED] += 1
    if has_settled:
        history[side + code] += 1


@njit(error_model="numpy", _nrt=False)
def next_move(base, depth):
    """The place of the best move left in the frame, put behind those still left; -1 where none is."""
    frame = frame_at(base, depth)
    end = frame[LISTED]
    if end == MOVES:
        return -1
    best = place = MOVES
    while place < end:
        if frame[place] > frame[best]:
            best = place
        place += MOVE_WORDS
    end -= MOVE_WORDS
    frame[LISTED] = end
    for word in range(MOVE_WORDS):
        kept = frame[end + word]
        frame[end + word] = frame[best + word]
        frame[best + word] = kept
    return end
