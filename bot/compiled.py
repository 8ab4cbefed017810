"""`python -m bot.compiled [GAME ...]` prepares the best kernels for the games named, or for all games."""

import sys

from .backends.prepare import main

if __name__ == "__main__":
    main(sys.argv[1:])
