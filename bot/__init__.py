"""The dropfour bot. Its first statement takes the time: everything after it is on some move's clock."""

import time

FIRST_STATEMENT_S = time.monotonic()
