"""A bot that plays the first legal cell and computes all the time: `python ponderer.py [--game GAME] [options]`.

A thread of it, a child, a child outside of its group, and children that live for a moment, one after the other, do so
too. With --quiet nothing computes. When it is to end it says so on stderr.
"""

import argparse
import os
import signal
import threading

from wires import add_game_option, open_game

WORDS = b"the end\n"


def compute():
    while True:
        pass


def fork_for_ever():
    while True:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)


def say_so(*_):
    os.write(2, WORDS)
    os._exit(0)


def start_computing():
    for work, is_apart in ((compute, False), (compute, True), (fork_for_ever, False)):
        if os.fork() == 0:
            if is_apart:
                os.setsid()
            work()
    threading.Thread(target=compute, daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    game = open_game(options.game)
    if not options.quiet:
        start_computing()
    signal.signal(signal.SIGTERM, say_so)
    try:
        while True:
            game.read_turn()
            game.reply(*game.legal_cells()[0])
    finally:
        say_so()


if __name__ == "__main__":
    main()
