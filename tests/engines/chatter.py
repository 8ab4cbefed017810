"""A bot that plays the first legal cell and says what it is told to: `python chatter.py FILE [--game GAME]`.

After each reply it writes the next eight lines of the file to stderr, byte for byte, and begins anew at its end.
"""

import argparse
import itertools
import sys

from wires import add_game_option, open_game

LINES_A_TURN = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    add_game_option(parser)
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        lines = itertools.cycle(file.read().split(b"\n"))
    game = open_game(options.game)
    while True:
        game.read_turn()
        game.reply(*game.legal_cells()[0])
        sys.stderr.buffer.write(b"\n".join(itertools.islice(lines, LINES_A_TURN)) + b"\n")
        sys.stderr.buffer.flush()


if __name__ == "__main__":
    main()
