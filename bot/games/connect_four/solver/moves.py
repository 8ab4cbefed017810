"""The solver's order of moves: listed with a position, taken one by one, and learnt from.

First the move that the table remembers; then by the winning cells that a stone makes and by how often it has
refuted the stone it answers, those tried in vain before a refutation losing what it gains. That a reply is judged by
what it replies to counts most here: it halved the nodes of a plain history of moves, and the stone played before
the last one added nothing (docs/experiments.md).
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import blend, count_bits, lane_mask, nonzero_lanes, without
from bot.kernels.machine import lowest_bit

from ..rules.parity import UNBOUNDED, follow_up_bound
from ..rules.position import cell_above, winning_cells
from . import layout
from .layout import BEST_MOVE, CHOICE_COUNT, CHOICES, CHOICES_LISTED, FREE_CELLS, OPEN
from .memory import load_board, load_cells, reply_index

TABLE_MOVE_ORDER = 1 << 40
THREAT_ORDER = 1 << 11
REPLY_LIMIT = 1 << 14  # what replies' numbers stay below
HEAVIEST_LESSON = 1 << 10


@kernel
def list_choices(memory, depth, candidates, free_cells, beta, table_move):
    """Write the candidate columns with their orders into the frame, and return OPEN; or a value of at least beta.

    The candidates leave the opponent no win in 1. So a stone with two winning cells next, one above the other or
    each at hand, wins in 3; and where the opponent is left with an even number of cells, following up may be enough.
    """
    own, opponent, floor, above = load_board(memory, depth)
    forbidden, board = load_cells(memory)
    higher = cell_above(above, forbidden, board)
    free = without(board, own | opponent | forbidden)
    frame = depth * layout.FRAME_WORDS
    count = 0
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
            memory.frames[frame + BEST_MOVE] = column
            return free_cells - 2
        if free_cells & 1 and beta <= 1:
            rest = without(free, stone)
            bound = follow_up_bound(opponent, own | stone, rest, next_floor, rest)
            if bound < UNBOUNDED and -bound >= beta:
                memory.frames[frame + BEST_MOVE] = column
                return -bound
        order = count_bits(threats) * THREAT_ORDER + memory.replies[reply_index(memory, depth, column)]
        if column == table_move:
            order += TABLE_MOVE_ORDER
        memory.frames[frame + CHOICES + count] = order << 4 | column
        count += 1
    memory.frames[frame + CHOICE_COUNT] = memory.frames[frame + CHOICES_LISTED] = count
    return OPEN


@kernel
def next_choice(memory, depth):
    """The best move that is left in the frame, put behind those still left; -1 where none is."""
    frame = depth * layout.FRAME_WORDS
    count = memory.frames[frame + CHOICE_COUNT]
    if count == 0:
        return -1
    best = frame + CHOICES
    last = best + count - 1
    for slot in range(best + 1, last + 1):
        if memory.frames[slot] > memory.frames[best]:
            best = slot
    choice = memory.frames[best]
    memory.frames[best] = memory.frames[last]
    memory.frames[last] = choice
    memory.frames[frame + CHOICE_COUNT] = count - 1
    return choice & 15


@kernel
def learn(memory, depth):
    """Count the move under way as one that refutes, those tried before it as ones that do not."""
    frame = depth * layout.FRAME_WORDS
    left, listed = memory.frames[frame + CHOICE_COUNT], memory.frames[frame + CHOICES_LISTED]
    free_cells = memory.frames[frame + FREE_CELLS]
    if listed < 2:
        return
    weight = min(free_cells * free_cells, HEAVIEST_LESSON)
    for slot in range(left, listed):
        column = memory.frames[frame + CHOICES + slot] & 15
        step = weight if slot == left else -weight
        index = reply_index(memory, depth, column)
        before = memory.replies[index]
        memory.replies[index] = before + step - before * weight // REPLY_LIMIT
