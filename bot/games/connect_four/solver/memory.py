"""The solver's memory as its kernels see it: views, the board of a frame, and the hash of a position.

Layout: layout.py.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import everywhere, load_lanes, quarter, store_lanes, zero_lanes
from bot.kernels.machine import int32_array_at, int64_array_at, lowest_bit, uint16_array_at, uint64_array_at

from ..rules.position import HASH_MULTIPLIER
from . import layout
from .layout import LAST_CELL, TABLE_ENTRIES


class Memory(NamedTuple):
    """Views of a solver's memory."""

    control: object  # int64[64]
    position: object  # uint16[80], the position asked about
    frames: object  # int64[160 * 32], the stack
    boards: object  # uint16[160 * 64], the boards of the stack
    replies: object  # int32[256 * 256], by last stone's cell and the answer's: how much it refutes
    table: object  # uint64[table_entries]


@kernel
def memory_at(address):
    """The Memory at `address`, whose control[TABLE_ENTRIES] is already written."""
    control = int64_array_at(address, layout.CONTROL_FIELDS)
    return Memory(
        control,
        uint16_array_at(address + layout.POSITION_OFFSET, 80),
        int64_array_at(address + layout.FRAMES_OFFSET, layout.MAX_DEPTH * layout.FRAME_WORDS),
        uint16_array_at(address + layout.BOARDS_OFFSET, layout.MAX_DEPTH * layout.BOARD_HALVES),
        int32_array_at(address + layout.REPLIES_OFFSET, layout.CELL_NUMBERS * layout.CELL_NUMBERS),
        uint64_array_at(address + layout.TABLE_OFFSET, control[TABLE_ENTRIES]),
    )


@kernel
def hash_cells(cells):
    """uint64 of a set of cells; not yet spread evenly over its bits."""
    mixed = (quarter(cells, 0) ^ np.uint64(0x632BE59BD9B4E019)) * HASH_MULTIPLIER
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ quarter(cells, 1)) * HASH_MULTIPLIER
    return (mixed ^ (mixed >> np.uint64(29)) ^ quarter(cells, 2)) * HASH_MULTIPLIER


@kernel
def position_hash(own_left, opponent_left, floor):
    """uint64 of a position as far as it matters: the stones that can still be in a four, and the floor."""
    mixed = hash_cells(own_left | floor | (zero_lanes(floor) & everywhere(0x8000)))
    other = hash_cells(opponent_left)
    mixed = (mixed ^ (mixed >> np.uint64(32)) ^ (other << np.uint64(1)) ^ (other >> np.uint64(30))) * HASH_MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@kernel
def save_board(memory, depth, state):
    """Write a frame's board: of a state of rules/position.py what changes from move to move."""
    first = depth * layout.BOARD_HALVES
    store_lanes(memory.boards, first, state[0])
    store_lanes(memory.boards, first + 16, state[1])
    store_lanes(memory.boards, first + 32, state[2])
    store_lanes(memory.boards, first + 48, state[3])


@kernel
def load_board(memory, depth):
    """(own, opponent, floor, above) of a frame."""
    first = depth * layout.BOARD_HALVES
    return (
        load_lanes(memory.boards, first),
        load_lanes(memory.boards, first + 16),
        load_lanes(memory.boards, first + 32),
        load_lanes(memory.boards, first + 48),
    )


@kernel
def load_cells(memory):
    """(forbidden, board), the same for the whole game."""
    return load_lanes(memory.position, 48), load_lanes(memory.position, 64)


@kernel
def cell_of_drop(memory, depth, column):
    """Number of the cell that a stone dropped in the column falls to."""
    return 16 * column + lowest_bit(np.uint64(memory.boards[depth * layout.BOARD_HALVES + 32 + column]))


@kernel
def reply_index(memory, depth, column):
    """Index into replies of the mover's stone in that column, as an answer to the last stone."""
    last = memory.frames[depth * layout.FRAME_WORDS + LAST_CELL]
    return last * layout.CELL_NUMBERS + cell_of_drop(memory, depth, column)
