"""The rules of reversi as kernels for boards of every size: where a disc may be placed, and which discs it turns.

A state is (own, opponent, board), three Lanes seen by the side to move; board.py shows the bit order. `board` holds
every cell. There is no pass here: the search decides what happens if a side has no move.

Runs of discs are followed over the whole board at once in doubling steps (the parallel prefix of Kogge and Stone 1973):
first one step, then one, two and four steps more, as long as every cell on the way is the opponent's. These are eight
steps together, as many as there can be discs between two cells of the largest board.
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
# The places of the sets in a stored position, counted in uint16.
OWN_AT, OPPONENT_AT, BOARD_AT = range(0, 3 * LANE_COUNT, LANE_COUNT)


@kernel
def load_root(positions, offset):
    """Returns the state stored at positions[offset:] as uint16[48]: own, opponent, board, with 16 lanes each."""
    return (
        load_lanes(positions, offset + OWN_AT),
        load_lanes(positions, offset + OPPONENT_AT),
        load_lanes(positions, offset + BOARD_AT),
    )


@kernel
def store(state, positions, offset):
    """Write a state to positions[offset:] as uint16[48], in the form that load_root reads."""
    own, opponent, board = state
    store_lanes(positions, offset + OWN_AT, own)
    store_lanes(positions, offset + OPPONENT_AT, opponent)
    store_lanes(positions, offset + BOARD_AT, board)


def _define_shift(rows, columns):
    """Returns the kernel that moves a set of cells `rows` rows down and `columns` columns right.

    The result may contain cells off the board.
    """
    right, left = max(columns, 0), max(-columns, 0)

    @kernel
    def shift(cells):
        return sideways(down(up(cells, right), left), rows)

    return shift


def _define_direction(rows, columns):
    """Returns the kernels (landings, turned) for one direction.

    A step in that direction leads `rows` rows down and `columns` columns right.
    """
    step, two_steps, four_steps = [_define_shift(count * rows, count * columns) for count in (1, 2, 4)]

    @kernel
    def run(start, through):
        """Returns the cells of `through` that can be reached from the cells of `start` without leaving `through`.

        The cells of `start` themselves are not included.
        """
        reached = step(start) & through
        reached = reached | (step(reached) & through)
        pairs = through & step(through)
        reached = reached | (two_steps(reached) & pairs)
        return reached | (four_steps(reached) & pairs & two_steps(pairs))

    @kernel
    def landings(own, opponent):
        """Returns the cells at which a walk from an own disc over one or more of the opponent's discs ends.

        They may be off the board.
        """
        return step(run(own, opponent))

    @kernel
    def turned(placed, own, opponent):
        """Returns the opponent's discs between the cell `placed` and the next own disc, none if no own disc follows."""
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
    """Returns the cells on which a disc of the side with the discs `own` turns discs of the opponent."""
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
    """Returns the opponent's discs that an own disc on the cell `placed` turns."""
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
    """Returns the set that contains only the cell with the number `move`."""
    return lane_mask(move // ROW_BITS) & same_in_all_lanes(1 << (move % ROW_BITS))


@kernel
def play(state, move):
    """Returns the state after the side to move has placed a disc on the legal cell with the number `move`."""
    own, opponent, board = state
    placed = cell_of(move)
    turned = flips(placed, own, opponent)
    return without(opponent, turned), own | turned | placed, board


@kernel
def write_cells(word, first, moves, offset):
    """For every set bit of the uint64 `word`, write `first` + the bit's number to moves[offset:].

    Returns the offset after the last number.
    """
    while word != 0:
        moves[offset] = first + lowest_bit(word)
        word &= word - np.uint64(1)
        offset += 1
    return offset


@kernel
def list_cells(cells, moves, offset):
    """Write the numbers of the cells in a set to moves[offset:], in ascending order. Returns their number."""
    end = write_cells(quarter(cells, 0), 0, moves, offset)
    end = write_cells(quarter(cells, 1), _CELLS_A_QUARTER, moves, end)
    return write_cells(quarter(cells, 2), 2 * _CELLS_A_QUARTER, moves, end) - offset
