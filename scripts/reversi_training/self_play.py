"""Games of the engine against itself from random openings, every position with the end that it came to.

From the last SOLVED_FROM free squares on both sides play without error, so the game is not played there but
counted. Positions before the last random move are left out: their game was another one.
"""

import random
import time

from bot.backends.compiled import Kernels
from bot.games.reversi import adapter
from bot.games.reversi.board import PASS
from bot.games.reversi.plain import start_position
from reversi_training import positions

MEMORY_MB = 230
LEAST_RANDOM, MOST_RANDOM = 8, 28
SOLVED_FROM = 13
# One move in so many is random later too, so that positions known to be bad are seen as well.
MOVES_A_SLIP = 50


def play_games(path, seconds, nodes, seed):
    """Play for so many seconds, with so many nodes a move, and append the positions to the file; how many games."""
    generator = random.Random(seed)
    kernels = Kernels(adapter.GAME).obtain()
    engine = adapter.make_engine(kernels, adapter.preset("default"), MEMORY_MB, seed)
    end, games = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        positions.append(path, _game(engine, generator, nodes))
        games += 1
    return games


def _game(engine, generator, nodes):
    """[(own, opponent, score)] of one game."""
    random_plies = generator.randint(LEAST_RANDOM, MOST_RANDOM)
    position, course, side, ply = start_position(8), [], 1, 0
    while position.free_cells() > SOLVED_FROM and not position.is_over():
        moves = position.legal_moves()
        if moves == [PASS]:
            move = PASS
        elif ply < random_plies or generator.randrange(MOVES_A_SLIP) == 0:
            move, course = generator.choice(moves), []
        else:
            course.append((position, side))
            move = engine.think(position, iterations=nodes).move
        ply += move != PASS
        position, side = position.play(move), -side
    score = _score(engine, position) * side
    return [
        (positions.squares(before.own), positions.squares(before.opponent), score * mover) for before, mover in course
    ]


def _score(engine, position):
    """Discs that the side to move will be ahead by, without an error from here on."""
    if position.is_over():
        return position.disc_difference()
    if position.must_pass():
        return -_score(engine, position.play(PASS))
    return engine.solve(position, exact=True).score
