"""The dropfour bot.

The first statement notes the time, because the bot's start-up counts against the first move's clock.
"""

import time

FIRST_STATEMENT_S = time.monotonic()
