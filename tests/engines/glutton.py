"""A bot that plays the leftmost legal column and takes memory: `python glutton.py --megabytes M [options]`.

It touches M * 10^6 bytes before its reply number --at (its own moves, from 0), waits --hold seconds and
gives them back before it replies; with --in-child a child process takes them.
"""

import argparse
import subprocess
import sys
import time

from text_wire import legal_moves, read_opening, read_turn, reply

CHILD = "import sys, time; taken = b'x' * (int(sys.argv[1]) * 10**6); time.sleep(float(sys.argv[2]))"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--hold", type=float, default=0.0, help="seconds")
    parser.add_argument("--in-child", action="store_true")
    options = parser.parse_args()
    rows, cols = read_opening()
    ply = 0
    while True:
        tops = read_turn(rows, cols)
        if ply == options.at and options.in_child:
            words = [str(options.megabytes), str(options.hold)]
            subprocess.run([sys.executable, "-S", "-c", CHILD, *words], check=True)
        elif ply == options.at:
            taken = b"x" * (options.megabytes * 10**6)
            time.sleep(options.hold)
            del taken
        column = legal_moves(tops)[0]
        reply(tops[column] - 1, column)
        ply += 1


if __name__ == "__main__":
    main()
