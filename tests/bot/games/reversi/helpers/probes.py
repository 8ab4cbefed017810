"""Small kernels that run reversi's compiled rules and leaf values, and its alpha-beta without a cache.

Lanes have no Python box: positions go in as uint16[48] (rules.load_root) and come out so. The module itself is what
an AlphaBetaEngine takes as its kernels.
"""

import numpy as np
from numba import njit

from bot.games.reversi import alphabeta as alphabeta_game
from bot.games.reversi import rules
from bot.search.alphabeta import make_alphabeta, memory_at
from bot.search.alphabeta_engine import MOST_MOVES
from tests.bot.helpers.probe import probe

_search = make_alphabeta(alphabeta_game)


def as_words(plain):
    """A plain Position in the form that kernels load."""
    return np.frombuffer(plain.to_bytes(), np.uint16).copy()


@probe
def alphabeta(address):
    _search(memory_at(address))
    return 0


@probe
def list_moves(words, moves):
    """Write the legal cells' numbers to moves, int16[MOST_MOVES]; how many."""
    state = rules.load_root(words, 0)
    return rules.list_cells(rules.legal_cells(state[0], state[1], state[2]), moves, 0)


@probe
def play(words, move, played):
    """Write the position after a legal move to uint16[48] `played`."""
    rules.store(rules.play(rules.load_root(words, 0), move), played, 0)


@probe
def evaluate(words, kind):
    own, other, board = rules.load_root(words, 0)
    return alphabeta_game.evaluate(own, other, board, kind)


@njit
def leaves_below(state, depth, moves, has_passed):
    if depth == 0:
        return 1
    own, opponent, board = state
    count = rules.list_cells(rules.legal_cells(own, opponent, board), moves, depth * MOST_MOVES)
    if count == 0:
        return 1 if has_passed else leaves_below((opponent, own, board), depth - 1, moves, True)
    found = 0
    for place in range(depth * MOST_MOVES, depth * MOST_MOVES + count):
        found += leaves_below(rules.play(state, np.int64(moves[place])), depth - 1, moves, False)
    return found


@njit  # not kept: numba crashes on kept code that recurses
def count_leaves(words, depth, moves):
    return leaves_below(rules.load_root(words, 0), depth, moves, False)


def perft(words, depth):
    """Lines of so many plies, passes among them; a second pass ends its line early."""
    return count_leaves(words, depth, np.zeros((depth + 1) * MOST_MOVES, np.int16))
