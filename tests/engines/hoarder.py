"""A bot that plays the first legal cell and keeps memory from its first move on: `python hoarder.py WAY --megabytes M`.

WAY says where: `memfd`, `mapped_memfd` (open and mapped twice), `named` and `unlinked` (files at --path), `shared`
(anonymous, by two processes), `forked` (two children share the parent's), `child_memfd`, `daemon` (a child of a child
that has gone since). It touches M * 10^6 bytes.
"""

import argparse
import mmap
import os
import sys
import time

from wires import add_game_option, open_game

PIECE = b"x" * 1_000_000
SEEN_S = 0.5  # a child that lives so long below the bot has been looked at


def fill(descriptor, megabytes):
    """Write so many megabytes to a file."""
    for _ in range(megabytes):
        os.write(descriptor, PIECE)
    return descriptor


def memfd(options):
    """Shared memory that is not mapped."""
    return fill(os.memfd_create("hoard"), options.megabytes)


def mapped_memfd(options):
    """The same, mapped and touched, twice."""
    descriptor = memfd(options)
    length = options.megabytes * len(PIECE)
    return [touched(mmap.mmap(descriptor, length)) for _ in range(2)]


def named(options):
    """A file."""
    return fill(os.open(options.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), options.megabytes)


def unlinked(options):
    """A file without a name."""
    descriptor = named(options)
    os.unlink(options.path)
    return descriptor


def shared(options):
    """Shared anonymous memory, touched by the bot and by a child of it."""
    memory = mmap.mmap(-1, options.megabytes * len(PIECE))
    return in_child(lambda: touched(memory)), touched(memory)


def forked(options):
    """The bot's own memory, which two children have from it."""
    memory = PIECE * options.megabytes
    return memory, in_child(lambda: memory), in_child(lambda: memory)


def child_memfd(options):
    """Shared memory of a child."""
    return in_child(lambda: memfd(options))


def daemon(options):
    """Shared memory of a grandchild whose parent has gone, in a session of its own."""

    def leave():
        os.setsid()
        in_child(lambda: memfd(options))
        time.sleep(SEEN_S)
        os._exit(0)

    os.waitpid(in_child(leave), 0)


def touched(memory):
    """The memory, with all its pages there."""
    for place in range(0, len(memory), mmap.PAGESIZE):
        memory[place] = 1
    return memory


def in_child(action):
    """Fork a child that does this and lives on; returns its process id once the action is done."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        held = action()
        os.write(writing, b".")
        time.sleep(3600)
        os._exit(len(held))
    os.read(reading, 1)
    return pid


WAYS = {way.__name__: way for way in (memfd, mapped_memfd, named, unlinked, shared, forked, child_memfd, daemon)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--path")
    options = parser.parse_args()
    game = open_game(options.game)
    held = None
    while True:
        game.read_turn()
        if held is None:
            held = WAYS[options.way](options), sys.stdout
        game.reply(*game.legal_cells()[0])


if __name__ == "__main__":
    main()
