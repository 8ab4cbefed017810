"""SIGINT, SIGTERM and SIGHUP: they set an event while games run, and raise KeyboardInterrupt before and after."""

import contextlib
import signal
import threading
from collections.abc import Iterator

from judge.language import marked

INTERRUPTED_STATUS = 130  # as a shell reports a program ended by Ctrl-C
NOTHING_LEFT = marked("interrupted: nothing is left running")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def raise_on_signals() -> Iterator[None]:
    """Make each signal raise KeyboardInterrupt inside, except within stop_event(). Use from the main thread.

    This includes an ignored SIGINT, because a shell starts background jobs with it ignored. An ignored SIGHUP stays
    ignored, for nohup.
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
    """Yield a threading.Event that SIGINT, SIGTERM and SIGHUP set. Use from the main thread.

    Precondition: the main thread does not wait() for it. The handler runs in that thread and would deadlock on the
    event's lock if wait() had just taken it.
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
