"""Tests whether the kernels and the data files of this game can be used. Running a kernel first compiles it if needed.

Standard library only, Python 3.8 syntax.
"""

import ctypes

from bot.kernels.memory_block import MemoryBlock, calibrate
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB

from . import memory as layout
from .alphabeta_engine import AlphaBetaEngine
from .config import DEFAULT, PRESETS
from .plain import start_position
from .pvs_engine import ReversiEngine
from .weights import WEIGHTS_A_POSITION, WeightsError, small_weights, stored_weights

_PERFT_DEPTH = 3
_EVERY_SQUARE = 0xFFFFFFFFFFFFFFFF
# The discs of the start position, with bit 8 * row + column for each.
_FIRST_MOVERS, _SECOND_MOVERS = 0x0000000810000000, 0x0000001008000000


def self_test(kernels):
    """Run every entry point of `kernels`, a module or an object, for a moment. Returns a checksum of the results.

    The checksum is the same for all correct engines.
    """
    # The test has its own weights, so that learning new ones does not change the checksum.
    engine = ReversiEngine(kernels, DEFAULT, PROCESS_MB + SMALLEST_SEARCH_MB, 1, weights=small_weights())
    strong = engine.think(start_position(8), iterations=2000)
    small = engine.think(start_position(4), iterations=2000)
    searched = AlphaBetaEngine(kernels, PRESETS["alphabeta-combined"]).think(start_position(9), iterations=300)
    memory = MemoryBlock(layout.TABLE_OFFSET + layout.LEAST_TABLE_BYTES)
    words = memory.view.cast("Q")
    root = layout.FRAMES_OFFSET // 8
    words[layout.BOARD] = _EVERY_SQUARE
    words[root + layout.OWN], words[root + layout.OPPONENT] = _FIRST_MOVERS, _SECOND_MOVERS
    games = kernels.perft(memory.address, _PERFT_DEPTH)
    position, weights = (ctypes.c_uint64 * 2)(_FIRST_MOVERS, _SECOND_MOVERS), (ctypes.c_int32 * WEIGHTS_A_POSITION)()
    kernels.list_unique(memory.address, ctypes.addressof(position), ctypes.addressof(weights), 1)
    found = 0
    for number in (
        strong.move,
        round(strong.value * 1e6),
        strong.nodes,
        small.move,
        round(small.value * 1e6),
        searched.move,
        round(searched.value * 1e6),
        searched.nodes,
        games,
        sum(weights),
        calibrate(kernels, 500),
    ):
        found = (found * 1000003 + number) & 0xFFFFFFFF
    return found


def fault_in_data():
    """Returns a short text that says why the data files of this game cannot be used, or "" if they can be used."""
    try:
        stored_weights()
    except WeightsError as error:
        return f"{error}; git restores the file, scripts/train_reversi learns it anew"
    return ""
