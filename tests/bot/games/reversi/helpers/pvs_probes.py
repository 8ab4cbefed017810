"""The 8x8 search's compiled pieces for tests: its entry points without a cache, and kernels that call its parts.

The module itself is what a ReversiEngine takes as its kernels.
"""

import sys

import numpy as np

from bot.games.reversi import bitboard, endgame, evaluation, position_table
from bot.games.reversi import pvs as search
from bot.games.reversi.memory import BOARD, FEATURES_OFFSET, FRAMES_OFFSET, SearchMemory
from bot.games.reversi.plain import Position
from bot.games.reversi.weights import unpack_weights
from bot.kernels.machine import int16s_at, numbers_at, words_at
from tests.bot.helpers.probe import probe

EVERY_SQUARE = (1 << 64) - 1


@probe
def pvs(address):
    return search.search_in(address)


@probe
def prepare_weights(address):
    evaluation.prepare(address)
    return 0


@probe
def pattern_indices(address, positions, results, count):
    evaluation.list_unique(address, positions, results, count)
    return 0


@probe
def weigh(address, positions, results, count):
    """Write for each of `count` positions what the weights say of it, in 1/WEIGHTS_PER_DISC: int64[count]."""
    boards, worths = words_at(positions, 0), numbers_at(results, 0)
    for index in range(count):
        own, opponent = boards[2 * index], boards[2 * index + 1]
        evaluation.set_features(address + FEATURES_OFFSET, own, opponent)
        worths[index] = evaluation.weigh(address, address + FEATURES_OFFSET, own, opponent)
    return 0


@probe
def perft(address, depth):
    return bitboard.count_games(words_at(address, FRAMES_OFFSET), words_at(address, 0)[BOARD], depth)


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
    return endgame.count_last_flips(own, square)


@probe
def stable_discs(own, empty):
    return bitboard.stable_discs(own, empty)


@probe
def solve_small(address, own, opponent, alpha, empty, empty_squares):
    return endgame.solve_small(address, own, opponent, alpha, empty, empty_squares)


@probe
def solve_window(address, own, opponent, alpha, beta, empty, empty_squares):
    return endgame.solve_window(address, own, opponent, alpha, beta, empty, empty_squares)


@probe
def search_leaf(address, own, opponent, alpha, beta, plies):
    """The search of 0 .. 3 plies."""
    features = address + FEATURES_OFFSET
    evaluation.set_features(features, own, opponent)
    if plies == 3:
        return search.search_3(address, features, own, opponent, alpha, beta)
    if plies == 2:
        return search.search_2(address, features, own, opponent, alpha, beta)
    if plies == 1:
        return search.search_1(address, features, own, opponent, alpha, beta)
    return search.search_0(address, features, own, opponent, alpha, beta)


@probe
def follow_game(address, own, opponent, squares, count):
    """Play the squares, 64 passes, keeping features up to date; whether they are those of the position reached."""
    features, fresh = address + FEATURES_OFFSET, address + FEATURES_OFFSET + 128
    evaluation.set_features(features, own, opponent)
    for place in range(count):
        square = squares[place]
        if square == 64:
            evaluation.follow_pass(features, features)
            own, opponent = opponent, own
            continue
        turned = bitboard.flips(own, opponent, square)
        evaluation.follow_move(features, features, square, turned)
        own, opponent = opponent ^ turned, own ^ turned ^ bitboard.bit(square)
    evaluation.set_features(fresh, own, opponent)
    kept, right = int16s_at(features, 0), int16s_at(fresh, 0)
    for lane in range(evaluation.LANES):  # noqa: SIM110 a kernel
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
