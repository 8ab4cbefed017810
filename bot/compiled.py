"""`python -m bot.compiled [GAME ...]` prepares the best kernels for these games, or for all, on this machine."""

import sys

from .backends.prepare import main

if __name__ == "__main__":
    main(sys.argv[1:])
