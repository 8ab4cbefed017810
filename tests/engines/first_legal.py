"""A bot that plays the first legal cell: `python first_legal.py [--game GAME] [options]`.

That is the leftmost column in connect four, the first cell row by row in reversi, in dots a turn that begins with the
first free edge. --startup computes for so long before reading anything; --delay waits before every reply, with
--delay-from N only from its own reply number N, counted from 0; --report writes a JSON line about each move to stderr,
after the reply.
"""

import argparse
import json
import sys
import time

from wires import add_game_option, open_game


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("--startup", type=float, default=0.0, help="seconds of CPU time")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds")
    parser.add_argument("--delay-from", type=int, default=0, metavar="N", help="the first reply that is delayed")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    while time.process_time() < options.startup:
        pass
    game = open_game(options.game)
    ply = 0
    while True:
        game.read_turn()
        if ply >= options.delay_from:
            time.sleep(options.delay)
        cell = game.legal_cells()[0]
        game.reply(*cell)
        if options.report:
            print(json.dumps({"value": ply / 100, "move": game.move(*cell)}), file=sys.stderr, flush=True)
        ply += 1


if __name__ == "__main__":
    main()
