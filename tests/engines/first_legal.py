"""A bot that plays the first legal cell: `python first_legal.py [--game GAME] [options]`.

That is the leftmost column in connect four, the first cell row by row in reversi, in dots a turn that begins with the
first free edge. --startup computes for so long before reading anything; --delay waits before every reply, with
--delay-from N only from its own reply number N, counted from 0; --report writes a JSON line about each move to stderr,
after the reply; with --values it does so before the reply, and the value is that of the position, whoever is asked and
whatever came before: value_of() what is free of the board. --no-value-at N has none where so much is free, as a guard
says it, --crash-at N ends it with a word there. --log FILE gets a line for each turn: its process, and what is free.
--allowed FILE holds every reply back until the number in that file is above the reply's own, so that a test decides how
far a game gets, however slow the machine.
"""

import argparse
import json
import os
import pathlib
import sys
import time

from wires import add_game_option, open_game

SPREAD = 21  # values of --values
LOOKS_S = 0.02  # between two looks at --allowed


def value_of(free):
    """The value, in -1..1, of a position of which so much is free."""
    return (5 * free % SPREAD - SPREAD // 2) / (SPREAD // 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("--startup", type=float, default=0.0, help="seconds of CPU time")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds")
    parser.add_argument("--delay-from", type=int, default=0, metavar="N", help="the first reply that is delayed")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--no-value-at", type=int, metavar="N")
    parser.add_argument("--crash-at", type=int, metavar="N")
    parser.add_argument("--log", metavar="FILE")
    parser.add_argument("--allowed", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    while time.process_time() < options.startup:
        pass
    game = open_game(options.game)
    ply = 0
    while True:
        game.read_turn()
        if options.log:
            with open(options.log, "a") as file:
                file.write(f"{os.getpid()} {game.free_count()}\n")
        if game.free_count() == options.crash_at:
            sys.exit("no more of this")
        if ply >= options.delay_from:
            time.sleep(options.delay)
        while options.allowed and ply >= allowed_in(options.allowed):
            time.sleep(LOOKS_S)
        cell = game.legal_cells()[0]
        if options.values:
            report_value(game, str(game.move(*cell)), options.no_value_at)
        game.reply(*cell)
        if options.report:
            print(json.dumps({"value": ply / 100, "move": game.move(*cell)}), file=sys.stderr, flush=True)
        ply += 1


def allowed_in(file):
    """How many replies the file allows; none while it is being written."""
    return int(file.read_text() or 0)


def report_value(game, move, no_value_at):
    free = game.free_count()
    is_guard = free == no_value_at
    report = {"value": None if is_guard else value_of(free), "depth": free, "pv": [move], "guard": is_guard}
    print(json.dumps(report), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
