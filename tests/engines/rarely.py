"""A bot that plays legally and is wrong only where few tests get to.

`python rarely.py [--game GAME] [--abort-at N] [--abort-on-cols N] [--abort-on-rows N] [--illegal-in N]
[--byte-after S] [--busy-after S] [--threads N]`: it aborts at its N-th turn (from 1), or on boards of that many
columns or rows; plays an illegal move in one of N positions, which they are follows from the position; writes a
byte after so many seconds of silence; computes from then on; holds so many threads. --seed S chooses its moves.
"""

import argparse
import os
import select
import sys
import threading
import time
import zlib

from wires import add_game_option, open_game, send

OFF_THE_BOARD = {
    "connect_four": lambda game: (0, game.cols),
    "reversi": lambda game: (game.size, 0),
    "dots": lambda game: (("AHA",),),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    for name in ("abort-at", "abort-on-cols", "abort-on-rows", "illegal-in", "threads", "seed"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--byte-after", type=float)
    parser.add_argument("--busy-after", type=float)
    options = parser.parse_args()
    for _ in range(options.threads):
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    game = open_game(options.game)
    turn = 0
    while True:
        await_input(options)
        game.read_turn()
        turn += 1
        sizes = getattr(game, "cols", None), getattr(game, "rows", None)
        if turn == options.abort_at or options.abort_on_cols == sizes[0] or options.abort_on_rows == sizes[1]:
            os.abort()
        cells = game.legal_cells()
        number = zlib.crc32(repr((options.seed, turn, cells)).encode())
        if options.illegal_in and number % options.illegal_in == 0:
            send(game.reply_bytes(*OFF_THE_BOARD[options.game](game)))
        else:
            game.reply(*cells[number // 1000 % len(cells)])


def await_input(options):
    """Wait for the next turn, not always in silence."""
    waits_s = [wait_s for wait_s in (options.byte_after, options.busy_after) if wait_s is not None]
    for wait_s in waits_s:
        if not select.select([sys.stdin], [], [], wait_s)[0]:
            if options.byte_after is not None:
                send(b"x")
            while options.busy_after is not None and not select.select([sys.stdin], [], [], 0)[0]:
                pass


if __name__ == "__main__":
    main()
