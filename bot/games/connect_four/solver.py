"""The exact solver. It answers questions: is a position worth at least beta for the side to move?

Values are counted in cells: 1 + k for a win that leaves k cells free, 0 for a draw, -(1 + k) for a loss that leaves k
cells free. So the value of a position does not depend on the depth of the search, and a sooner win has a larger value.
The questions with beta 1 and 0 tell win, draw or loss. One question is a search with a null window: negamax with a
table of bounds, and with moves in the order given below. A position is settled without search if the free cells allow
no better result (zugzwang.py, rules.py). Two positions share an entry of the table if they differ only in stones that
can no longer belong to a four.

If a question is only about win, draw or loss, values are 1, 0 and -1. Then a column is idle if none of its free cells
lies in an open line, and a stone in it is a pass. The other side can answer a pass with a pass, so only the parity of
the number of remaining passes counts: if it is odd, the side to move may pass once, otherwise a pass gains nothing.
Positions that differ only in their idle columns share an entry.

Sources: Allis 1988. Solvers of this game commonly use forced replies, the order of moves by the winning cells that they
make, and the distance as a value; see Pons 2016.

The search keeps its stack in memory (solver_engine.py shows the layout) and runs bot/search/solver.py's loop, with one
frame for each ply.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    LANE_COUNT,
    blend,
    count_bits,
    everywhere,
    lane_mask,
    load_lanes,
    nonzero_lanes,
    quarter,
    store_lanes,
    without,
    zero_lanes,
)
from bot.kernels.machine import int32_array_at, int64_array_at, lowest_bit, monotonic_ns, numbers_at, uint16_array_at
from bot.search.solver import NO_MOVE_LEFT, OPEN, STOPPED, make_bounds_table, make_next_move, make_run

from .rules import (
    BOARD_AT,
    FORBIDDEN_AT,
    HASH_MULTIPLIER,
    cell_above,
    idle_columns,
    load_root,
    open_lines,
    play,
    reachable_cells,
    winning_cells,
)
from .solver_engine import (
    ABOVE_AT,
    ANSWER,
    BEST,
    BEST_MOVE,
    BETA,
    BOARD_HALVES,
    BOARDS_OFFSET,
    BUDGET_NS,
    CELL_NUMBERS,
    CONTROL_FIELDS,
    DEPTH,
    FLOOR_AT,
    FRAME_WORDS,
    FRAMES_OFFSET,
    FREE_CELLS,
    HASH,
    LAST_CELL,
    LISTED_END,
    LOWER,
    MAX_DEPTH,
    MAX_NODES,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    NO_CELL,
    NO_ROOT_BOUND,
    NODES,
    NODES_BEFORE,
    OPPONENT_AT,
    OWN_AT,
    POSITION_OFFSET,
    REPLIES_OFFSET,
    ROOT_BETA,
    ROOT_BOUNDS,
    ROOT_HINT,
    ROOT_MOVE,
    SETTLED,
    STATUS,
    TABLE_ENTRIES,
    TABLE_OFFSET,
    UNFINISHED,
    UPPER,
)
from .zugzwang import LOSES, UNBOUNDED, follow_up_bound, loses_by_zugzwang

# The memory: its arrays, the board of a frame, the hash of a position
# --------------------------------------------------------------------


class Memory(NamedTuple):
    """The arrays of a solver's memory."""

    control: object  # int64[64]
    position: object  # uint16[80], the position that the question is about
    frames: object  # address of the stack's frames, see frame_at
    boards: object  # uint16[160 * 64], the boards of the stack
    replies: object  # int32[256 * 256], last stone's cell * 256 + answer's cell -> how well the answer refutes it
    table: object  # address of the table of bounds


@kernel
def memory_at(address):
    """Returns the Memory at `address`, whose control[TABLE_ENTRIES] must be written already."""
    return Memory(
        int64_array_at(address, CONTROL_FIELDS),
        uint16_array_at(address + POSITION_OFFSET, 80),
        address + FRAMES_OFFSET,
        uint16_array_at(address + BOARDS_OFFSET, MAX_DEPTH * BOARD_HALVES),
        int32_array_at(address + REPLIES_OFFSET, CELL_NUMBERS * CELL_NUMBERS),
        address + TABLE_OFFSET,
    )


@kernel
def frame_at(memory, depth):
    """Returns a pointer (int64) to the fields of the frame at `depth`."""
    return numbers_at(memory.frames, 8 * FRAME_WORDS * depth)


@kernel
def hash_cells(cells):
    """Returns a uint64 hash of a set of cells. The bits of the hash are not yet evenly distributed."""
    mixed = (quarter(cells, 0) ^ np.uint64(0x632BE59BD9B4E019)) * HASH_MULTIPLIER
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ quarter(cells, 1)) * HASH_MULTIPLIER
    return (mixed ^ (mixed >> np.uint64(29)) ^ quarter(cells, 2)) * HASH_MULTIPLIER


@kernel
def position_hash(own_left, opponent_left, floor, passes):
    """Returns a uint64 hash of what matters in a position: the stones that can still be in a four, and the floor.

    `floor` has no cells of idle columns. `passes` is 1 if the idle columns have an odd number of free cells together,
    else 0.
    """
    mixed = hash_cells(own_left | floor | (zero_lanes(floor) & everywhere(0x8000)))
    other = hash_cells(opponent_left)
    other ^= np.uint64(passes)
    mixed = (mixed ^ (mixed >> np.uint64(32)) ^ (other << np.uint64(1)) ^ (other >> np.uint64(30))) * HASH_MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@kernel
def save_board(memory, depth, state):
    """Write the board of the frame at `depth`: the parts of a state (rules.py) that change from move to move."""
    first = depth * BOARD_HALVES
    own, opponent, floor, above, _, _ = state
    store_lanes(memory.boards, first + OWN_AT, own)
    store_lanes(memory.boards, first + OPPONENT_AT, opponent)
    store_lanes(memory.boards, first + FLOOR_AT, floor)
    store_lanes(memory.boards, first + ABOVE_AT, above)


@kernel
def load_board(memory, depth):
    """Returns (own, opponent, floor, above) of the frame at `depth`."""
    first = depth * BOARD_HALVES
    return (
        load_lanes(memory.boards, first + OWN_AT),
        load_lanes(memory.boards, first + OPPONENT_AT),
        load_lanes(memory.boards, first + FLOOR_AT),
        load_lanes(memory.boards, first + ABOVE_AT),
    )


@kernel
def load_cells(memory):
    """Returns (forbidden, board), which are the same for the whole game."""
    return load_lanes(memory.position, FORBIDDEN_AT), load_lanes(memory.position, BOARD_AT)


@kernel
def cell_of_drop(memory, depth, column):
    """Returns the number of the cell that a stone dropped in `column` falls to."""
    floor = memory.boards[depth * BOARD_HALVES + FLOOR_AT + column]
    return LANE_COUNT * column + lowest_bit(np.uint64(floor))


@kernel
def reply_index(memory, depth, column):
    """Returns the index in `replies` for a stone in `column` as the answer to the last stone."""
    return frame_at(memory, depth)[LAST_CELL] * CELL_NUMBERS + cell_of_drop(memory, depth, column)


# The table of proven bounds
# --------------------------
#
# In 10**7 probes the chance that one position is confused with another is at most 4 in 100,000 (bot/search/solver.py).


BOUND_BITS = 9  # values are numbers of cells, at most 1 + 144
NO_BOUND = 1 << (BOUND_BITS - 1)

_table = make_bounds_table(bucket=4, bound_bits=BOUND_BITS, move_bits=4, work_bits=2)
prefetch_bucket, probe, store = _table.prefetch_bucket, _table.probe, _table.store
lower_bound, upper_bound, stored_move = _table.lower_bound, _table.upper_bound, _table.stored_move


# The least numbers of nodes for the classes of work 1, 2 and 3; not tuned.
_FROM_CLASS_1, _FROM_CLASS_2, _FROM_CLASS_3 = 1 << 5, 1 << 10, 1 << 16


@kernel
def work_class(nodes):
    """Returns the class of work, 0..3, of a result that `nodes` nodes were needed for."""
    return 0 if nodes < _FROM_CLASS_1 else 1 if nodes < _FROM_CLASS_2 else 2 if nodes < _FROM_CLASS_3 else 3


# The order of moves: listed with a position, taken one by one, and learnt from
# -----------------------------------------------------------------------------
#
# The move in the table comes first. The other moves are ordered by the winning cells that their stone makes, and by how
# often this stone has refuted the stone that it answers. When a move refutes, it gains weight, and the moves that were
# tried in vain before it lose as much. It is most important to judge a reply by the stone that it answers: this needs
# half the nodes of a plain history of moves. Taking the stone before the last one into account gains nothing
# (docs/experiments.md).


TABLE_MOVE_ORDER = 1 << 40
THREAT_ORDER = 1 << 11
REPLY_LIMIT = 1 << 14  # the numbers in `replies` stay below this
HEAVIEST_LESSON = 1 << 10
# A listed move is one word, order << COLUMN_BITS | column. If two moves have the same order, the one further right is
# tried first.
COLUMN_BITS = 4
COLUMN_MASK = (1 << COLUMN_BITS) - 1

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def list_moves(memory, depth, candidates, beta, table_move, win_in_3):
    """Write the candidate columns with their orders into the frame, and return OPEN.

    If a candidate is found to reach `beta`, return a value of at least `beta` instead. No candidate may give the
    opponent a win in 1. So a stone wins in 3, which is worth `win_in_3`, if it makes two winning cells that can be
    played next, or two that lie one above the other with the lower one playable. If `beta` asks for a draw or for any
    win, a candidate may reach it by following up alone. Then the bound found by that is returned.
    """
    own, opponent, floor, above = load_board(memory, depth)
    forbidden, board = load_cells(memory)
    higher = cell_above(above, forbidden, board)
    free = without(board, own | opponent | forbidden)
    frame = frame_at(memory, depth)
    place = MOVES
    while candidates != 0:
        column = lowest_bit(np.uint64(candidates))
        candidates &= candidates - 1
        lane = lane_mask(column)
        stone = floor & lane
        next_floor = blend(lane, above, floor)
        threats = winning_cells(own | stone) & free
        wins_next = nonzero_lanes(threats & next_floor)
        wins_after = nonzero_lanes(threats & blend(lane, higher, above))
        if wins_next & (wins_next - 1) or wins_next & wins_after:
            frame[BEST_MOVE] = column
            return win_in_3
        if beta <= -LOSES:
            rest = without(free, stone)
            bound = bound_after(opponent, own | stone, rest, next_floor, threats)
            if -bound >= beta:
                frame[BEST_MOVE] = column
                return -bound
        order = count_bits(threats) * THREAT_ORDER + memory.replies[reply_index(memory, depth, column)]
        if column == table_move:
            order += TABLE_MOVE_ORDER
        frame[place] = order << COLUMN_BITS | column
        place += MOVE_WORDS
    frame[MOVES_END] = frame[LISTED_END] = place
    return OPEN


@kernel
def bound_after(own, opponent, free, floor, threats):
    """Returns a quick upper bound of a position's value for its side to move, or UNBOUNDED if no bound is found."""
    bound = UNBOUNDED
    if count_bits(free) & 1 == 0:
        bound = follow_up_bound(own, opponent, free, floor, free, threats, False)
    if bound != LOSES and loses_by_zugzwang(own, opponent, free, floor, free, threats, False):
        return LOSES
    return bound


@kernel
def column_at(frame, place):
    """Returns the column of the move listed at word `place` of a frame."""
    return frame[place] & COLUMN_MASK


@kernel
def learn(memory, depth):
    """Raise the weight of the move being tried, which refutes, and lower the weights of the moves tried before it."""
    frame = frame_at(memory, depth)
    under_way, end = frame[MOVES_END], frame[LISTED_END]
    if end < MOVES + 2 * MOVE_WORDS:
        return
    weight = min(frame[FREE_CELLS] * frame[FREE_CELLS], HEAVIEST_LESSON)
    for place in range(under_way, end):
        step = weight if place == under_way else -weight
        index = reply_index(memory, depth, column_at(frame, place))
        before = memory.replies[index]
        memory.replies[index] = before + step - before * weight // REPLY_LIMIT


# The search
# ----------


NODES_A_CLOCK_CHECK = 1024  # a quarter of a millisecond
NO_HASH = 0  # the HASH field of a frame with a single move
WIN, DRAW, LOSS = 1, 0, -1


@kernel
def nodes_of(memory):
    """Returns the number of positions opened so far."""
    return memory.control[NODES]


@kernel
def open_position(memory, depth):
    """Returns a bound of the position's value that answers the frame's question, if that needs no search; else OPEN.

    The side to move must have no win in 1. If the result is OPEN, the moves to try are listed in the frame. If there is
    a single move, the table is not probed, because the position would only take up room there.
    """
    control, frame = memory.control, frame_at(memory, depth)
    control[NODES] += 1
    beta, free_cells = frame[BETA], frame[FREE_CELLS]
    own, opponent, floor, above = load_board(memory, depth)
    threats = winning_cells(opponent)
    blocks = nonzero_lanes(threats & floor)
    candidates = (blocks if blocks != 0 else nonzero_lanes(floor)) & ~nonzero_lanes(threats & above)
    outcome_only = DRAW <= beta <= WIN
    furthest = WIN if outcome_only else NO_BOUND - 1
    lowest = max(min(1 - free_cells, DRAW), -furthest)  # a loss in 2
    highest = win_in_3 = min(max(free_cells - 2, DRAW), furthest)
    if blocks & (blocks - 1) or candidates == 0:
        return lowest
    if highest < beta:
        return highest
    if lowest >= beta:
        return lowest
    frame[BEST], frame[BEST_MOVE] = lowest, -1
    frame[HASH] = NO_HASH
    if candidates & (candidates - 1) == 0:
        frame[MOVES] = lowest_bit(np.uint64(candidates))
        frame[MOVES_END] = frame[LISTED_END] = MOVES + MOVE_WORDS
        return OPEN
    forbidden, board = load_cells(memory)
    free = without(board, own | opponent | forbidden)
    threats = threats & free
    reachable = reachable_cells(free, winning_cells(own), threats)
    own_lines, opponent_lines = open_lines(own | reachable), open_lines(opponent | reachable)
    idle = idle_columns(free, own_lines | opponent_lines) if outcome_only else everywhere(0)
    passes = count_bits(free & idle) & 1
    key = position_hash(own & own_lines, opponent & opponent_lines, without(floor, idle), passes)
    prefetch_bucket(memory.table, control[TABLE_ENTRIES], key)
    if free_cells & 1 == 0:
        highest = min(highest, follow_up_bound(own, opponent, free, floor, reachable, threats, True))
    if beta > LOSES and highest > LOSES and loses_by_zugzwang(own, opponent, free, floor, reachable, threats, True):
        highest = LOSES
    if nonzero_lanes(own_lines) == 0:
        highest = min(highest, DRAW)
    if nonzero_lanes(opponent_lines) == 0:
        lowest = max(lowest, DRAW)
        if lowest >= beta:
            return lowest
    entry = probe(memory.table, control[TABLE_ENTRIES], key)
    lower = max(min(lower_bound(entry), furthest), lowest)
    upper = min(max(upper_bound(entry), -furthest), highest)
    move = stored_move(entry)
    if depth == 0 and control[ROOT_HINT] >= 0:
        move = control[ROOT_HINT]
    if lower >= beta and depth > 0:  # the root needs a move that reaches beta, which the table's move may not
        return lower
    if upper < beta:
        return upper
    idle_candidates = candidates & nonzero_lanes(idle)
    candidates ^= idle_candidates
    if passes:
        candidates |= idle_candidates & -idle_candidates
    elif candidates == 0:
        return lowest
    frame[HASH] = np.int64(key)
    # "A loss at worst" and "a win at best" say nothing if distances are asked for, so they are not stored as bounds.
    frame[LOWER] = lower if lower > -furthest else 1 - NO_BOUND
    frame[UPPER] = upper if upper < furthest else NO_BOUND - 1
    frame[NODES_BEFORE] = control[NODES]
    return list_moves(memory, depth, candidates, beta, move, win_in_3)


@kernel
def ask_next(memory, depth):
    """Set up the frame at `depth` + 1 with the position after the next move and the question for the other side.

    Returns False if no move is left.
    """
    frame, below = frame_at(memory, depth), frame_at(memory, depth + 1)
    place = next_move(frame)
    if place == NO_MOVE_LEFT:
        return False
    column = column_at(frame, place)
    save_board(memory, depth + 1, play((*load_board(memory, depth), *load_cells(memory)), column))
    below[LAST_CELL] = cell_of_drop(memory, depth, column)
    below[BETA] = 1 - frame[BETA]
    below[FREE_CELLS] = frame[FREE_CELLS] - 1
    return True


@kernel
def remember(memory, depth, lower, upper):
    """Enter the bounds `lower` and `upper` of the frame's position into the table."""
    control, frame = memory.control, frame_at(memory, depth)
    if frame[HASH] == NO_HASH:
        return  # the frame has a single move, and such positions are not in the table
    store(
        memory.table,
        control[TABLE_ENTRIES],
        np.uint64(frame[HASH]),
        max(lower, frame[LOWER]),
        min(upper, frame[UPPER]),
        frame[BEST_MOVE],
        work_class(control[NODES] - frame[NODES_BEFORE]),
    )


@kernel
def conclude(memory, depth):
    """Returns the value of a frame in which no move reaches beta, and enters this value into the table."""
    value = frame_at(memory, depth)[BEST]
    remember(memory, depth, 1 - NO_BOUND, value)
    return value


@kernel
def take_answer(memory, depth, value):
    """Use `value`, the answer from the frame below, which is the value of the position after the move being tried.

    Returns the frame's value if the move reaches beta, else OPEN.
    """
    value = -value
    frame = frame_at(memory, depth)
    column = column_at(frame, frame[MOVES_END])
    if value > frame[BEST]:
        frame[BEST], frame[BEST_MOVE] = value, column
    if value < frame[BETA]:
        if depth == 0:
            memory.control[ROOT_BOUNDS + column] = value
        return OPEN
    learn(memory, depth)
    remember(memory, depth, value, NO_BOUND - 1)
    return value


run = make_run(nodes_of, open_position, ask_next, conclude, take_answer, NODES_A_CLOCK_CHECK)


@kernel
def begin(memory):
    """Set up frame 0 with the position in the memory and the question control[ROOT_BETA].

    The side to move must have no win in 1.
    """
    state = load_root(memory.position, 0)
    own, opponent, _, _, forbidden, board = state
    save_board(memory, 0, state)
    frame = frame_at(memory, 0)
    frame[BETA] = memory.control[ROOT_BETA]
    frame[FREE_CELLS] = count_bits(without(board, own | opponent | forbidden))
    frame[BEST_MOVE] = -1
    frame[LAST_CELL] = NO_CELL
    for column in range(LANE_COUNT):
        memory.control[ROOT_BOUNDS + column] = NO_ROOT_BOUND
    memory.control[DEPTH] = 0


@kernel
def solve_in(memory):
    """Start or continue to answer the question in the memory, as control[STATUS] says.

    Returns the number of nodes that this call has visited.
    """
    control = memory.control
    if control[STATUS] != UNFINISHED:
        begin(memory)
    before = control[NODES]
    deadline, node_limit = monotonic_ns() + control[BUDGET_NS], before + control[MAX_NODES]
    value, control[DEPTH] = run(memory, 0, control[DEPTH], node_limit, deadline)
    if value == STOPPED:
        control[STATUS] = UNFINISHED
    else:
        control[STATUS] = SETTLED
        control[ANSWER], control[ROOT_MOVE] = value, frame_at(memory, 0)[BEST_MOVE]
    return control[NODES] - before
