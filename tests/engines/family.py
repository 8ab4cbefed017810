"""A bot that starts others at its first turn and stays silent at its second: `python family.py FILE`.

It has a child, a child that leads a session and has a child of its own, and a daemon: with an empty environment, in a
session that its parent began before it ended. At the second turn it writes a line to FILE, the numbers of all, its own
first. Its end of the input does not end it.
"""

import os
import sys
import time

from wires import open_game

SLEEP = (sys.executable, "-S", "-c", "import time; time.sleep(3600)")


def started(leaves=False, depth=1, environment=None):
    """Fork a chain of `depth` processes, all but the last in a session of their own; returns their numbers, in order.

    With `leaves` the first ends at once, and its child has another parent then.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        below = []
        if depth > 1:
            os.setsid()
            below = started(depth=depth - 1, environment=environment)
        os.write(writing, b" ".join(b"%d" % number for number in [os.getpid(), *below]))
        os.close(writing)
        if leaves:
            os._exit(0)
        os.execve(SLEEP[0], SLEEP, os.environ if environment is None else environment)
    os.close(writing)
    if leaves:
        os.waitpid(pid, 0)
    with open(reading) as pipe:
        return [int(word) for word in pipe.read().split()][1 if leaves else 0 :]


def main():
    game = open_game("connect_four")
    game.read_turn()
    numbers = [os.getpid(), *started(), *started(depth=2), *started(leaves=True, depth=2, environment={})]
    game.reply(*game.legal_cells()[0])
    game.read_turn()
    with open(sys.argv[1], "a") as file:
        file.write(" ".join(map(str, numbers)) + "\n")
    time.sleep(3600)


if __name__ == "__main__":
    main()
