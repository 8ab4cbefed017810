"""What the network sees of positions, told by the kernels that the search uses."""

from typing import NamedTuple

import numpy as np
from numba import njit

from bot.games.connect_four.board import CELLS_BYTES, MAX_COLUMNS, MAX_ROWS
from bot.games.connect_four.network import bucket_of, code_at, codes_in, describe_board, free_in, row_of
from bot.games.connect_four.network_weights import CHANNELS, PLANES, SIDES
from bot.games.connect_four.rules import load_root
from connect_four_training.positions import board_of

POSITION_HALVES = 5 * CELLS_BYTES // 2


class Features(NamedTuple):
    """Of n positions."""

    rows: (
        np.ndarray
    )  # uint16[n, MAX_COLUMNS, MAX_ROWS, SIDES]: rows of gates and steps of a column's cells, the floor first
    free: np.ndarray  # uint8[n, MAX_COLUMNS]: free cells


@njit(error_model="numpy", nogil=True)
def _describe(halves, rows, free):
    """Fill rows and free for positions as uint16[n, 80]."""
    planes = np.zeros(PLANES, np.uint16)
    for index in range(len(halves)):
        parity = describe_board(planes, load_root(halves[index], 0)) & 1
        for column in range(MAX_COLUMNS):
            in_column = free_in(planes, column)
            free[index, column] = in_column
            if in_column:
                for side in range(SIDES):
                    codes = codes_in(planes, side, column)
                    for height in range(in_column):
                        bucket = bucket_of(height, in_column, parity)
                        rows[index, column, height, side] = row_of(side, bucket, code_at(codes, height)) // CHANNELS


def features_of(positions: np.ndarray) -> Features:
    """The Features of POSITION[n]."""
    words = b"".join(board_of(row).to_bytes() for row in positions)
    halves = np.frombuffer(words, np.uint16).reshape(len(positions), POSITION_HALVES).copy()
    rows = np.zeros((len(positions), MAX_COLUMNS, MAX_ROWS, SIDES), np.uint16)
    free = np.zeros((len(positions), MAX_COLUMNS), np.uint8)
    _describe(halves, rows, free)
    return Features(rows, free)
