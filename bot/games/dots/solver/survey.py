"""The chains, loops and safe edges of a position, and the position's key. Kernels.

A position without a takeable box is a graph (Barker and Korf, AAAI 2012; Berlekamp 2000 calls it strings and coins).
Its nodes are the joints: the boxes with fewer than two edges drawn. Its arcs are free edges and chains. Only the length
and the two ends of a chain matter, not its shape; of a chain that hangs on no joint not even its place matters. The key
is therefore made of the safe edges and of one term for each chain.

The survey of a position stays in memory (layout.py). The solver derives the keys of the positions after a move from it:
a drawn edge is no longer safe, and chains change only where a joint becomes a box of a chain.
"""

import numpy as np

from bot.kernels.hashing import mixed
from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count

from ..rules.turns import chain_of, edges_around, free_around, with_two
from .layout import (
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
    HANGING,
    HANGING_BOXES,
    HANGS,
    JOINTS,
    KIND,
    LENGTH,
    LOOP_ALONE,
    SAFE_ACROSS,
    SAFE_BESIDE,
    TERM,
    TERMS,
    TWO,
)
from .loony import add_chain, add_loop, clear_lengths, loony_value
from .memory import control_words_at, survey_at, survey_words_at

OF_FRAME, OF_CHILD = range(2)  # the two rooms
NO_CHAIN = -1
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_LENGTH_KEY = np.uint64(0x9E3779B97F4A7C15)
_LOOP_KEY = np.uint64(0xD1B54A32D192ED03)
_JOINT_KEY = np.uint64(0xA0761D6478BD642F)
_ACROSS_KEY = np.uint64(0xC2B2AE3D27D4EB4F)
_BESIDE_KEY = np.uint64(0x9FB21C651E98DF25)
# Weights of `undecided`: of a safe edge, of a chain that hangs on a joint, of each box of such a chain. A random search
# chose them: with these the solver visits the fewest positions.
_SAFE_EDGE, _HANGING_CHAIN, _HANGING_BOX = 3, 8, -2


@kernel
def key_of(safe_across, safe_beside, terms):
    """The key of a position; terms: the sum of its chains' terms."""
    return mixed(safe_across * _ACROSS_KEY + safe_beside * _BESIDE_KEY + terms)


@kernel
def undecided(safe_across, safe_beside, hanging, hanging_boxes):
    """How much is still to be decided, a measure for the order of moves."""
    return (
        _SAFE_EDGE * (bit_count(safe_across) + bit_count(safe_beside))
        + _HANGING_CHAIN * hanging
        + _HANGING_BOX * hanging_boxes
    )


@kernel
def term_of(across, beside, joints, length):
    """(term of the key, kind) of a chain with these free edges that hangs on these joints."""
    if joints == _NONE:
        if bit_count(across) + bit_count(beside) == length:
            return mixed(_LOOP_KEY + np.uint64(length)), LOOP_ALONE
        return mixed(_LENGTH_KEY + np.uint64(length)), CHAIN_ALONE
    comes_back = _NONE
    if joints & (joints - _ONE) == _NONE:  # one end is the border, or both are the same box
        joint_across, joint_beside = edges_around(joints)
        if bit_count(across & joint_across) + bit_count(beside & joint_beside) == 2:
            comes_back = _ONE
    return mixed(joints * _JOINT_KEY + (np.uint64(length) << _ONE | comes_back)), HANGS


@kernel
def chain_from(seed, two, free_across, free_beside, boxes):
    """(boxes, across, beside, joints, length, term, kind) of the chain of a box; see a survey's fields."""
    chain, beyond = chain_of(seed, two, free_across, free_beside)
    across, beside = free_around(chain, free_across, free_beside)
    joints, length = beyond & ~two & boxes, bit_count(chain)
    term, kind = term_of(across, beside, joints, length)
    return chain, across, beside, joints, length, term, kind


@kernel
def survey(base, room, horizontal, vertical):
    """Survey a position without takeable boxes."""
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
    """Whether the position surveyed is nothing but separate chains and loops."""
    numbers, words = survey_at(base, room), survey_words_at(base, room)
    return numbers[HANGING] == 0 and words[SAFE_ACROSS] | words[SAFE_BESIDE] == _NONE


@kernel
def value_alone(base, room):
    """The value of a position that stands alone; its survey is in the room."""
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
    """Survey a position in room OF_CHILD; returns (key, undecided, whether it stands alone)."""
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
    """The same for a position one move after the one in room OF_FRAME. Only if it stands alone, room OF_CHILD has it.

    gone: the place of the chain that the move opened, which completes its boxes and no others; NO_CHAIN after a safe
    edge.
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
