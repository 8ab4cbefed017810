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
from bot.search.solver.move_list import make_next_move
from bot.search.solver.stack import OPEN

from ..rules.position import cell_above, winning_cells
from ..rules.zugzwang import LOSES, UNBOUNDED, follow_up_bound, loses_by_zugzwang
from .layout import BEST_MOVE, FREE_CELLS, LISTED_END, MOVE_WORDS, MOVES, MOVES_END
from .memory import frame_at, load_board, load_cells, reply_index

TABLE_MOVE_ORDER = 1 << 40
THREAT_ORDER = 1 << 11
REPLY_LIMIT = 1 << 14  # what replies' numbers stay below
HEAVIEST_LESSON = 1 << 10
# A listed move is one word, order << COLUMN_BITS | column: of two with the same order the right one is tried first.
COLUMN_BITS = 4
COLUMN_MASK = (1 << COLUMN_BITS) - 1

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def list_moves(memory, depth, candidates, beta, table_move, win_in_3):
    """Write the candidate columns with their orders into the frame, and return OPEN; or a value of at least beta.

    The candidates leave the opponent no win in 1. So a stone with two winning cells next, one above the other or
    each at hand, wins in 3, which is worth win_in_3; and where no more than a draw or any win is asked for, following
    up may be enough from here on.
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
    """An upper bound of a position's value for its side to move, found quickly; or more than any loss or draw."""
    bound = UNBOUNDED
    if count_bits(free) & 1 == 0:
        bound = follow_up_bound(own, opponent, free, floor, free, threats, False)
    if bound != LOSES and loses_by_zugzwang(own, opponent, free, floor, free, threats, False):
        return LOSES
    return bound


@kernel
def column_at(frame, place):
    """The column of the move listed at that place of a frame."""
    return frame[place] & COLUMN_MASK


@kernel
def learn(memory, depth):
    """Count the move under way as one that refutes, those tried before it as ones that do not."""
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
