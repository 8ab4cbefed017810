"""Small kernels that run the bot's compiled rules and rollouts and write what they see into plain arrays.

Lanes have no Python box: positions go in as uint16[80] (position.load_root), lanes come out as uint64[4].
"""

import random

import numpy as np
from numba import njit

from bot.games.connect_four.board import CELLS_BYTES
from bot.games.connect_four.rules import assess, load_root, play, position_hash, winning_cells
from bot.games.connect_four.uct import rollout
from bot.games.connect_four.uct_engine import EVEN_BITS, FOLLOW_BITS, RANDOM_STATE, RANDOM_WORDS, REPLY_BITS
from bot.kernels.lanes import nonzero_lanes, quarter
from bot.search.uct.control import GAME_WORDS
from tests.bot.helpers.probe import probe

WORDS = CELLS_BYTES // 8
# The fields of one row of `walk`; the first six are sets of cells.
OWN, OPPONENT, FLOOR, ABOVE, OWN_WINNING, OPPONENT_WINNING = range(0, 6 * WORDS, WORDS)
HASH, FINISHED, SCORE, WORTH_PLAYING, RESERVED, ROW_WORDS = range(6 * WORDS, 6 * WORDS + 6)


def as_words(position):
    """A plain Position in the form that kernels load."""
    return np.frombuffer(position.to_bytes(), np.uint16).copy()


def as_cells(row, field):
    """A set of cells, as an integer, from a row that `walk` wrote."""
    return int.from_bytes(row[field : field + WORDS].tobytes(), "little")


@probe
def store(lanes, row, field):
    row[field] = quarter(lanes, 0)
    row[field + 1] = quarter(lanes, 1)
    row[field + 2] = quarter(lanes, 2)
    row[field + 3] = quarter(lanes, 3)


@probe
def is_finished(state):
    return nonzero_lanes(winning_cells(state[1]) & state[1]) != 0


@probe
def walk(words, moves, policy, rows):
    """Play the columns one by one; rows[i], uint64[ROW_WORDS], describes the position before move i."""
    state = load_root(words, 0)
    for ply in range(len(moves) + 1):
        row = rows[ply]
        store(state[0], row, OWN)
        store(state[1], row, OPPONENT)
        store(state[2], row, FLOOR)
        store(state[3], row, ABOVE)
        store(winning_cells(state[0]), row, OWN_WINNING)
        store(winning_cells(state[1]), row, OPPONENT_WINNING)
        score, worth_playing, reserved = assess(state, policy)
        row[HASH] = position_hash(state)
        row[FINISHED] = is_finished(state)
        row[SCORE] = np.uint64(score + 2048)
        row[WORTH_PLAYING] = worth_playing
        row[RESERVED] = reserved
        if ply < len(moves):
            state = play(state, moves[ply])


@njit
def leaves_below(state, depth):
    if depth == 0:
        return 1
    if is_finished(state):
        return 0
    legal = nonzero_lanes(state[2])
    count = 0
    for column in range(12):
        if (legal >> column) & 1:
            count += leaves_below(play(state, column), depth - 1)
    return count


@njit  # not kept: numba crashes on kept code that recurses
def perft(words, depth):
    """Legal move sequences of exactly so many plies."""
    return leaves_below(load_root(words, 0), depth)


def rollout_words(seed, follow=0, even=0, reply=0):
    """The game words of rollouts, uint64: their random state by the seed, and what columns are preferred by."""
    generator = random.Random(seed)
    words = np.zeros(GAME_WORDS, np.uint64)
    words[FOLLOW_BITS], words[EVEN_BITS], words[REPLY_BITS] = follow, even, reply
    for word in range(RANDOM_WORDS):
        words[RANDOM_STATE + word] = generator.getrandbits(63) | 1
    return words


@probe
def run_rollouts(position, played, policy, game_words, values, scores):
    """One rollout for every place of `values`; game_words as in bot/games/connect_four/uct_engine.py."""
    state = load_root(position, 0)
    for index in range(len(values)):
        values[index], scores[index] = rollout(state, played, policy, game_words)
