"""Ctrl-C, SIGTERM and a closed terminal as an event that running games look at, not as an exception."""

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def stop_event() -> Iterator[threading.Event]:
    """A threading.Event that SIGINT, SIGTERM and SIGHUP set. Use from the main thread."""
    stop = threading.Event()
    previous = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
