"""Handling of SIGINT, SIGTERM and SIGHUP. While games run, they set an event; else they raise KeyboardInterrupt."""

import contextlib
import signal
import threading
from collections.abc import Iterator

from judge.language import marked

INTERRUPTED_STATUS = 130  # the status that a shell reports for a program ended by Ctrl-C
NOTHING_IS_RUNNING = marked("interrupted: nothing is left running")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def raise_on_signals() -> Iterator[None]:
    """Inside the `with` block, make each of the three signals raise KeyboardInterrupt, except inside stop_event().

    SIGINT is handled even if it was ignored, because a shell starts background jobs with SIGINT ignored. If SIGHUP was
    ignored, as under nohup, it stays ignored. Call this function in the main thread only.
    """
    handled = [number for number in SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, signal.default_int_handler) for number in handled}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def ignore_signals() -> None:
    """Ignore the three signals until raise_on_signals() ends, so that they do not interrupt the cleaning up."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def stop_event() -> Iterator[threading.Event]:
    """Yield a threading.Event that SIGINT, SIGTERM and SIGHUP set. Call this function in the main thread only.

    Precondition: the main thread does not call wait() of the event. The signal handler runs in the main thread. If
    wait() had just taken the event's lock, the handler would wait for that lock forever.
    """
    stop = threading.Event()
    handled: list[int] = []

    def handle(number: int, _frame: object) -> None:
        if not handled:  # a second signal may come while set() holds the lock
            handled.append(number)
            stop.set()

    previous = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
