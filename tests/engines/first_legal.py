"""A bot that plays the leftmost legal column: `python first_legal.py [--startup S] [--delay S] [--report]`.

--startup computes for so long before reading anything; --delay waits before every reply; --report writes a
JSON line about each move to stderr, after the reply.
"""

import argparse
import json
import sys
import time

from text_wire import legal_moves, read_opening, read_turn, reply


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--startup", type=float, default=0.0, help="seconds of CPU time")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    while time.process_time() < options.startup:
        pass
    rows, cols = read_opening()
    ply = 0
    while True:
        tops = read_turn(rows, cols)
        time.sleep(options.delay)
        column = legal_moves(tops)[0]
        reply(tops[column] - 1, column)
        if options.report:
            print(json.dumps({"value": ply / 100, "column": column}), file=sys.stderr, flush=True)
        ply += 1


if __name__ == "__main__":
    main()
