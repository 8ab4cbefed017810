"""Which weights add up to a position's worth, told by the kernels that the search uses."""

import numpy as np

from bot.backends.compiled import Kernels
from bot.games.reversi import adapter
from bot.games.reversi import memory as pvs_layout
from bot.games.reversi.weights import WEIGHTS_A_POSITION


def unique_weights(positions):
    """int32[n, WEIGHTS_A_POSITION] for POSITION[n]."""
    kernels = Kernels(adapter.GAME).obtain()
    memory = np.zeros(pvs_layout.TABLE_OFFSET + pvs_layout.LEAST_TABLE_BYTES + 64, np.uint8)
    # The kernels' vectors want addresses that are multiples of 64.
    address = memory.ctypes.data + -memory.ctypes.data % 64
    boards = np.ascontiguousarray(np.stack([positions["own"], positions["opponent"]], axis=1), np.uint64)
    found = np.zeros((len(positions), WEIGHTS_A_POSITION), np.int32)
    kernels.list_unique(address, boards.ctypes.data, found.ctypes.data, len(positions))
    return found


def discs(positions):
    """Discs on the board of POSITION[n], int64[n]."""
    occupied = np.ascontiguousarray(positions["own"] | positions["opponent"])
    return np.unpackbits(occupied.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1).astype(np.int64)
