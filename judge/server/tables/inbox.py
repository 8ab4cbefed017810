"""What a table's thread is told, in its order; what cannot wait for the player's reply cuts its turn short."""

import threading
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")
MOST_WAITING = 50  # of what pages send


class Inbox(Generic[T]):
    """Filled by any thread, emptied by one. `stop` is set where the player is asked no more."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._guard = threading.Condition()
        self._waiting: deque[T] = deque()
        self._is_asking = False
        self._is_closed = False

    @property
    def is_asking(self) -> bool:
        """Whether the player is being asked."""
        return self._is_asking

    @property
    def is_closed(self) -> bool:
        """Whether nothing is taken any more."""
        return self._is_closed

    def put(self, item: T, is_urgent: bool = False) -> None:
        """Put something in."""
        with self._guard:
            self._waiting.append(item)
            if is_urgent and self._is_asking:
                self.stop.set()
            self._guard.notify()

    @property
    def is_full(self) -> bool:
        """Whether so much waits that pages are to be slower."""
        return len(self._waiting) >= MOST_WAITING

    def take(self, timeout_s: float | None) -> T | None:
        """What has waited longest; None where nothing comes in that time (None: ever), or it is closed."""
        with self._guard:
            self._guard.wait_for(lambda: self._waiting or self._is_closed, timeout_s)
            return None if self._is_closed or not self._waiting else self._waiting.popleft()

    def begin_asking(self) -> bool:
        """Ask the player from now on; False where something has to be done before."""
        with self._guard:
            if self._waiting or self._is_closed:
                return False
            self._is_asking = True
            return True

    def end_asking(self) -> None:
        """The player's turn is over."""
        with self._guard:
            self._is_asking = False
            if not self._is_closed:
                self.stop.clear()

    def close(self) -> None:
        """Take nothing any more, and ask nobody."""
        with self._guard:
            self._is_closed = True
            self.stop.set()
            self._guard.notify()
