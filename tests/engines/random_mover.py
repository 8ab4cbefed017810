"""A bot that plays any legal column: `python random_mover.py [--seed N]`, the smallest useful opponent.

It speaks the platform's wire (text lines in, framed "row column" out) with the standard library alone, so it
may also serve as an example of the protocol. The same seed plays the same columns.
"""

import argparse
import random

from text_wire import legal_moves, read_opening, read_turn, reply


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="default: a different game every time")
    generator = random.Random(parser.parse_args().seed)
    rows, cols = read_opening()
    while True:
        tops = read_turn(rows, cols)
        column = generator.choice(legal_moves(tops))
        reply(tops[column] - 1, column)


if __name__ == "__main__":
    main()
