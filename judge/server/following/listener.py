"""One page that watches: what it still is to be sent. A page that is too slow for all of it gets a summary later."""

import asyncio
from collections import deque

MOST_WAITING = 200  # messages, and
MOST_CHARACTERS = 1_000_000  # of them together


class Listener:
    """Begins behind: with a summary. To be used in the event loop's thread alone."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque()
        self._characters = 0
        self._has_news = asyncio.Event()
        self.is_behind = True
        self.is_over = False

    def begin(self, summary: str) -> None:
        """Send a summary, and what comes after it; what waited before is part of it."""
        self._clear()
        self.is_behind = False
        self._append(summary)

    def offer(self, text: str) -> None:
        """Send a text, unless too much waits already: then nothing comes before the next summary."""
        if self.is_behind or self.is_over:
            return
        if len(self._texts) >= MOST_WAITING or self._characters + len(text) > MOST_CHARACTERS:
            self._clear()
            self.is_behind = True
            self._has_news.set()
        else:
            self._append(text)

    def end(self) -> None:
        """Nothing more comes."""
        self._clear()
        self.is_over = True
        self._has_news.set()

    async def next(self) -> str | None:
        """The next text; None where a summary is needed, or nothing more comes (`is_over`)."""
        while not self._texts:
            if self.is_behind or self.is_over:
                return None
            self._has_news.clear()
            await self._has_news.wait()
        text = self._texts.popleft()
        self._characters -= len(text)
        return text

    def _append(self, text: str) -> None:
        self._texts.append(text)
        self._characters += len(text)
        self._has_news.set()

    def _clear(self) -> None:
        self._texts.clear()
        self._characters = 0
