"""The exact solver: is a position worth at least so much for the side to move?

Values are counted in cells: 1 + k for a win that leaves k cells free, 0 for a draw, -(1 + k) for a loss that does.
So a value is the same at every depth, sooner wins are larger, and a win, draw or loss is asked for with the
bounds 1 and 0. One question is a search with a null window: negamax with a table of bounds
(search/solver/bounds_table.py), moves in the order of moves.py. A position is settled without search where the cells
left allow no better (rules/parity.py, rules/lines.py), and two positions are one where they differ only in stones that
no line of four can use any more. Sources: Allis 1988; forced replies, the order by winning cells made and the distance
as a value are common to the solvers of this game, see Pons 2016.

The search keeps its stack in memory (layout.py), one frame a ply, so that it stops at any node and goes on
later.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import count_bits, nonzero_lanes, without
from bot.kernels.machine import lowest_bit, monotonic_ns, prefetch
from bot.search.solver.bounds_table import (
    NO_BOUND,
    bucket_of,
    lower_bound,
    probe,
    store,
    stored_move,
    upper_bound,
    work_class,
)

from ..rules.lines import open_lines, reachable_cells
from ..rules.parity import LOSES, UNBOUNDED, follow_up_bound
from ..rules.position import load_root, play, winning_cells
from . import layout
from .layout import (
    ANSWER,
    BEST,
    BEST_MOVE,
    BETA,
    BUDGET_NS,
    CHOICE_COUNT,
    CHOICES,
    CHOICES_LISTED,
    DEPTH,
    ENTERING,
    FREE_CELLS,
    HASH,
    LAST_CELL,
    LOWER,
    MAX_NODES,
    MOVE,
    NO_CELL,
    NO_ROOT_BOUND,
    NODES,
    NODES_BEFORE,
    OPEN,
    ROOT_BETA,
    ROOT_BOUNDS,
    ROOT_HINT,
    ROOT_MOVE,
    SETTLED,
    STATUS,
    UNFINISHED,
    UPPER,
)
from .memory import cell_of_drop, load_board, load_cells, position_hash, save_board
from .moves import learn, list_choices, next_choice

NODES_A_CLOCK_CHECK = 1024  # a quarter of a millisecond


@kernel
def open_position(memory, depth):
    """The value of the frame's position as a bound on one side of beta where that needs no search; else OPEN.

    The mover has no win in 1. With OPEN the frame lists the moves to try. A single move is tried without a look into
    the table, where it would only take room.
    """
    frames, frame = memory.frames, depth * layout.FRAME_WORDS
    beta, free_cells = frames[frame + BETA], frames[frame + FREE_CELLS]
    own, opponent, floor, above = load_board(memory, depth)
    threats = winning_cells(opponent)
    blocks = nonzero_lanes(threats & floor)
    candidates = (blocks if blocks != 0 else nonzero_lanes(floor)) & ~nonzero_lanes(threats & above)
    lowest = 1 - free_cells  # a loss in 2
    highest = free_cells - 2 if free_cells > 2 else 0  # a win in 3
    if blocks & (blocks - 1) or candidates == 0:
        return min(lowest, 0)
    if highest < beta:
        return highest
    if lowest >= beta:
        return lowest
    frames[frame + BEST], frames[frame + BEST_MOVE] = lowest, -1
    frames[frame + HASH] = 0
    if candidates & (candidates - 1) == 0:
        frames[frame + CHOICES] = lowest_bit(np.uint64(candidates))
        frames[frame + CHOICE_COUNT] = frames[frame + CHOICES_LISTED] = 1
        return OPEN
    forbidden, board = load_cells(memory)
    free = without(board, own | opponent | forbidden)
    reachable = reachable_cells(free, winning_cells(own), threats)
    own_lines, opponent_lines = open_lines(own | reachable), open_lines(opponent | reachable)
    key = position_hash(own & own_lines, opponent & opponent_lines, floor)
    prefetch(memory.table, bucket_of(memory.table, key))
    if free_cells & 1 == 0:
        bound = follow_up_bound(own, opponent, free, floor, reachable)
        if bound < UNBOUNDED:
            highest = -1 if bound == LOSES else 0
    if nonzero_lanes(own_lines) == 0:
        highest = min(highest, 0)
    if nonzero_lanes(opponent_lines) == 0:
        lowest = max(lowest, 0)
        if lowest >= beta:
            return lowest
    entry = probe(memory.table, key)
    lower, upper = max(lower_bound(entry), lowest), min(upper_bound(entry), highest)
    move = stored_move(entry)
    if depth == 0 and memory.control[ROOT_HINT] >= 0:
        move = memory.control[ROOT_HINT]
    if lower >= beta and depth > 0:  # the root needs a move that reaches it: the table's may be from another bound
        return lower
    if upper < beta:
        return upper
    frames[frame + HASH] = np.int64(key)
    frames[frame + LOWER], frames[frame + UPPER] = lower, upper
    frames[frame + NODES_BEFORE] = memory.control[NODES]
    return list_choices(memory, depth, candidates, free_cells, beta, move)


@kernel
def descend(memory, depth, column):
    """Set up the frame below: the position after the move, with the question turned round."""
    frames, frame = memory.frames, depth * layout.FRAME_WORDS
    save_board(memory, depth + 1, play((*load_board(memory, depth), *load_cells(memory)), column))
    frames[frame + MOVE] = column
    below = frame + layout.FRAME_WORDS
    frames[below + LAST_CELL] = cell_of_drop(memory, depth, column)
    frames[below + BETA] = 1 - frames[frame + BETA]
    frames[below + FREE_CELLS] = frames[frame + FREE_CELLS] - 1


@kernel
def remember(memory, depth, lower, upper):
    """Enter the frame's result into the table."""
    frame = depth * layout.FRAME_WORDS
    frames = memory.frames
    if frames[frame + HASH] == 0:
        return  # a single move: nothing to look up
    store(
        memory.table,
        np.uint64(frames[frame + HASH]),
        max(lower, frames[frame + LOWER]),
        min(upper, frames[frame + UPPER]),
        frames[frame + BEST_MOVE],
        work_class(memory.control[NODES] - frames[frame + NODES_BEFORE]),
    )


@kernel
def take_reply(memory, depth, value):
    """Use the value of the move under way, for the frame's mover; whether it settles the frame."""
    frame = depth * layout.FRAME_WORDS
    frames = memory.frames
    if value > frames[frame + BEST]:
        frames[frame + BEST] = value
        frames[frame + BEST_MOVE] = frames[frame + MOVE]
    if value < frames[frame + BETA]:
        if depth == 0:
            memory.control[ROOT_BOUNDS + frames[frame + MOVE]] = value
        return False
    learn(memory, depth)
    return True


@kernel
def run(memory):
    """Search on from where the stack stands until it is done or control's limits are reached; whether it is done."""
    control, frames = memory.control, memory.frames
    deadline = monotonic_ns() + control[BUDGET_NS]
    node_limit = control[NODES] + control[MAX_NODES]
    depth, entering = control[DEPTH], control[ENTERING] != 0
    value = OPEN
    while True:
        if entering:
            if control[NODES] >= node_limit or (
                control[NODES] % NODES_A_CLOCK_CHECK == 0 and monotonic_ns() >= deadline
            ):
                control[DEPTH], control[ENTERING] = depth, 1
                return False
            control[NODES] += 1
            value = open_position(memory, depth)
        if value == OPEN:
            column = next_choice(memory, depth)
            entering = column >= 0
            if entering:
                descend(memory, depth, column)
                depth += 1
                continue
            value = frames[depth * layout.FRAME_WORDS + BEST]
            remember(memory, depth, 1 - NO_BOUND, value)
        entering = False
        while depth > 0:
            depth -= 1
            value = -value
            if not take_reply(memory, depth, value):
                value = OPEN
                break
            remember(memory, depth, value, NO_BOUND - 1)
        if value != OPEN:
            control[ANSWER] = value
            control[ROOT_MOVE] = frames[BEST_MOVE]
            return True


@kernel
def begin(memory):
    """Put the position in memory, whose mover has no win in 1, at the bottom of the stack, with control[ROOT_BETA]."""
    state = load_root(memory.position, 0)
    own, opponent, _, _, forbidden, board = state
    save_board(memory, 0, state)
    memory.frames[BETA] = memory.control[ROOT_BETA]
    memory.frames[FREE_CELLS] = count_bits(without(board, own | opponent | forbidden))
    memory.frames[BEST_MOVE] = -1
    memory.frames[LAST_CELL] = NO_CELL
    for column in range(16):
        memory.control[ROOT_BOUNDS + column] = NO_ROOT_BOUND
    memory.control[DEPTH] = 0
    memory.control[ENTERING] = 1


@kernel
def solve_in(memory):
    """Begin or go on with the question in memory, see control[STATUS]; the nodes visited by this call."""
    control = memory.control
    if control[STATUS] != UNFINISHED:
        begin(memory)
    before = control[NODES]
    control[STATUS] = SETTLED if run(memory) else UNFINISHED
    return control[NODES] - before
