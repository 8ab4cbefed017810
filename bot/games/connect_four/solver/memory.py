"""The solver's memory as its kernels see it: views, the board of a frame, and the hash of a position.

Layout: layout.py.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import LANE_COUNT, everywhere, load_lanes, quarter, store_lanes, zero_lanes
from bot.kernels.machine import int32_array_at, int64_array_at, lowest_bit, numbers_at, uint16_array_at

from ..rules.position import BOARD_AT, FORBIDDEN_AT, HASH_MULTIPLIER
from . import layout
from .layout import LAST_CELL


class Memory(NamedTuple):
    """Views of a solver's memory."""

    control: object  # int64[64]
    position: object  # uint16[80], the position asked about
    frames: object  # address of the stack's frames, see frame_at
    boards: object  # uint16[160 * 64], the boards of the stack
    replies: object  # int32[256 * 256], by last stone's cell and the answer's: how much it refutes
    table: object  # address of the table of bounds


@kernel
def memory_at(address):
    """The Memory at `address`, whose control[TABLE_ENTRIES] is already written."""
    return Memory(
        int64_array_at(address, layout.CONTROL_FIELDS),
        uint16_array_at(address + layout.POSITION_OFFSET, 80),
        address + layout.FRAMES_OFFSET,
        uint16_array_at(address + layout.BOARDS_OFFSET, layout.MAX_DEPTH * layout.BOARD_HALVES),
        int32_array_at(address + layout.REPLIES_OFFSET, layout.CELL_NUMBERS * layout.CELL_NUMBERS),
        address + layout.TABLE_OFFSET,
    )


@kernel
def frame_at(memory, depth):
    """The fields of a frame: pointer to int64."""
    return numbers_at(memory.frames, 8 * layout.FRAME_WORDS * depth)


@kernel
def hash_cells(cells):
    """uint64 of a set of cells; not yet spread evenly over its bits."""
    mixed = (quarter(cells, 0) ^ np.uint64(0x632BE59BD9B4E019)) * HASH_MULTIPLIER
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ quarter(cells, 1)) * HASH_MULTIPLIER
    return (mixed ^ (mixed >> np.uint64(29)) ^ quarter(cells, 2)) * HASH_MULTIPLIER


@kernel
def position_hash(own_left, opponent_left, floor, passes):
    """uint64 of a position as far as it matters: the stones that can still be in a four, and the floor.

    Where columns are idle the floor comes without them; passes: whether an odd number of their cells is free, else 0.
    """
    mixed = hash_cells(own_left | floor | (zero_lanes(floor) & everywhere(0x8000)))
    other = hash_cells(opponent_left)
    other ^= np.uint64(passes)
    mixed = (mixed ^ (mixed >> np.uint64(32)) ^ (other << np.uint64(1)) ^ (other >> np.uint64(30))) * HASH_MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@kernel
def save_board(memory, depth, state):
    """Write a frame's board: of a state of rules/position.py what changes from move to move."""
    first = depth * layout.BOARD_HALVES
    own, opponent, floor, above, _, _ = state
    store_lanes(memory.boards, first + layout.OWN_AT, own)
    store_lanes(memory.boards, first + layout.OPPONENT_AT, opponent)
    store_lanes(memory.boards, first + layout.FLOOR_AT, floor)
    store_lanes(memory.boards, first + layout.ABOVE_AT, above)


@kernel
def load_board(memory, depth):
    """(own, opponent, floor, above) of a frame."""
    first = depth * layout.BOARD_HALVES
    return (
        load_lanes(memory.boards, first + layout.OWN_AT),
        load_lanes(memory.boards, first + layout.OPPONENT_AT),
        load_lanes(memory.boards, first + layout.FLOOR_AT),
        load_lanes(memory.boards, first + layout.ABOVE_AT),
    )


@kernel
def load_cells(memory):
    """(forbidden, board), the same for the whole game."""
    return load_lanes(memory.position, FORBIDDEN_AT), load_lanes(memory.position, BOARD_AT)


@kernel
def cell_of_drop(memory, depth, column):
    """Number of the cell that a stone dropped in the column falls to."""
    floor = memory.boards[depth * layout.BOARD_HALVES + layout.FLOOR_AT + column]
    return LANE_COUNT * column + lowest_bit(np.uint64(floor))


@kernel
def reply_index(memory, depth, column):
    """Index into replies of the mover's stone in that column, as an answer to the last stone."""
    return frame_at(memory, depth)[LAST_CELL] * layout.CELL_NUMBERS + cell_of_drop(memory, depth, column)
