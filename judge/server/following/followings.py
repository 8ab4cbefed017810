"""All files that pages follow: each is looked at by one thread, as long as somebody watches."""

import asyncio
import contextlib
import functools
import threading
import time
from collections.abc import Callable
from pathlib import Path

from judge.language import marked
from judge.server.following.channel import Channel
from judge.server.following.listener import Listener
from judge.server.priority import lower
from judge.server.refusals import CONFLICT, refusal

PERIOD_S = 0.15  # between two looks
LINGER_S = 10.0  # after the last page has gone: one that is loaded anew finds everything there
MOST_FOLLOWED = 16
JOIN_S = 5.0  # for all of them, when the server ends: one may be reading a large file for the first time
TOO_MANY = marked("{number} files are followed already: close a page that watches, and try again")


class Following:
    """A file that is looked at, from start() to stop(); texts go to the listeners by the event loop."""

    def __init__(self, channel: Channel, loop: asyncio.AbstractEventLoop, tell: Callable[[str], None]) -> None:
        self._channel, self._loop, self._tell = channel, loop, tell
        self.listeners: set[Listener] = set()
        self.is_over = False
        self._guard = threading.Lock()  # one look or summary at a time
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        """Wait until the thread has ended, but no longer. Precondition: stop() was called."""
        self._thread.join(timeout_s)

    def bring_up(self, listener: Listener) -> None:
        """Have a listener sent a summary, and all that is new after it. Takes a while: in a thread of its own."""
        with self._guard:
            summary = self._channel.summary()
            self._in_loop(functools.partial(listener.begin, summary))

    def _run(self) -> None:
        lower()
        try:
            while not self._stop.wait(PERIOD_S):
                with self._guard:
                    texts = self._channel.poll()
                    if texts:
                        self._in_loop(functools.partial(self._deliver, texts))
        except Exception as error:
            self._tell(f"{type(error).__name__}: {error}")
        finally:
            with self._guard:
                self._channel.close()
            self._in_loop(self._end)

    def _deliver(self, texts: list[str]) -> None:
        for listener in self.listeners:
            for text in texts:
                listener.offer(text)

    def _end(self) -> None:
        """Pages are not left to wait for what does not come."""
        self.is_over = True
        for listener in self.listeners:
            listener.end()

    def _in_loop(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(act)


class Followings:
    """Who follows what. To be used in the event loop's thread alone, but for close()."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._found: dict[Path, Following] = {}

    def follow(self, place: Path, name: str, listener: Listener) -> Following:
        """The Following of a file, with one listener more. Raises Refused where too many are followed."""
        following = self._found.get(place)
        if following is None or following.is_over:
            if len(self._found) >= MOST_FOLLOWED:
                raise refusal(CONFLICT, TOO_MANY, number=len(self._found))
            following = Following(Channel(place, name), asyncio.get_running_loop(), self._tell)
            self._found[place] = following
            following.start()
        following.listeners.add(listener)
        return following

    def leave(self, place: Path, listener: Listener) -> None:
        """A listener has gone."""
        following = self._found.get(place)
        if following is not None:
            following.listeners.discard(listener)
            if not following.listeners:
                asyncio.get_running_loop().call_later(LINGER_S, self._end_if_alone, place, following)

    def _end_if_alone(self, place: Path, following: Following) -> None:
        if not following.listeners and self._found.get(place) is following:
            del self._found[place]
            following.stop()

    def close(self) -> None:
        """Follow nothing any more."""
        for following in self._found.values():
            following.stop()
        give_up = time.monotonic() + JOIN_S
        for following in self._found.values():
            following.join(max(0.0, give_up - time.monotonic()))
        self._found.clear()
