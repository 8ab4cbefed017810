"""A bot that plays the first legal cell and takes memory: `python glutton.py --megabytes M [options]`.

It touches M * 10^6 bytes before its reply number --at (its own moves, from 0), waits --hold seconds and
gives them back before it replies; with --in-child a child process takes them.
"""

import argparse
import subprocess
import sys
import time

from wires import add_game_option, open_game

CHILD = "import sys, time; taken = b'x' * (int(sys.argv[1]) * 10**6); time.sleep(float(sys.argv[2]))"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--hold", type=float, default=0.0, help="seconds")
    parser.add_argument("--in-child", action="store_true")
    options = parser.parse_args()
    game = open_game(options.game)
    ply = 0
    while True:
        game.read_turn()
        if ply == options.at and options.in_child:
            words = [str(options.megabytes), str(options.hold)]
            subprocess.run([sys.executable, "-S", "-c", CHILD, *words], check=True)
        elif ply == options.at:
            taken = b"x" * (options.megabytes * 10**6)
            time.sleep(options.hold)
            del taken
        game.reply(*game.legal_cells()[0])
        ply += 1


if __name__ == "__main__":
    main()
