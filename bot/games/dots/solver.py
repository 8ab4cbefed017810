"""The exact solver: how many boxes more than the other side does the side to move get from here on?

Boxes taken before do not count, so a position is only its edges. Takeable boxes are taken at once, except for the two
or four that a double-cross may leave. Let v be the value, for its side to move, of what remains. Then a position is
worth taken + v, or taken - left + |v + left| if boxes can be left (rules.py). So the search only handles positions
without a takeable box. A move of the search draws an edge, and everything that this edge gives away.

One question is a search with a null window: is the value at least a bound? Values are odd if an odd number of boxes is
left, so bounds are two apart. If a move gives boxes away, and the other side may leave some of them, the move needs two
questions: whether what remains is worth too much to the side that gets the boxes, and whether it is worth too little.
solver_positions.py computes the value of positions that consist only of separate chains and loops. The bounds of other
positions are kept in a table. Its keys are the same for positions that play alike (solver_positions.py). Sources:
Barker and Korf, Solving Dots-and-Boxes, AAAI 2012 (edges as the key, chains, corners, symmetry); Plaat, Schaeffer,
Pijls and de Bruin 1996 (cutoffs by the table); Buzzard and Ciere, arXiv 1305.2156.

The search keeps its stack in memory (solver_engine.py shows the layout) and runs bot/search/solver.py's loop, with one
frame for each move.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit, monotonic_ns
from bot.search.solver import ASK_AGAIN, NO_MOVE_LEFT, OPEN, STOPPED, make_bounds_table, make_next_move, make_run

from .board import VERTICAL
from .rules import (
    DOUBLE_CROSS,
    NOTHING_IS_RUNNING,
    after_opening,
    boxes_left,
    double_cross,
    draw,
    list_edges,
    load_root,
    taken_and_left,
    turn_edges,
)
from .solver_engine import (
    ACROSS,
    ALL_BOXES,
    ALL_HORIZONTAL,
    ALL_VERTICAL,
    ASKED,
    BESIDE,
    BEST,
    BEST_EDGE,
    BEST_MOVE,
    BOUND,
    BOXES_LEFT,
    BUDGET_NS,
    CHAIN_ALONE,
    CHAIN_WORDS,
    CHAINS,
    CHILD_UPPER,
    CODE,
    COLUMNS,
    COUNT,
    DEPTH,
    DONE,
    FRAME_HORIZONTAL,
    FRAME_VERTICAL,
    GIVEN,
    HANGS,
    IMAGES_FROM,
    KEY,
    KIND,
    KNOWN_LOWER,
    KNOWN_UPPER,
    LENGTH,
    LOWER,
    MAX_NODES,
    MOVE_HORIZONTAL,
    MOVE_KEY,
    MOVE_VERTICAL,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    NO_TURN,
    NODES,
    NODES_BEFORE,
    NOT_STARTED,
    ORDER,
    PHASE,
    ROOT_ALPHA,
    ROOT_BETA,
    ROOT_LEFT,
    ROOT_LOWER,
    ROOT_TAKEN,
    ROOT_UPPER,
    ROWS,
    SAFE_ACROSS,
    SAFE_BESIDE,
    STATUS,
    TABLE_ENTRIES,
    TABLE_OFFSET,
    TURN,
    TURN_EDGES,
    UNFINISHED,
    UPPER,
)
from .solver_positions import (
    NO_CHAIN,
    OF_CHILD,
    OF_FRAME,
    control_at,
    control_words_at,
    frame_at,
    frame_words_at,
    normal_image,
    position_at,
    stands_alone,
    survey,
    survey_at,
    survey_words_at,
    surveyed_from_frame,
    surveyed_whole,
    turn_at,
    value_alone,
    waiting_corner_edges,
    with_corners_normalized,
)

# The table of proven bounds; values lie between -49 and 49
# ---------------------------------------------------------
#
# In 10**7 probes the chance that one position is confused with another is at most 8 in 100,000 (bot/search/solver.py).


BOUND_BITS = 7
NO_BOUND = 1 << (BOUND_BITS - 1)
WORK_BITS = 3
_HEAVIEST_CLASS = (1 << WORK_BITS) - 1
_CLASS_SHIFT = 3  # a class of work spans a factor of eight

_table = make_bounds_table(bucket=8, bound_bits=BOUND_BITS, move_bits=7, work_bits=WORK_BITS)
lower_bound, upper_bound, stored_move = _table.lower_bound, _table.upper_bound, _table.stored_move
_prefetch_bucket, _probe, _store = _table.prefetch_bucket, _table.probe, _table.store


@kernel
def prefetch_bucket(base, key):
    """Ask the CPU to fetch the bucket of a key into its cache."""
    _prefetch_bucket(base + TABLE_OFFSET, control_at(base)[TABLE_ENTRIES], key)


@kernel
def probe(base, key):
    """Returns the table's entry for a key, or 0 if there is none. An entry of 0 stands for no bounds and no move."""
    return _probe(base + TABLE_OFFSET, control_at(base)[TABLE_ENTRIES], key)


@kernel
def work_of(nodes):
    """Returns the class of work, 0..7, of a result that `nodes` nodes were needed for."""
    work = 0
    while nodes >= 1 << _CLASS_SHIFT and work < _HEAVIEST_CLASS:
        nodes >>= _CLASS_SHIFT
        work += 1
    return work


@kernel
def store(base, key, lower, upper, move, work):
    """Enter the bounds and a move of the position with the key `key` into the table. See make_bounds_table."""
    _store(base + TABLE_OFFSET, control_at(base)[TABLE_ENTRIES], key, lower, upper, move, work)


# The moves of a position and their order
# ---------------------------------------
#
# The position has no takeable box, and its corners are normalized (solver_positions.py). A move draws one edge. The
# position after the move is the one in which the other side has taken all that the move gives away. The solver tries
#
# * every safe edge, which gives nothing away; of a corner's two border edges only the horizontal one, as it is always
#   drawn first;
# * of the chains that stand alone (solver_positions.py), the shortest one of at most two boxes, the shortest
#   longer one, and the shortest loop;
# * every chain that hangs on a joint.
#
# It tries only one edge of a chain, because each of them gives the same boxes away. In a chain of two boxes the edge is
# the middle one, which leaves the other side no choice. In a longer chain the other side may always leave two boxes, in
# a loop four.
#
# The solver lists a move only if its value is not known yet. The value can be known from the number of boxes that
# remain, from the value of separate chains (solver_positions.py) or from the table. A move that is known to reach the
# frame's bound settles the position before any move is tried (enhanced transposition cutoffs).
#
# The moves are ordered by how much they leave to be decided, least first. A position hardly shows who wins, but it
# shows how much work it would be to find out (docs/experiments.md).
#
# A move's code is the number of its edge. For a hanging chain it is the number of its lowest free edge, and for a chain
# that stands alone it is the chain's kind. So a code means the same in all positions with the same key, or nothing.


SHORT_CHAIN, LONG_CHAIN, LOOP = 120, 121, 122  # codes; no edge has such a number
_HASH_MOVE_ORDER = 1 << 60
_GIVEN_ORDER = 1 << 40  # moves that give boxes away come after those that give none, in order of the boxes given
_TOUCHED_BOX = 6  # the weight, in the order of safe edges, of each box beside the edge; undecided() is subtracted
_NONE = np.uint64(0)
_ONE = np.uint64(1)

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def worth(given, left, value):
    """Returns the value of a move that gives `given` boxes away. The other side may leave `left` of these boxes.

    `value` is the value of the position after the move, for the side to move there.
    """
    return -given - value if left == 0 else min(-given - value, 2 * left - given + value)


@kernel
def worth_at_most(given, left, lower, upper):
    """Returns the greatest value of worth() for a value from `lower` to `upper` of the position after the move.

    `lower`, `upper` and the value are all odd or all even.
    """
    if left > 0 and lower < -left < upper:
        return left - given - (lower & 1)
    return max(worth(given, left, lower), worth(given, left, upper))


@kernel
def free_edges(base, horizontal, vertical):
    """Returns how many edges are free. `horizontal` and `vertical` are the drawn edges."""
    board = control_words_at(base)
    return bit_count(board[ALL_HORIZONTAL] & ~horizontal) + bit_count(board[ALL_VERTICAL] & ~vertical)


@kernel
def canonical_image(base, horizontal, vertical):
    """Returns (horizontal, vertical) of a position that represents this position and positions equivalent to it.

    If too few edges are free to compare images, only the corners are normalized.
    """
    numbers = control_at(base)
    if free_edges(base, horizontal, vertical) >= numbers[IMAGES_FROM]:
        return normal_image(horizontal, vertical, numbers[ROWS], numbers[COLUMNS])
    return with_corners_normalized(horizontal, vertical, numbers[ROWS], numbers[COLUMNS])


@kernel
def consider(base, depth, code, horizontal, vertical, given, left, gone, touched, whole):
    """Look at the move `code`, after which `horizontal` and `vertical` are the drawn edges. It may settle the frame.

    The move settles the frame if its value is known and reaches the frame's bound. Then its value is returned, else
    OPEN. A move is listed if its value is not known, and at depth 0 also if it reaches the bound. `given` and `left`
    are as in worth(), and `gone` is as in surveyed_from_frame(). `touched` is the number of boxes beside the edge if it
    is a safe edge. `whole` says whether the position must be surveyed without the help of the frame's survey.
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
    """List the moves of the frame at `depth`. The survey of its position must be in room OF_FRAME.

    Returns the value of a move that settles the frame, else OPEN.
    """
    control, frame, words = control_at(base), frame_at(base, depth), frame_words_at(base, depth)
    free = free_edges(base, words[FRAME_HORIZONTAL], words[FRAME_VERTICAL])
    # The position after a move must be surveyed whole if another image may represent it. It also must if the board is a
    # strip, because then normalizing changes more than the corners.
    whole = free > control[IMAGES_FROM] or control[ROWS] == 1 or control[COLUMNS] == 1
    frame[MOVES_END] = MOVES
    value = list_chain_moves(base, depth, whole)
    return value if value != OPEN else list_safe_edges(base, depth, whole)


@kernel
def list_chain_moves(base, depth, whole):
    """List the moves that open a chain or loop. Returns the value of a move that settles the frame, else OPEN.

    `whole` is as in consider().
    """
    numbers, chains = survey_at(base, OF_FRAME), survey_words_at(base, OF_FRAME)
    board, frame, words = control_words_at(base), frame_at(base, depth), frame_words_at(base, depth)
    short = long = loop = NO_CHAIN
    place = CHAINS
    for _ in range(numbers[COUNT]):
        kind, length = numbers[place + KIND], numbers[place + LENGTH]
        if kind == HANGS:
            across, beside = chains[place + ACROSS], chains[place + BESIDE]
            code = lowest_bit(across) if across != _NONE else VERTICAL + lowest_bit(beside)
            across, beside = after_opening(
                words[FRAME_HORIZONTAL], words[FRAME_VERTICAL], across, beside, board[ALL_BOXES]
            )
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
                words[FRAME_HORIZONTAL] | chains[place + ACROSS],
                words[FRAME_VERTICAL] | chains[place + BESIDE],
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
    """List the safe edges. Returns the value of a move that settles the frame, else OPEN.

    `whole` is as in consider().
    """
    control, chains, words = control_at(base), survey_words_at(base, OF_FRAME), frame_words_at(base, depth)
    boxes = control_words_at(base)[ALL_BOXES]
    horizontal, vertical = words[FRAME_HORIZONTAL], words[FRAME_VERTICAL]
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
    """Drop the listed moves that, according to the table, cannot reach the frame's bound. Also put `hash_move` first.

    Returns the value of a move that reaches the bound according to the table, else OPEN. At depth 0 such a move stays
    listed instead.
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


# The search: is the value at least a bound?
# ------------------------------------------


NODES_A_CLOCK_CHECK = 256  # less than a quarter of a millisecond
ASKED_TOO_MUCH, ASKED_TOO_LITTLE = range(2)


@kernel
def nodes_of(base):
    """Returns the number of positions opened so far."""
    return control_at(base)[NODES]


@kernel
def enter(base, depth, horizontal, vertical, left, bound):
    """Set up the frame at `depth` with the question whether a position is worth at least `bound`.

    `horizontal` and `vertical` are the position's drawn edges. It must have no takeable box, and `left` boxes that are
    not complete.
    """
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    horizontal, vertical = canonical_image(base, horizontal, vertical)
    words[FRAME_HORIZONTAL], words[FRAME_VERTICAL] = horizontal, vertical
    words[KEY], _, _ = surveyed_whole(base, horizontal, vertical)
    frame[BOXES_LEFT], frame[BOUND] = left, bound


@kernel
def enter_after(base, depth, place, bound):
    """Set up the frame at `depth` + 1 with a question about what remains after a move of the frame at `depth`.

    The move is listed at `place`. The question is whether what remains is worth at least `bound`.
    """
    frame, words = frame_at(base, depth), frame_words_at(base, depth)
    below, words_below = frame_at(base, depth + 1), frame_words_at(base, depth + 1)
    words_below[FRAME_HORIZONTAL], words_below[FRAME_VERTICAL] = (
        words[place + MOVE_HORIZONTAL],
        words[place + MOVE_VERTICAL],
    )
    words_below[KEY] = words[place + MOVE_KEY]
    below[BOXES_LEFT], below[BOUND] = frame[BOXES_LEFT] - (frame[place + GIVEN] >> 3), bound


@kernel
def remember(base, depth, lower, upper):
    """Enter the bounds `lower` and `upper` of the frame's position into the table."""
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
    """Returns a bound of the position's value that answers the frame's question, if that needs no search; else OPEN.

    If the result is OPEN, the moves to try are listed in the frame. At depth 0 the result is never a bound that a move
    reaches, because the root needs such a move, not only the bound.
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
    survey(base, OF_FRAME, words[FRAME_HORIZONTAL], words[FRAME_VERTICAL])
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
    """Set up the frame at `depth` + 1 with the first question about the next move. Returns False if no move is left."""
    frame = frame_at(base, depth)
    place = next_move(frame)
    if place == NO_MOVE_LEFT:
        return False
    frame[PHASE] = ASKED_TOO_MUCH
    # If x is the value of what remains, the move is worth -(given + x), or -(given - left + |x + left|) if boxes may be
    # left.
    enter_after(base, depth, place, 2 - frame[BOUND] - (frame[place + GIVEN] >> 3))
    return True


@kernel
def conclude(base, depth):
    """Returns the value of a frame in which no move reaches the bound, and enters this value into the table."""
    value = frame_at(base, depth)[BEST]
    remember(base, depth, -NO_BOUND, value)
    return value


@kernel
def take_answer(base, depth, value):
    """Use `value`, the answer of the frame at `depth` + 1 to the question about the move being tried.

    Returns the frame's value if the move reaches the bound, and OPEN if it does not. If a second question about the
    move is needed, sets it up in the frame at `depth` + 1 and returns ASK_AGAIN.
    """
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


# Questions about any position: its value in a window, and a turn that reaches this value
# -------------------------------------------------------------------------------


NO_QUESTION = 128
NO_EDGE = -1
_NEVER = np.int64(0x7FFFFFFFFFFFFFFF)


@kernel
def value_bounds(lower, upper, taken, left):
    """Returns (lower, upper) bounds of a position's value.

    `lower` and `upper` are bounds of the value of what remains after its takeable boxes are taken. `taken` and `left`
    are what taken_and_left returns for the position.
    """
    if left == 0:
        return taken + lower, taken + upper
    return taken + max(-left + (lower & 1), lower, -upper - 2 * left), taken + max(upper, -lower - 2 * left)


@kernel
def next_bound(lower, upper, taken, left, remaining, alpha, beta, with_turn):
    """Returns the bound to ask for next, or NO_QUESTION if the position's value is known well enough.

    It is known well enough if it is exact, at least `beta`, or at most `alpha`. `lower`, `upper` and the result are
    bounds of the value of what remains after the takeable boxes are taken, which has `remaining` boxes. `taken` and
    `left` are as in taken_and_left. If `with_turn` is true, it must also become known whether to take the boxes that
    could be left.
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
    """Returns (whether the value is known, value) of a position. The value is in net boxes for the side to move.

    Other kernels call this. The returned value is exact if it lies between `alpha` and `beta`, else it is a bound on
    the same side of the window. If `max_nodes` positions do not suffice, it is a lower bound, however weak.
    `horizontal` and `vertical` are the edges drawn in the position, whose board must be the one in the memory. The
    table is shared with solve_in, but an unfinished question of solve_in is lost.
    """
    control, words = control_at(base), control_words_at(base)
    boxes = words[ALL_BOXES]
    control[STATUS] = NOT_STARTED
    horizontal, vertical, taken, left = taken_and_left(horizontal, vertical, boxes)
    remaining = boxes_left(horizontal, vertical, boxes)
    lower, upper = -remaining, remaining
    node_limit = control[NODES] + max_nodes
    while True:
        bound = next_bound(lower, upper, taken, left, remaining, alpha, beta, False)
        if bound == NO_QUESTION:
            break
        # The search starts from frame 1, because a search from frame 0 has to find a move too.
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
    """Returns (horizontal, vertical) of the position in the memory after everything takeable has been taken."""
    state = load_root(position_at(base), 0)
    horizontal, vertical, _, _ = taken_and_left(state[0], state[1], state[5])
    return horizontal, vertical


@kernel
def edge_of_best(base):
    """Returns the number of an edge that leads to the same position as the root's current move; NO_EDGE if none does.

    The edge has to be searched for, because the root's frame may hold an image of the position, and the move may be a
    kind of chain instead of an edge.
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
    """Start the question that lies in the memory: set the control fields, and set up frame 0 for its first search."""
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
    """Write the bounds of the value, and set up frame 0 for the next search; if none is needed, set STATUS to DONE."""
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
    """Write the turn that reaches control[ROOT_LOWER], and its edges. If no such turn is known, write NO_TURN."""
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
            control[TURN] = NOTHING_IS_RUNNING
        elif edge != NO_EDGE:
            control[TURN] = edge
        elif control[LOWER] == control[UPPER]:  # every move loses all boxes that remain
            control[TURN] = lowest_bit(across) if across != np.uint64(0) else VERTICAL + lowest_bit(beside)
    control[TURN_EDGES] = 0
    if control[TURN] != NO_TURN:
        edges = turn_at(base)
        control[TURN_EDGES] = turn_edges(state, control[TURN], edges, 0)


@kernel
def solve_in(base):
    """Start or continue to answer the question in the memory, as control[STATUS] says.

    Returns the number of positions that this call has visited. After every call the control fields ROOT_LOWER,
    ROOT_UPPER and TURN hold what is known so far.
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
