"""Small kernels that run the compiled rules and leaf values of dots and boxes, and its alpha-beta without a cache.

The module itself is what an AlphaBetaEngine takes as its kernels.
"""

import numpy as np

from bot.games.dots import alphabeta as alphabeta_game
from bot.games.dots import rules
from bot.games.dots.turn_decoder import DEEPEST, HALVES, MOST_CODES, MOST_EDGES
from bot.kernels.machine import int16_array_at, uint16_array_at
from bot.search.alphabeta import make_alphabeta, memory_at
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
def turn_edges(address, code):
    state = rules.load_root(uint16_array_at(address, rules.STATE_HALVES), 0)
    return rules.turn_edges(state, code, int16_array_at(address + 2 * rules.STATE_HALVES, MOST_EDGES), 0)


@probe
def list_moves(words, codes):
    return alphabeta_game.list_moves(rules.load_root(words, 0), codes, codes, 0)


@probe
def list_turns(words, codes):
    return rules.list_turns(rules.load_root(words, 0), codes, 0)


@probe
def play(words, code, played):
    """Write the position after a turn to uint16[24] `played`."""
    rules.store(rules.play_turn(rules.load_root(words, 0), code), played, 0)


@probe
def draw_one(words, edge, played):
    """Write the position after one edge, seen by who is to move then, to uint16[24] `played`."""
    rules.store(rules.draw_one(rules.load_root(words, 0), edge), played, 0)


@probe
def by_edges_drawn(words):
    """(boxes with two, with three, with four edges)."""
    state = rules.load_root(words, 0)
    return (
        rules.with_two(state[0], state[1], state[5]),
        rules.with_three(state[0], state[1], state[5]),
        rules.complete(state[0], state[1], state[5]),
    )


@probe
def leaf_value(words, kind):
    return alphabeta_game.leaf_value(rules.load_root(words, 0), kind, 0)


@probe
def quiet_value(words):
    state = rules.load_root(words, 0)
    return alphabeta_game.quiet_value(state[0], state[1], state[3], state[4], state[5])


@probe
def count_turn_games(positions, codes, depth):
    return rules.count_turn_games(positions, codes, depth)


@probe
def count_edge_games(positions, codes, depth):
    return rules.count_edge_games(positions, codes, depth)


def perft(plain, depth, count):
    """What one of those two counters finds from a plain Position."""
    positions = np.zeros((DEEPEST + 1) * HALVES, np.uint16)
    positions[:HALVES] = as_words(plain)
    return count(positions, np.zeros(DEEPEST * MOST_CODES, np.int16), depth)
