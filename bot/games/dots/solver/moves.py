"""The moves of a position and their order. Kernels.

The position has no takeable box and its corners are normalized (symmetry.py). A move draws one edge; the position after
it is the one in which the other side has taken all that this gives. The solver tries

* every safe edge, which gives nothing; of a corner's two border edges only the horizontal one, which is drawn first;
* of the chains that stand alone (loony.py) the shortest one of at most two boxes, the shortest longer one, and the
  shortest loop;
* every chain that hangs on a joint.

Of a chain it tries one edge only, as each of them gives the same boxes. In a chain of two boxes that is the middle one:
it leaves the other side no choice. In a longer chain the other side may always leave two boxes, in a loop four.

The solver lists a move only if its value is open. The boxes that remain, the value of separate chains (loony.py) or the
table may tell it. A move that is known to reach the frame's bound settles the position before any move is tried
(enhanced transposition cutoffs).

The order is by what is left to decide, least first. Who wins can hardly be seen in a position, but how much work it
would be to find out can (docs/experiments.md).

A move's code is the number of its edge; for a hanging chain that of its lowest free edge, for a chain that stands alone
its kind. So a code means the same in all positions with the same key, or nothing.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit
from bot.search.solver.move_list import make_next_move
from bot.search.solver.stack import OPEN

from ..rules.board import VERTICAL
from ..rules.turns import after_opening, boxes_left
from . import layout
from .layout import (
    ACROSS,
    ALL_BOXES,
    ALL_HORIZONTAL,
    ALL_VERTICAL,
    BESIDE,
    BEST,
    BEST_MOVE,
    BOUND,
    BOXES_LEFT,
    CHAIN_ALONE,
    CHAIN_WORDS,
    CHAINS,
    CODE,
    COLUMNS,
    COUNT,
    GIVEN,
    HANGS,
    HORIZONTAL,
    KIND,
    LENGTH,
    MOVE_HORIZONTAL,
    MOVE_KEY,
    MOVE_VERTICAL,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    ORDER,
    ROWS,
    SAFE_ACROSS,
    SAFE_BESIDE,
    SYMMETRY_FROM,
)
from .memory import control_at, control_words_at, frame_at, frame_words_at, survey_at, survey_words_at
from .survey import NO_CHAIN, OF_CHILD, OF_FRAME, surveyed_from_frame, surveyed_whole, value_alone
from .symmetry import normal_image, waiting_corner_edges, with_corners_normalized
from .table import lower_bound, prefetch_bucket, probe, upper_bound

SHORT_CHAIN, LONG_CHAIN, LOOP = 120, 121, 122  # codes; no edge has such a number
_HASH_MOVE_ORDER = 1 << 60
_GIVEN_ORDER = 1 << 40  # after the moves that give nothing, those that give least come first
_TOUCHED_BOX = 6  # for the order: each box beside a safe edge counts so much, beside what survey.undecided says
_NONE = np.uint64(0)
_ONE = np.uint64(1)

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def worth(given, left, value):
    """What a move is worth: it gives `given` boxes, `left` of which may be left; value: of the position after it."""
    return -given - value if left == 0 else min(-given - value, 2 * left - given + value)


@kernel
def worth_at_most(given, left, lower, upper):
    """The greatest such worth if the position's value lies between lower and upper, both odd or both even."""
    if left > 0 and lower < -left < upper:
        return left - given - (lower & 1)
    return max(worth(given, left, lower), worth(given, left, upper))


@kernel
def free_edges(base, horizontal, vertical):
    """How many edges are free; horizontal, vertical: those that are drawn."""
    board = control_words_at(base)
    return bit_count(board[ALL_HORIZONTAL] & ~horizontal) + bit_count(board[ALL_VERTICAL] & ~vertical)


@kernel
def canonical_image(base, horizontal, vertical):
    """(horizontal, vertical) of the image by which a position is known."""
    numbers = control_at(base)
    if free_edges(base, horizontal, vertical) >= numbers[SYMMETRY_FROM]:
        return normal_image(horizontal, vertical, numbers[ROWS], numbers[COLUMNS])
    return with_corners_normalized(horizontal, vertical, numbers[ROWS], numbers[COLUMNS])


@kernel
def consider(base, depth, code, horizontal, vertical, given, left, gone, touched, whole):
    """Look at one move: its value if that is known and reaches the frame's bound, else OPEN. An open move is listed.

    gone: see surveyed_from_frame; touched: boxes of which a safe edge is drawn; whole: whether the position has to be
    surveyed on its own. At depth 0 every move that reaches the bound is listed.
    """
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    remaining, bound = frame[BOXES_LEFT] - given, frame[BOUND]
    most = worth_at_most(given, left, -remaining, remaining)
    if most < bound:
        frame[BEST] = max(frame[BEST], most)
        return OPEN
    if whole:
        horizontal, vertical = canonical_image(base, horizontal, vertical)
        key, order, alone = surveyed_whole(base, horizontal, vertical)
    else:
        key, order, alone = surveyed_from_frame(base, horizontal, vertical, gone)
    if alone:
        value = worth(given, left, value_alone(base, OF_CHILD))
        if value < bound:
            frame[BEST] = max(frame[BEST], value)
            return OPEN
        if depth > 0:
            frame[BEST_MOVE] = code
            return value
    prefetch_bucket(base, key)
    place = frame[MOVES_END]
    frame[place + CODE], frame[place + GIVEN] = code, 8 * given + left
    frame[place + ORDER] = _TOUCHED_BOX * touched - order if given == 0 else -_GIVEN_ORDER * frame[place + GIVEN]
    words[place + MOVE_HORIZONTAL], words[place + MOVE_VERTICAL] = horizontal, vertical
    words[place + MOVE_KEY] = key
    frame[MOVES_END] = place + MOVE_WORDS
    return OPEN


@kernel
def list_moves(base, depth):
    """List the frame's moves; its survey is in room OF_FRAME. The value of a move that settles it, else OPEN."""
    control, frame, words = control_at(base), frame_at(base, depth), frame_words_at(base, depth)
    free = free_edges(base, words[HORIZONTAL], words[layout.VERTICAL])
    # Images change everywhere, and where the board is a strip more than corners are normalized.
    whole = free > control[SYMMETRY_FROM] or control[ROWS] == 1 or control[COLUMNS] == 1
    frame[MOVES_END] = MOVES
    value = list_chain_moves(base, depth, whole)
    return value if value != OPEN else list_safe_edges(base, depth, whole)


@kernel
def list_chain_moves(base, depth, whole):
    """List the moves that open a chain or loop; the value of one that settles the frame, else OPEN."""
    numbers, chains = survey_at(base, OF_FRAME), survey_words_at(base, OF_FRAME)
    board, frame, words = control_words_at(base), frame_at(base, depth), frame_words_at(base, depth)
    short = long = loop = NO_CHAIN
    place = CHAINS
    for _ in range(numbers[COUNT]):
        kind, length = numbers[place + KIND], numbers[place + LENGTH]
        if kind == HANGS:
            across, beside = chains[place + ACROSS], chains[place + BESIDE]
            code = lowest_bit(across) if across != _NONE else VERTICAL + lowest_bit(beside)
            across, beside = after_opening(words[HORIZONTAL], words[layout.VERTICAL], across, beside, board[ALL_BOXES])
            given = frame[BOXES_LEFT] - boxes_left(across, beside, board[ALL_BOXES])
            value = consider(
                base, depth, code, across, beside, given, 0 if length <= 2 else 2, place, 0, whole or given > length
            )
            if value != OPEN:
                return value
        elif kind == CHAIN_ALONE and length <= 2:
            if short == NO_CHAIN or length < numbers[short + LENGTH]:
                short = place
        elif kind == CHAIN_ALONE:
            if long == NO_CHAIN or length < numbers[long + LENGTH]:
                long = place
        elif loop == NO_CHAIN or length < numbers[loop + LENGTH]:
            loop = place
        place += CHAIN_WORDS
    for place, code, left in ((short, SHORT_CHAIN, 0), (long, LONG_CHAIN, 2), (loop, LOOP, 4)):
        if place != NO_CHAIN:
            value = consider(
                base,
                depth,
                code,
                words[HORIZONTAL] | chains[place + ACROSS],
                words[layout.VERTICAL] | chains[place + BESIDE],
                numbers[place + LENGTH],
                left,
                place,
                0,
                whole,
            )
            if value != OPEN:
                return value
    return OPEN


@kernel
def list_safe_edges(base, depth, whole):
    """List the safe edges; the value of one that settles the frame, else OPEN."""
    control, chains, words = control_at(base), survey_words_at(base, OF_FRAME), frame_words_at(base, depth)
    boxes = control_words_at(base)[ALL_BOXES]
    horizontal, vertical = words[HORIZONTAL], words[layout.VERTICAL]
    across = chains[SAFE_ACROSS]
    beside = chains[SAFE_BESIDE] & ~waiting_corner_edges(horizontal, control[ROWS], control[COLUMNS])
    while across != _NONE:
        edge = across & (~across + _ONE)
        value = consider(
            base,
            depth,
            lowest_bit(across),
            horizontal | edge,
            vertical,
            0,
            0,
            NO_CHAIN,
            bit_count((edge | edge >> np.uint64(8)) & boxes),
            whole,
        )
        if value != OPEN:
            return value
        across ^= edge
    while beside != _NONE:
        edge = beside & (~beside + _ONE)
        value = consider(
            base,
            depth,
            VERTICAL + lowest_bit(beside),
            horizontal,
            vertical | edge,
            0,
            0,
            NO_CHAIN,
            bit_count((edge | edge >> _ONE) & boxes),
            whole,
        )
        if value != OPEN:
            return value
        beside ^= edge
    return OPEN


@kernel
def drop_answered(base, depth, hash_move):
    """Drop the listed moves that cannot reach the frame's bound by the table; the value of one that does, else OPEN.

    At depth 0 a move that reaches it stays. The hash move comes first.
    """
    frame = frame_at(base, depth)
    bound = frame[BOUND]
    place, end = MOVES, frame[MOVES_END]
    while place < end:
        given, left = frame[place + GIVEN] >> 3, frame[place + GIVEN] & 7
        remaining = frame[BOXES_LEFT] - given
        entry = probe(base, frame_words_at(base, depth)[place + MOVE_KEY])
        lower, upper = max(lower_bound(entry), -remaining), min(upper_bound(entry), remaining)
        most = worth_at_most(given, left, lower, upper)
        if most < bound:
            frame[BEST] = max(frame[BEST], most)
            end -= MOVE_WORDS
            for word in range(MOVE_WORDS):
                frame[place + word] = frame[end + word]
            continue
        least = min(worth(given, left, lower), worth(given, left, upper))
        if least >= bound and depth > 0:
            frame[BEST_MOVE] = frame[place + CODE]
            return least
        if frame[place + CODE] == hash_move:
            frame[place + ORDER] = _HASH_MOVE_ORDER
        place += MOVE_WORDS
    frame[MOVES_END] = end
    return OPEN
