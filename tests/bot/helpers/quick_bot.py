"""`python -m bot` with a plain search that counts: it looks at its clock so many times in a turn, on any machine.

So its turns are short however long the limit is, and the guard of a busy machine's bot has nothing to say.
"""

import itertools
import os
import sys

from bot.commands.options import session_from
from bot.games import adapter_of

# Fewer than a compiled search's fewest iterations.
LOOKS = 50


def counted(think):
    """The plain search's think, with a clock that goes on by one whenever it is looked at."""
    return lambda self, position, deadline, clock=None: think(self, position, LOOKS, itertools.count().__next__)


def main():
    words = sys.argv[1:]
    game = words[words.index("--game") + 1] if "--game" in words else "connect_four"
    plain = adapter_of(game).PlainSearch
    plain.think = counted(plain.think)
    os._exit(session_from(words, game).run())


if __name__ == "__main__":
    main()
