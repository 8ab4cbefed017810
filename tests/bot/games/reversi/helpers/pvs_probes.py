"""The 8x8 search's compiled pieces for tests: its entry points without a cache, and kernels that call its parts.

The module itself is what a ReversiEngine takes as its kernels.
"""

import sys

import numpy as np

from bot.games.reversi import perft as counting
from bot.games.reversi.endgame import last_squares as endgame_last
from bot.games.reversi.endgame import search as endgame
from bot.games.reversi.evaluation import patterns, weights
from bot.games.reversi.memory import position_table
from bot.games.reversi.memory.layout import FEATURES_OFFSET
from bot.games.reversi.plain import Position
from bot.games.reversi.pvs import leaf
from bot.games.reversi.pvs.search import search_in
from bot.games.reversi.pvs.search_memory import SearchMemory
from bot.games.reversi.rules import bitboard, stability
from bot.games.reversi.weights.pattern_set import unpack_weights
from bot.kernels.machine import int16s_at, numbers_at, words_at
from tests.bot.helpers.probe import probe

EVERY_SQUARE = (1 << 64) - 1


@probe
def pvs(address):
    return search_in(address)


@probe
def prepare_weights(address):
    weights.prepare(address)
    return 0


@probe
def pattern_indices(address, positions, results, count):
    weights.list_unique(address, positions, results, count)
    return 0


@probe
def weigh(address, positions, results, count):
    """Write for each of `count` positions what the weights say of it, in 1/WEIGHTS_PER_DISC: int64[count]."""
    boards, worths = words_at(positions, 0), numbers_at(results, 0)
    for index in range(count):
        own, opponent = boards[2 * index], boards[2 * index + 1]
        patterns.set_features(address + FEATURES_OFFSET, own, opponent)
        worths[index] = patterns.weigh(address, address + FEATURES_OFFSET, own, opponent)
    return 0


@probe
def perft(address, depth):
    return counting.count_games(address, depth)


@probe
def legal_moves(own, opponent, empty):
    return bitboard.legal_moves(own, opponent, empty)


@probe
def flips(own, opponent, square):
    return bitboard.flips(own, opponent, square)


@probe
def neighbours(squares):
    return bitboard.neighbours(squares)


@probe
def count_last_flips(own, square):
    return endgame_last.count_last_flips(own, square)


@probe
def stable_discs(own, empty):
    return stability.stable_discs(own, empty)


@probe
def solve_small(address, own, opponent, alpha, empty, empty_squares):
    return endgame.solve_small(address, own, opponent, alpha, empty, empty_squares)


@probe
def solve_window(address, own, opponent, alpha, beta, empty, empty_squares):
    return endgame.solve_window(address, own, opponent, alpha, beta, empty, empty_squares)


@probe
def search_leaf(address, own, opponent, alpha, beta, plies):
    """bot/games/reversi/pvs/leaf.py's search of 0 .. 3 plies."""
    features = address + FEATURES_OFFSET
    patterns.set_features(features, own, opponent)
    if plies == 3:
        return leaf.search_3(address, features, own, opponent, alpha, beta)
    if plies == 2:
        return leaf.search_2(address, features, own, opponent, alpha, beta)
    if plies == 1:
        return leaf.search_1(address, features, own, opponent, alpha, beta)
    return leaf.search_0(address, features, own, opponent, alpha, beta)


@probe
def follow_game(address, own, opponent, squares, count):
    """Play the squares, 64 passes, keeping features up to date; whether they are those of the position reached."""
    features, fresh = address + FEATURES_OFFSET, address + FEATURES_OFFSET + 128
    patterns.set_features(features, own, opponent)
    for place in range(count):
        square = squares[place]
        if square == 64:
            patterns.follow_pass(features, features)
            own, opponent = opponent, own
            continue
        turned = bitboard.flips(own, opponent, square)
        patterns.follow_move(features, features, square, turned)
        own, opponent = opponent ^ turned, own ^ turned ^ bitboard.bit(square)
    patterns.set_features(fresh, own, opponent)
    kept, right = int16s_at(features, 0), int16s_at(fresh, 0)
    for lane in range(patterns.LANES):  # noqa: SIM110 a kernel
        if kept[lane] != right[lane]:
            return False
    return True


@probe
def key_of(own, opponent):
    return position_table.key_of(own, opponent)


class Memory(SearchMemory):
    """A small search memory whose address is known."""

    def __init__(self, megabytes=8, weights=None, size=8):
        super().__init__(sys.modules[__name__], megabytes, weights and unpack_weights(weights))
        self.set_size(size)
        self.new_date()

    @property
    def address(self):
        return self._address


def words(*boards):
    """Python integers as the kernels' uint64."""
    return [np.uint64(board) for board in boards]


def as_position(own, opponent):
    """The plain Position of an 8x8 board given with 8 bits a row."""
    return Position(8, *[sum((side >> 8 * row & 0xFF) << 16 * row for row in range(8)) for side in (own, opponent)])
