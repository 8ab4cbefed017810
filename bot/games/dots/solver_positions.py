"""Positions as the exact solver sees them: their memory, images, chains and loops, and keys. Kernels.

A position without a takeable box is a graph (Barker and Korf, AAAI 2012; Berlekamp 2000 calls it strings and coins).
Its nodes are the joints: the boxes with fewer than two edges drawn. Its arcs are free edges and chains. Only the length
and the two ends of a chain matter, not its shape. If a chain hangs on no joint, not even its place matters. So the key
of a position is made of its safe edges and of one term for each chain.
"""

import numpy as np

from bot.kernels.arithmetic import mixed
from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, int16s_at, numbers_at, uint16s_at, words_at

from .rules import chain_of, edges_around, free_around, with_two
from .solver_engine import (
    ACROSS,
    ALL_BOXES,
    ALL_HORIZONTAL,
    ALL_VERTICAL,
    BESIDE,
    BOXES,
    CHAIN_ALONE,
    CHAIN_WORDS,
    CHAINS,
    COUNT,
    FRAME_WORDS,
    FRAMES_OFFSET,
    HANGING,
    HANGING_BOXES,
    HANGS,
    JOINTS,
    KIND,
    LENGTH,
    LENGTHS_OFFSET,
    LOOP_ALONE,
    POSITION_OFFSET,
    SAFE_ACROSS,
    SAFE_BESIDE,
    SURVEY_BYTES,
    SURVEYS_OFFSET,
    TERM,
    TERMS,
    TURN_OFFSET,
    TWO,
)

# The memory (solver_engine.py shows its layout): pointers to the parts that lie at fixed offsets from its address
# -------------------------------------------------------------------------------------------------------


@kernel
def control_at(base):
    """Returns a pointer (int64) to the control fields."""
    return numbers_at(base, 0)


@kernel
def control_words_at(base):
    """Returns a pointer (uint64) to the control fields, for the fields that are words of the board."""
    return words_at(base, 0)


@kernel
def frame_at(base, depth):
    """Returns a pointer (int64) to the fields of the frame at `depth`."""
    return numbers_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * depth)


@kernel
def frame_words_at(base, depth):
    """Returns a pointer (uint64) to the fields of the frame at `depth`, for the fields that are edges and keys."""
    return words_at(base, FRAMES_OFFSET + 8 * FRAME_WORDS * depth)


@kernel
def lengths_at(base):
    """Returns a pointer (int64) to the list of chains and loops for loony_value."""
    return numbers_at(base, LENGTHS_OFFSET)


@kernel
def survey_at(base, room):
    """Returns a pointer (int64) to the fields of the survey in `room`, 0 or 1."""
    return numbers_at(base, SURVEYS_OFFSET + SURVEY_BYTES * room)


@kernel
def survey_words_at(base, room):
    """Returns a pointer (uint64) to the fields of the survey in `room`, for those that are boxes, edges and terms."""
    return words_at(base, SURVEYS_OFFSET + SURVEY_BYTES * room)


@kernel
def position_at(base):
    """Returns a pointer (uint16) to the position that the question is about, in the form that rules.load_root reads."""
    return uint16s_at(base, POSITION_OFFSET)


@kernel
def turn_at(base):
    """Returns a pointer (int16) to the edges of the turn found."""
    return int16s_at(base, TURN_OFFSET)


# Equivalent positions: images of the board, and the two border edges of a corner
# -------------------------------------------------------------------------------
#
# Edges are words as in board.py. The number of an image, 0..7, is a sum: 4 stands for exchanging rows and columns,
# which is done first, 2 for exchanging left and right, and 1 for exchanging top and bottom.


_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_SEVEN = np.uint64(7)


@kernel
def _top_down(word):
    """Returns a word with its eight lines in the opposite order."""
    word = ((word >> _EIGHT) & np.uint64(0x00FF00FF00FF00FF)) | ((word & np.uint64(0x00FF00FF00FF00FF)) << _EIGHT)
    word = ((word >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)) | (
        (word & np.uint64(0x0000FFFF0000FFFF)) << np.uint64(16)
    )
    return word >> np.uint64(32) | word << np.uint64(32)


@kernel
def _left_right(word):
    """Returns a word with the bits of every line in the opposite order."""
    word = ((word >> _ONE) & np.uint64(0x5555555555555555)) | ((word & np.uint64(0x5555555555555555)) << _ONE)
    word = ((word >> np.uint64(2)) & np.uint64(0x3333333333333333)) | (
        (word & np.uint64(0x3333333333333333)) << np.uint64(2)
    )
    return ((word >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)) | (
        (word & np.uint64(0x0F0F0F0F0F0F0F0F)) << np.uint64(4)
    )


@kernel
def _transposed(word):
    """Returns a word with lines and places in a line exchanged."""
    moved = (word ^ (word >> _SEVEN)) & np.uint64(0x00AA00AA00AA00AA)
    word ^= moved ^ (moved << _SEVEN)
    moved = (word ^ (word >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    word ^= moved ^ (moved << np.uint64(14))
    moved = (word ^ (word >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return word ^ moved ^ (moved << np.uint64(28))


@kernel
def image_of(horizontal, vertical, rows, columns, image):
    """Returns (horizontal, vertical) of a position's image.

    `image` is the number of the image. It must be below 4 unless the board is square.
    """
    if image & 4:
        horizontal, vertical = _transposed(vertical), _transposed(horizontal)
    if image & 1:
        horizontal = _top_down(horizontal) >> np.uint64(8 * (7 - rows))
        vertical = _top_down(vertical) >> np.uint64(8 * (8 - rows))
    if image & 2:
        horizontal = _left_right(horizontal) >> np.uint64(8 - columns)
        vertical = _left_right(vertical) >> np.uint64(7 - columns)
    return horizontal, vertical


@kernel
def _with_strips_normalized(horizontal, vertical, rows, columns):
    """Returns (horizontal, vertical) of the same position, in which equivalent edges of a strip are replaced.

    On a board of one row, the upper and the lower edge of a box are equivalent, because both lead off the board. If one
    of them is drawn, the result has the upper one. On a board of one column, the left and the right edge of a box are
    equivalent, and the result has the left one.
    """
    if rows == 1:
        moved = (horizontal >> _EIGHT) & ~horizontal & np.uint64(0xFF)
        horizontal = (horizontal | moved) ^ moved << _EIGHT
    if columns == 1:
        moved = (vertical >> _ONE) & ~vertical & np.uint64(0x0101010101010101)
        vertical = (vertical | moved) ^ moved << _ONE
    return horizontal, vertical


@kernel
def with_corners_normalized(horizontal, vertical, rows, columns):
    """Returns (horizontal, vertical) of the same position, in which equivalent edges of the corners are replaced.

    The two border edges of a corner are equivalent, because both lead from the corner's box off the board. If one of
    them is drawn, the result has the horizontal one.
    """
    low, high = np.uint64(8 * rows), np.uint64(columns - 1)
    if rows == 1 or columns == 1:
        horizontal, vertical = _with_strips_normalized(horizontal, vertical, rows, columns)
    moved = vertical & ~horizontal & _ONE
    horizontal, vertical = horizontal | moved, vertical ^ moved
    moved = (vertical >> _ONE) & ~horizontal & _ONE << high
    horizontal, vertical = horizontal | moved, vertical ^ moved << _ONE
    moved = (vertical << _EIGHT) & ~horizontal & _ONE << low
    horizontal, vertical = horizontal | moved, vertical ^ moved >> _EIGHT
    moved = (vertical << _SEVEN) & ~horizontal & _ONE << (low + high)
    horizontal, vertical = horizontal | moved, vertical ^ moved >> _SEVEN
    if rows == 1 or columns == 1:
        return _with_strips_normalized(horizontal, vertical, rows, columns)
    return horizontal, vertical


@kernel
def waiting_corner_edges(horizontal, rows, columns):
    """Returns the vertical border edges of the corners whose horizontal border edge is not drawn yet.

    They need not be tried, because a normalized position draws the horizontal edge first. The board must not be a
    strip.
    """
    top, bottom = ~horizontal, ~horizontal >> np.uint64(8 * rows)
    left, right = _ONE, _ONE << np.uint64(columns - 1)
    return top & left | (top & right) << _ONE | (bottom & left | (bottom & right) << _ONE) << np.uint64(8 * (rows - 1))


@kernel
def normal_image(horizontal, vertical, rows, columns):
    """Returns (horizontal, vertical) of the image that has the smallest words when the corners are normalized."""
    best_horizontal, best_vertical = with_corners_normalized(horizontal, vertical, rows, columns)
    for image in range(1, 8 if rows == columns else 4):
        across, beside = image_of(horizontal, vertical, rows, columns, image)
        across, beside = with_corners_normalized(across, beside, rows, columns)
        if across < best_horizontal or (across == best_horizontal and beside < best_vertical):
            best_horizontal, best_vertical = across, beside
    return best_horizontal, best_vertical


# The value of positions that consist only of separate chains and loops, by recursion on their lengths
# ----------------------------------------------------------------------------------------------------
#
# Of a chain with both ends at the board's border, and of a loop, only the length n matters. The side to move has to
# open one of them. The other side may take all of it; then it has to open the next one. Or it takes all but two boxes
# of a long chain (three or more), or all but four of a loop; then the first side has to go on. If v is the value of the
# rest for the side that has to open there, opening costs
#
#     a chain of one or two boxes   n + v                     (the middle edge of two leaves no choice)
#     a long chain                  n - 2 + |v + 2|
#     a loop                        n - 4 + |v + 4|
#
# Only the shortest of each of these three kinds has to be tried. If one of them has a box more or less, the value
# changes by at most one, because the same strategy can be followed. So the higher cost of a longer one is never won
# back, and the recursion needs only to know how many of each kind are left. Sources: Berlekamp, The Dots-and-Boxes
# Game, 2000; Buzzard and Ciere, arXiv 1305.2156.
#
# The list of chains and loops is int64: the numbers of chains of one box, of chains of two boxes, of long chains and of
# loops; the lengths of the long chains and of the loops, longest first; then the values that loony_value computes.


ONES, TWOS, LONG_CHAINS, LOOPS = range(4)
CHAIN_LENGTHS, LOOP_LENGTHS, VALUES = 16, 40, 64
_LOOPS_AT_MOST = 16
_LOWER_THAN_ANY = -64
# How many boxes a double-cross leaves.
_LEFT_OF_CHAIN, _LEFT_OF_LOOP = 2, 4


@kernel
def clear_lengths(base):
    """Begin a new, empty list of chains and loops."""
    room = lengths_at(base)
    room[ONES] = room[TWOS] = room[LONG_CHAINS] = room[LOOPS] = 0


@kernel
def add_chain(base, length):
    """Add a chain of `length` boxes to the list."""
    room = lengths_at(base)
    if length <= 2:
        room[ONES + length - 1] += 1
    else:
        _insert(room, LONG_CHAINS, CHAIN_LENGTHS, length)


@kernel
def add_loop(base, length):
    """Add a loop of `length` boxes to the list."""
    _insert(lengths_at(base), LOOPS, LOOP_LENGTHS, length)


@kernel
def _insert(room, counter, first, length):
    place = first + room[counter]
    room[counter] += 1
    while place > first and room[place - 1] < length:
        room[place] = room[place - 1]
        place -= 1
    room[place] = length


@kernel
def loony_value(base):
    """Returns the net boxes for the side to move in a position that consists of the listed chains and loops."""
    room = lengths_at(base)
    ones, twos, chains, loops = room[ONES], room[TWOS], room[LONG_CHAINS], room[LOOPS]
    for shorts in range(ones + twos + 1):
        cost = 2 if shorts <= twos else 1
        for chain in range(chains + 1):
            row = VALUES + _LOOPS_AT_MOST * chain
            for loop in range(loops + 1):
                best = _LOWER_THAN_ANY if shorts + chain + loop > 0 else 0
                if shorts > 0:
                    best = -cost - room[row + loop]
                if chain > 0:
                    rest = room[row - _LOOPS_AT_MOST + loop]
                    taken = room[CHAIN_LENGTHS + chain - 1] - _LEFT_OF_CHAIN
                    best = max(best, -taken - abs(rest + _LEFT_OF_CHAIN))
                if loop > 0:
                    taken = room[LOOP_LENGTHS + loop - 1] - _LEFT_OF_LOOP
                    best = max(best, -taken - abs(room[row + loop - 1] + _LEFT_OF_LOOP))
                room[row + loop] = best
    return room[VALUES + _LOOPS_AT_MOST * chains + loops]


# The survey of a position: its chains, loops and safe edges, and its key
# -----------------------------------------------------------------------
#
# The survey of a position stays in the memory, and the solver derives the keys of the positions after each move from
# it: a drawn edge is no longer a safe edge, and chains change only where a joint becomes a box of a chain.


OF_FRAME, OF_CHILD = range(2)  # the rooms of the two surveys
NO_CHAIN = -1
_NONE = np.uint64(0)
_LENGTH_KEY = np.uint64(0x9E3779B97F4A7C15)
_LOOP_KEY = np.uint64(0xD1B54A32D192ED03)
_JOINT_KEY = np.uint64(0xA0761D6478BD642F)
_ACROSS_KEY = np.uint64(0xC2B2AE3D27D4EB4F)
_BESIDE_KEY = np.uint64(0x9FB21C651E98DF25)
# Weights of `undecided`: for a safe edge, for a chain that hangs on a joint, and for each box of such a chain. A random
# search found them: of all weights tried, they make the solver visit the fewest positions.
_SAFE_EDGE, _HANGING_CHAIN, _HANGING_BOX = 3, 8, -2


@kernel
def key_of(safe_across, safe_beside, terms):
    """Returns the key of a position.

    `safe_across` and `safe_beside` are its safe edges, `terms` is the sum of its chains' terms.
    """
    return mixed(safe_across * _ACROSS_KEY + safe_beside * _BESIDE_KEY + terms)


@kernel
def undecided(safe_across, safe_beside, hanging, hanging_boxes):
    """Returns a measure of how much is still to be decided in a position. It orders the moves.

    `hanging` is the number of chains that hang on joints, and `hanging_boxes` the number of boxes in these chains.
    """
    return (
        _SAFE_EDGE * (bit_count(safe_across) + bit_count(safe_beside))
        + _HANGING_CHAIN * hanging
        + _HANGING_BOX * hanging_boxes
    )


@kernel
def term_of(across, beside, joints, length):
    """Returns (term of the key, kind) of a chain.

    `across` and `beside` are its free edges, `joints` the joints that it hangs on, and `length` its number of boxes.
    """
    if joints == _NONE:
        if bit_count(across) + bit_count(beside) == length:
            return mixed(_LOOP_KEY + np.uint64(length)), LOOP_ALONE
        return mixed(_LENGTH_KEY + np.uint64(length)), CHAIN_ALONE
    comes_back = _NONE
    if joints & (joints - _ONE) == _NONE:  # a single joint: the other end is the border or the same joint
        joint_across, joint_beside = edges_around(joints)
        if bit_count(across & joint_across) + bit_count(beside & joint_beside) == 2:
            comes_back = _ONE
    return mixed(joints * _JOINT_KEY + (np.uint64(length) << _ONE | comes_back)), HANGS


@kernel
def chain_from(seed, two, free_across, free_beside, boxes):
    """Returns (boxes, across, beside, joints, length, term, kind) of the chain of the box `seed`.

    These are the fields of a chain in a survey. `two` are the boxes with two edges drawn.
    """
    chain, beyond = chain_of(seed, two, free_across, free_beside)
    across, beside = free_around(chain, free_across, free_beside)
    joints, length = beyond & ~two & boxes, bit_count(chain)
    term, kind = term_of(across, beside, joints, length)
    return chain, across, beside, joints, length, term, kind


@kernel
def survey(base, room, horizontal, vertical):
    """Write the survey of a position without takeable boxes into `room`."""
    board, numbers, words = control_words_at(base), survey_at(base, room), survey_words_at(base, room)
    boxes = board[ALL_BOXES]
    free_across, free_beside = board[ALL_HORIZONTAL] & ~horizontal, board[ALL_VERTICAL] & ~vertical
    safe_across, safe_beside = free_across, free_beside
    two = with_two(horizontal, vertical, boxes)
    words[TWO], words[TERMS] = two, _NONE
    numbers[HANGING] = numbers[HANGING_BOXES] = 0
    place, left = CHAINS, two
    while left != _NONE:
        chain, across, beside, joints, length, term, kind = chain_from(
            left & (~left + _ONE), two, free_across, free_beside, boxes
        )
        left &= ~chain
        words[place + BOXES], words[place + ACROSS], words[place + BESIDE] = chain, across, beside
        words[place + JOINTS], words[place + TERM] = joints, term
        numbers[place + LENGTH], numbers[place + KIND] = length, kind
        words[TERMS] += term
        if kind == HANGS:
            numbers[HANGING] += 1
            numbers[HANGING_BOXES] += length
        safe_across &= ~across
        safe_beside &= ~beside
        place += CHAIN_WORDS
    words[SAFE_ACROSS], words[SAFE_BESIDE] = safe_across, safe_beside
    numbers[COUNT] = (place - CHAINS) // CHAIN_WORDS


@kernel
def stands_alone(base, room):
    """Returns whether the position whose survey is in `room` consists only of separate chains and loops."""
    numbers, words = survey_at(base, room), survey_words_at(base, room)
    return numbers[HANGING] == 0 and words[SAFE_ACROSS] | words[SAFE_BESIDE] == _NONE


@kernel
def value_alone(base, room):
    """Returns the value of the position whose survey is in `room`. The position must stand alone."""
    numbers = survey_at(base, room)
    clear_lengths(base)
    place = CHAINS
    for _ in range(numbers[COUNT]):
        if numbers[place + KIND] == LOOP_ALONE:
            add_loop(base, numbers[place + LENGTH])
        else:
            add_chain(base, numbers[place + LENGTH])
        place += CHAIN_WORDS
    return loony_value(base)


@kernel
def surveyed_whole(base, horizontal, vertical):
    """Write the survey of a position into room OF_CHILD.

    Returns (key, undecided(), whether the position stands alone).
    """
    survey(base, OF_CHILD, horizontal, vertical)
    numbers, words = survey_at(base, OF_CHILD), survey_words_at(base, OF_CHILD)
    across, beside = words[SAFE_ACROSS], words[SAFE_BESIDE]
    return (
        key_of(across, beside, words[TERMS]),
        undecided(across, beside, numbers[HANGING], numbers[HANGING_BOXES]),
        stands_alone(base, OF_CHILD),
    )


@kernel
def surveyed_from_frame(base, horizontal, vertical, gone):
    """Returns what surveyed_whole returns, but faster, for a position one move after the position in room OF_FRAME.

    The position's survey is written into room OF_CHILD only if the position stands alone. `gone` is the place of the
    chain that the move has opened, or NO_CHAIN if the move is a safe edge. The move must complete the boxes of that
    chain and no others.
    """
    board, numbers, words = control_words_at(base), survey_at(base, OF_FRAME), survey_words_at(base, OF_FRAME)
    boxes = board[ALL_BOXES]
    free_across, free_beside = board[ALL_HORIZONTAL] & ~horizontal, board[ALL_VERTICAL] & ~vertical
    safe_across, safe_beside = words[SAFE_ACROSS] & free_across, words[SAFE_BESIDE] & free_beside
    terms, hanging, hanging_boxes = words[TERMS], numbers[HANGING], numbers[HANGING_BOXES]
    if gone != NO_CHAIN:
        terms -= words[gone + TERM]
        if numbers[gone + KIND] == HANGS:
            hanging -= 1
            hanging_boxes -= numbers[gone + LENGTH]
    two = with_two(horizontal, vertical, boxes)
    joined = two & ~words[TWO]
    while joined != _NONE:
        chain, across, beside, _, length, term, kind = chain_from(
            joined & (~joined + _ONE), two, free_across, free_beside, boxes
        )
        joined &= ~chain
        terms += term
        if kind == HANGS:
            hanging += 1
            hanging_boxes += length
        safe_across &= ~across
        safe_beside &= ~beside
        place = CHAINS
        for _ in range(numbers[COUNT]):
            if words[place + BOXES] & chain != _NONE:
                terms -= words[place + TERM]
                if numbers[place + KIND] == HANGS:
                    hanging -= 1
                    hanging_boxes -= numbers[place + LENGTH]
            place += CHAIN_WORDS
    alone = hanging == 0 and safe_across | safe_beside == _NONE
    if alone:
        survey(base, OF_CHILD, horizontal, vertical)
    return (key_of(safe_across, safe_beside, terms), undecided(safe_across, safe_beside, hanging, hanging_boxes), alone)
