"""The dropfour bot. The first statement notes the time, because the rest of start-up counts against a move's clock."""

import time

FIRST_STATEMENT_S = time.monotonic()
