"""A bot of dots that takes whatever it can get: `python greedy_mover.py [--game dots] [--seed N]`.

It draws every edge that completes a box, and then a random one, which gives no box away if there is such an edge. The
same seed plays the same moves.
"""

import argparse
import random

from wires import add_game_option, open_game


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("--seed", type=int, help="default: a different game every time")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    game = open_game(options.game)
    while True:
        game.read_turn()
        game.reply(*generator.choice(game.greedy_cells()))


if __name__ == "__main__":
    main()
