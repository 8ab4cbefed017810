"""Handling of SIGINT, SIGTERM and SIGHUP: they set an event while games run, else they raise KeyboardInterrupt."""

import contextlib
import signal
import threading
from collections.abc import Iterator

from judge.language import marked

INTERRUPTED_STATUS = 130  # the status that a shell reports for a program ended by Ctrl-C
NOTHING_LEFT = marked("interrupted: nothing is left running")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def raise_on_signals() -> Iterator[None]:
    """Make each signal raise KeyboardInterrupt inside a `with` block, except inside stop_event().

    SIGINT is handled even if it was ignored, because a shell starts background jobs with SIGINT ignored. An ignored
    SIGHUP stays ignored, for nohup. Call it in the main thread only.
    """
    handled = [number for number in SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, signal.default_int_handler) for number in handled}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def ignore_signals() -> None:
    """Ignore the signals until raise_on_signals() ends, so that nothing interrupts the cleaning up."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def stop_event() -> Iterator[threading.Event]:
    """Yield a threading.Event that SIGINT, SIGTERM and SIGHUP set. Call it in the main thread only.

    Precondition: the main thread does not call wait() of the event. The handler runs in that thread and would deadlock
    on the event's lock if wait() had just taken it.
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
