"""Ctrl-C, SIGTERM and a closed terminal: an event that running games look at, an exception before and after them."""

import contextlib
import signal
import threading
from collections.abc import Iterator

from judge.language import marked

INTERRUPTED_STATUS = 130  # as a shell reports a program ended by Ctrl-C
NOTHING_LEFT = marked("interrupted: nothing is left running")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Each of the signals raises KeyboardInterrupt, but where stop_event() takes it. Use from the main thread.

    SIGINT too where it is ignored, as a shell starts what runs in its background; what was started by nohup still does
    not hear that its terminal was closed.
    """
    heard = [number for number in SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, signal.default_int_handler) for number in heard}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def hear_no_more() -> None:
    """Ignore the signals until the end of raised(): who was interrupted cleans up."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def stop_event() -> Iterator[threading.Event]:
    """A threading.Event that SIGINT, SIGTERM and SIGHUP set. Use from the main thread.

    Precondition: the main thread does not wait() for it. A handler runs in that thread, and would wait for ever for the
    event's lock where wait() has just taken it.
    """
    stop = threading.Event()
    heard: list[int] = []

    def hear(number: int, _frame: object) -> None:
        if not heard:  # a second one may come while set() holds the lock
            heard.append(number)
            stop.set()

    previous = {number: signal.signal(number, hear) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
