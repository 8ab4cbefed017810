"""dropfour: plays one game on stdin and stdout. MIT License."""

import time

STARTED_S = time.monotonic()

import os  # noqa: E402 the clock comes first
import sys  # noqa: E402

GAME, FOLDER = "GAME", os.path.dirname(os.path.realpath(__file__))
if sys.path[:1] != [FOLDER]:  # -I and -P leave this file's folder out
    sys.path.insert(0, FOLDER)

import bot  # noqa: E402

bot.FIRST_STATEMENT_S = STARTED_S

from bot.ladder import end, main  # noqa: E402

if __name__ == "__main__":
    end(main(GAME, FOLDER))
