"""A bot that plays legally and is wrong only where few tests get to.

`python rarely.py [--game GAME] [--abort-at N] [--busy-after S] [--threads N]`: it aborts at its N-th turn (from 1);
computes after so many seconds of silence; holds so many threads.
"""

import argparse
import os
import select
import sys
import threading
import time
import zlib

from wires import add_game_option, open_game


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    for name in ("abort-at", "threads"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--busy-after", type=float)
    options = parser.parse_args()
    for _ in range(options.threads):
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    game = open_game(options.game)
    turn = 0
    while True:
        if options.busy_after is not None and not has_input(options.busy_after):
            while not has_input(0):
                pass
        game.read_turn()
        turn += 1
        if turn == options.abort_at:
            os.abort()
        cells = game.legal_cells()
        game.reply(*cells[zlib.crc32(repr((turn, cells)).encode()) % len(cells)])


def has_input(within_s):
    """Whether something comes in that time."""
    return bool(select.select([sys.stdin], [], [], within_s)[0])


if __name__ == "__main__":
    main()
