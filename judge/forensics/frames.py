"""Every byte that passed between the judge and one bot, with its moment, within bounds; as lines of JSON."""

import collections
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from judge.games.game import Replies
from judge.processes.recorder import Recorder
from protocol.errors import RemoteProtocolError

LONGEST_BYTES = 4096  # kept of what passed at once: twice the longest frame that is no fault
FIRST_BYTES, LAST_BYTES = 256 * 1024, 64 * 1024  # kept of a game
OVERHEAD_BYTES = 64  # of an entry, about
TO_BOT, FROM_BOT = "to_bot", "from_bot"


@dataclass(frozen=True)
class Passed:
    """What passed at once: the moment, in seconds of time.monotonic(), which way, the beginning, how much in all."""

    moment: float
    is_from_bot: bool
    data: bytes
    length: int


class Frames(Recorder):
    """Keeps the beginning and the end of what passes; `dropped` and `dropped_bytes` count what lay between."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.first: list[Passed] = []
        self.last: collections.deque[Passed] = collections.deque()
        self.dropped = self.dropped_bytes = 0
        self._clock = clock
        self._room, self._held_last = FIRST_BYTES, 0

    def sent(self, data: bytes) -> None:
        if data:
            self._keep(Passed(self._clock(), False, data[:LONGEST_BYTES], len(data)))

    def received(self, now: float, data: bytes) -> None:
        self._keep(Passed(now, True, data[:LONGEST_BYTES], len(data)))

    def _keep(self, passed: Passed) -> None:
        size = _size(passed)
        if not self.last and size <= self._room:
            self.first.append(passed)
            self._room -= size
            return
        self.last.append(passed)
        self._held_last += size
        while self._held_last > LAST_BYTES:
            oldest = self.last.popleft()
            self._held_last -= _size(oldest)
            self.dropped += 1
            self.dropped_bytes += oldest.length

    def entries(self, side: str, began: float, replies: Replies) -> Iterator[tuple[float, dict[str, Any]]]:
        """(moment, JSON object) of everything kept, in order; `replies` decodes what came from the bot.

        Times are seconds after `began`. Behind a gap nothing is decoded: where a frame begins is not known there.
        """
        decoder = _Decoder(replies)
        for passed in self.first:
            yield passed.moment, _entry(passed, side, began, decoder)
        if self.dropped:
            gap_s = self.last[0].moment if self.last else self.first[-1].moment
            yield gap_s, {"side": side, "event": "left_out", "frames": self.dropped, "bytes": self.dropped_bytes}
            decoder.is_lost = True
        for passed in self.last:
            yield passed.moment, _entry(passed, side, began, decoder)


def _size(passed: Passed) -> int:
    return len(passed.data) + OVERHEAD_BYTES


class _Decoder:
    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self.is_lost = False

    def decoded(self, passed: Passed) -> list[str]:
        """The replies that are whole with these bytes, or why they are none."""
        found: list[str] = []
        if self.is_lost:
            return found
        try:
            self._replies.feed(passed.data)
            while (reply := self._replies.next_reply()) is not None:
                found.append(str(reply))
        except RemoteProtocolError as error:
            found.append(str(error))
            self.is_lost = True
        self.is_lost |= passed.length > len(passed.data)
        return found


def _entry(passed: Passed, side: str, began: float, decoder: _Decoder) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "t": round(passed.moment - began, 6),
        "side": side,
        "direction": FROM_BOT if passed.is_from_bot else TO_BOT,
        "bytes": passed.length,
    }
    if passed.length > len(passed.data):
        entry["bytes_shown"] = len(passed.data)
    text = passed.data.decode("ascii", "backslashreplace")
    entry["text"] = text
    if not text.replace("\n", "").isprintable() or not passed.data.isascii():
        entry["hex"] = passed.data.hex()
    if passed.is_from_bot:
        entry["decoded"] = decoder.decoded(passed)
    return entry
