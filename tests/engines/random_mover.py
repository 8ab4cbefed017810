"""A bot that plays any legal move: `python random_mover.py [--game GAME] [--seed N]`.

The smallest useful opponent. It speaks the platform's wire with the standard library alone, so it may also serve as
an example of the protocol. The same seed plays the same moves.
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
        game.reply(*generator.choice(game.legal_cells()))


if __name__ == "__main__":
    main()
