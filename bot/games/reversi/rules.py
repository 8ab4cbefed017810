"""Rules of reversi as kernels for every size of board: where discs may be placed and what they turn.

A state is (own, opponent, board), three Lanes (board.py draws the bit order), seen by the side to move; board holds
every cell. A pass is no move here: whoever searches decides what a side without a move means.

Runs of discs are followed over the whole board at once in doubling steps (the parallel prefix of Kogge and Stone
1973): what is reached in one step, then by one, two and four more where every cell on the way is the opponent's.
That makes eight, as many discs as lie between two cells of the largest board.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.lanes import (
    LANE_COUNT,
    down,
    lane_mask,
    load_lanes,
    overlap,
    quarter,
    same_in_all_lanes,
    sideways,
    store_lanes,
    up,
    without,
)
from bot.kernels.machine import lowest_bit

from .board import ROW_BITS

_CELLS_A_QUARTER = 64
# Places of the lanes in a position as it is written.
OWN_AT, OPPONENT_AT, BOARD_AT = range(0, 3 * LANE_COUNT, LANE_COUNT)


@kernel
def load_root(positions, offset):
    """State from uint16[48] at positions[offset:]: own, opponent, board, 16 lanes each."""
    return (
        load_lanes(positions, offset + OWN_AT),
        load_lanes(positions, offset + OPPONENT_AT),
        load_lanes(positions, offset + BOARD_AT),
    )


@kernel
def store(state, positions, offset):
    """Write a state as load_root reads it: uint16[48] at positions[offset:]."""
    own, opponent, board = state
    store_lanes(positions, offset + OWN_AT, own)
    store_lanes(positions, offset + OPPONENT_AT, opponent)
    store_lanes(positions, offset + BOARD_AT, board)


def _define_shift(rows, columns):
    """The kernel that moves a set of cells by so many rows down and columns to the right, over the board's edge too."""
    right, left = max(columns, 0), max(-columns, 0)

    @kernel
    def shift(cells):
        return sideways(down(up(cells, right), left), rows)

    return shift


def _define_direction(rows, columns):
    """Two kernels for the direction in which one step leads so many rows down and columns to the right."""
    step, two_steps, four_steps = [_define_shift(count * rows, count * columns) for count in (1, 2, 4)]

    @kernel
    def run(start, through):
        """The cells of `through` that a walk from a cell of `start`, itself left out, passes before it leaves them."""
        reached = step(start) & through
        reached = reached | (step(reached) & through)
        pairs = through & step(through)
        reached = reached | (two_steps(reached) & pairs)
        return reached | (four_steps(reached) & pairs & two_steps(pairs))

    @kernel
    def landings(own, opponent):
        """Where walks from own discs over at least one of the opponent's end, on the board or off it."""
        return step(run(own, opponent))

    @kernel
    def turned(placed, own, opponent):
        """The opponent's discs between the cell `placed` and the next own disc, none where there is no such disc."""
        between = run(placed, opponent)
        return between if overlap(step(between), own) else without(between, between)

    return landings, turned


_east, _turned_east = _define_direction(0, 1)
_west, _turned_west = _define_direction(0, -1)
_south, _turned_south = _define_direction(1, 0)
_north, _turned_north = _define_direction(-1, 0)
_south_east, _turned_south_east = _define_direction(1, 1)
_south_west, _turned_south_west = _define_direction(1, -1)
_north_east, _turned_north_east = _define_direction(-1, 1)
_north_west, _turned_north_west = _define_direction(-1, -1)


@kernel
def legal_cells(own, opponent, board):
    """The cells on which the side that has the own discs turns some of the opponent's."""
    landings = (
        _east(own, opponent)
        | _west(own, opponent)
        | _south(own, opponent)
        | _north(own, opponent)
        | _south_east(own, opponent)
        | _south_west(own, opponent)
        | _north_east(own, opponent)
        | _north_west(own, opponent)
    )
    return without(landings & board, own | opponent)


@kernel
def flips(placed, own, opponent):
    """The opponent's discs that an own one on the cell `placed` turns."""
    return (
        _turned_east(placed, own, opponent)
        | _turned_west(placed, own, opponent)
        | _turned_south(placed, own, opponent)
        | _turned_north(placed, own, opponent)
        | _turned_south_east(placed, own, opponent)
        | _turned_south_west(placed, own, opponent)
        | _turned_north_east(placed, own, opponent)
        | _turned_north_west(placed, own, opponent)
    )


@kernel
def cell_of(move):
    """The set of that one cell, by its number."""
    return lane_mask(move // ROW_BITS) & same_in_all_lanes(1 << (move % ROW_BITS))


@kernel
def play(state, move):
    """The state after the side to move has placed a disc on a legal cell, given by its number."""
    own, opponent, board = state
    placed = cell_of(move)
    turned = flips(placed, own, opponent)
    return without(opponent, turned), own | turned | placed, board


@kernel
def write_cells(word, first, moves, offset):
    """Write first + the number of every bit of a uint64 to moves[offset:]; where the next one would go."""
    while word != 0:
        moves[offset] = first + lowest_bit(word)
        word &= word - np.uint64(1)
        offset += 1
    return offset


@kernel
def list_cells(cells, moves, offset):
    """Write the numbers of a set of cells, ascending, to moves[offset:]; returns how many."""
    end = write_cells(quarter(cells, 0), 0, moves, offset)
    end = write_cells(quarter(cells, 1), _CELLS_A_QUARTER, moves, end)
    return write_cells(quarter(cells, 2), 2 * _CELLS_A_QUARTER, moves, end) - offset
