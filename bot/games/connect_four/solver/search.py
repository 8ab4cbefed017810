"""The exact solver: is a position worth at least so much for the side to move?

Values are counted in cells: 1 + k for a win that leaves k cells free, 0 for a draw, -(1 + k) for a loss that does.
So a value is the same at every depth, sooner wins are larger, and a win, draw or loss is asked for with the
bounds 1 and 0. One question is a search with a null window: negamax with a table of bounds
(table.py), moves in the order of moves.py. A position is settled without search where the cells left allow no
better (rules/zugzwang.py, rules/position.py), and two positions are one where they differ only in stones that no line
of four can use any more.

Where only win, draw or loss is asked for, values are 1, 0 and -1, and columns are idle whose free cells lie in no
open line: there one may pass, nothing else. Who is well off can answer a pass with a pass. So of the passes left only
it counts whether their number is odd; then the mover may pass once, else a pass gains nothing. Positions with equal
other columns are one.

Sources: Allis 1988; forced replies, the order by winning cells made and the distance as a value are common to the
solvers of this game, see Pons 2016.

The search keeps its stack in memory (layout.py, search/solver/stack.py), one frame a ply.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import LANE_COUNT, count_bits, everywhere, nonzero_lanes, without
from bot.kernels.machine import lowest_bit, monotonic_ns
from bot.search.solver.move_list import NO_MOVE_LEFT
from bot.search.solver.stack import OPEN, STOPPED, make_run

from ..rules.position import idle_columns, load_root, open_lines, play, reachable_cells, winning_cells
from ..rules.zugzwang import LOSES, follow_up_bound, loses_by_zugzwang
from .layout import (
    ANSWER,
    BEST,
    BEST_MOVE,
    BETA,
    BUDGET_NS,
    DEPTH,
    FREE_CELLS,
    HASH,
    LAST_CELL,
    LISTED_END,
    LOWER,
    MAX_NODES,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    NO_CELL,
    NO_ROOT_BOUND,
    NODES,
    NODES_BEFORE,
    ROOT_BETA,
    ROOT_BOUNDS,
    ROOT_HINT,
    ROOT_MOVE,
    SETTLED,
    STATUS,
    TABLE_ENTRIES,
    UNFINISHED,
    UPPER,
)
from .memory import cell_of_drop, frame_at, load_board, load_cells, position_hash, save_board
from .moves import column_at, learn, list_moves, next_move
from .table import NO_BOUND, lower_bound, prefetch_bucket, probe, store, stored_move, upper_bound, work_class

NODES_A_CLOCK_CHECK = 1024  # a quarter of a millisecond
NO_HASH = 0  # of a frame with a single move
WIN, DRAW, LOSS = 1, 0, -1


@kernel
def nodes_of(memory):
    """The positions opened so far."""
    return memory.control[NODES]


@kernel
def open_position(memory, depth):
    """The value of the frame's position as a bound on one side of beta where that needs no search; else OPEN.

    The mover has no win in 1. With OPEN the frame lists the moves to try. A single move is tried without a look into
    the table, where it would only take room.
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
    if lower >= beta and depth > 0:  # the root needs a move that reaches it: the table's may be from another bound
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
    # A loss at worst and a win at best are no bounds where distances are asked for.
    frame[LOWER] = lower if lower > -furthest else 1 - NO_BOUND
    frame[UPPER] = upper if upper < furthest else NO_BOUND - 1
    frame[NODES_BEFORE] = control[NODES]
    return list_moves(memory, depth, candidates, beta, move, win_in_3)


@kernel
def ask_next(memory, depth):
    """Set up the frame below with the position after the next move and the question turned round; False without one."""
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
    """Enter the frame's result into the table."""
    control, frame = memory.control, frame_at(memory, depth)
    if frame[HASH] == NO_HASH:
        return  # a single move: nothing to look up
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
    """The value of a frame whose moves all fall short of its bound."""
    value = frame_at(memory, depth)[BEST]
    remember(memory, depth, 1 - NO_BOUND, value)
    return value


@kernel
def take_answer(memory, depth, value):
    """Use the value of the position after the move under way: the frame's own where it reaches its bound, else OPEN."""
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
    """Put the position in memory, whose mover has no win in 1, at the bottom of the stack, with control[ROOT_BETA]."""
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
    """Begin or go on with the question in memory, see control[STATUS]; the nodes visited by this call."""
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
