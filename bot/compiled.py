"""`python -m bot.compiled [GAME ...]`: gets the best kernels of these games, or of all, ready on this machine."""

import sys

from .backends.prepare import main

if __name__ == "__main__":
    main(sys.argv[1:])
