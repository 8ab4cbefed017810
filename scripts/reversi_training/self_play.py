"""Games of the engine against itself from random openings, every position with the end that it came to.

The end is that of the game: from the last dozen free squares on both sides play without error. Moves before
the last random one tell nothing of it and are left out.
"""

import random
import time

from bot.compiled import Kernels
from bot.games.reversi import seat
from bot.games.reversi.board import PASS
from bot.games.reversi.plain import start_position
from reversi_training import positions

MEMORY_MB = 230
LEAST_RANDOM, MOST_RANDOM = 6, 40
# One game in so many has a random move later too, so that positions known to be bad are seen as well.
GAMES_A_LATE_SLIP = 3


def play_games(path, seconds, nodes, seed):
    """Play for so many seconds, with so many nodes a move, and append the positions to the file; how many games."""
    generator = random.Random(seed)
    kernels = Kernels(seat.GAME).obtain()
    engine = seat.make_engine(kernels, seat.preset("default"), MEMORY_MB, seed)
    end, games = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        positions.append(path, _game(engine, generator, nodes))
        games += 1
    return games


def _game(engine, generator, nodes):
    """[(own, opponent, score)] of one game."""
    random_plies = min(generator.randint(LEAST_RANDOM, MOST_RANDOM), generator.randint(LEAST_RANDOM, MOST_RANDOM))
    slip = generator.randint(random_plies, 50) if generator.randrange(GAMES_A_LATE_SLIP) == 0 else -1
    position, course, side, ply = start_position(8), [], 1, 0
    while not position.is_over():
        moves = position.legal_moves()
        if moves == [PASS]:
            move = PASS
        elif ply < random_plies or ply == slip:
            move, course = generator.choice(moves), []
        else:
            course.append((position, side))
            move = engine.think(position, iterations=nodes).move
        ply += move != PASS
        position, side = position.play(move), -side
    difference = position.disc_difference() * side
    return [(positions.squares(before.own), positions.squares(before.opponent), difference * mover)
            for before, mover in course]
