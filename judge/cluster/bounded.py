"""Asking a cluster that may never answer."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from judge.language import _

Answer = TypeVar("Answer")


def bounded(ask: Callable[[], Answer], limit_s: float) -> Answer:
    """What ask() returns, or raises; TimeoutError where that takes too long. It is left to itself then."""
    news: SimpleQueue[tuple[Answer | None, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            news.put((ask(), None))
        except BaseException as error:
            news.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        answer, error = news.get(timeout=limit_s)
    except Empty:
        raise TimeoutError(_("no answer within {limit:g} s").format(limit=limit_s)) from None
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]  # None only where ask() has returned it
