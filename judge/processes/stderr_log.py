"""What a bot wrote to stderr: all of it counted, its beginning and end kept, its reports read."""

import collections
from typing import Any

from protocol.records import strict_json

KEPT_BYTES = 32 * 1024  # at either end
PLATFORM_BYTES = 64 * 1024  # the platform's pipe; a bot that writes more blocks there
LONGEST_REPORT = 16 * 1024  # a longer line is no report
MOST_NESTED = 100  # brackets in a report: a record holds them too, see protocol/records/record.py
CANDIDATES = 16  # lines looked at for one turn's report, newest first


class StderrLog:
    """Fed with the bytes of one bot's stderr; `total` counts them, `first` and `last` keep 32 KB each."""

    def __init__(self) -> None:
        self.total = 0
        self.first = b""
        self.last = b""
        self.has_reported = False
        self._line = b""
        self._candidates: collections.deque[bytes] = collections.deque(maxlen=CANDIDATES)

    def feed(self, data: bytes) -> None:
        """Take in bytes as they came."""
        self.total += len(data)
        self.first += data[: KEPT_BYTES - len(self.first)]
        self.last = (self.last + data)[-KEPT_BYTES:]
        *complete, rest = (self._line + data).split(b"\n")
        self._candidates.extend(line for line in complete if line.lstrip().startswith(b"{"))
        self._line = rest[: LONGEST_REPORT + 1]

    def begin_turn(self) -> None:
        """Forget the lines so far: they are not this turn's report, but a late one shows that the bot writes them."""
        self.report()
        self._candidates.clear()

    def report(self) -> dict[str, Any] | None:
        """The last JSON object with a "value" that came since begin_turn(), or None."""
        for line in reversed(self._candidates):
            found = _report_in(line)
            if found is not None:
                self.has_reported = True
                return found
        return None

    def text(self) -> str:
        """What was kept, as text; where bytes are left out a line says how many."""
        left_out = self.total - len(self.first) - len(self.last)
        if left_out > 0:
            kept = self.first + b"\n[%d bytes left out]\n" % left_out + self.last
        else:
            kept = self.first + self.last[len(self.last) - (self.total - len(self.first)) :]
        return kept.decode("utf-8", "replace")


def _report_in(line: bytes) -> dict[str, Any] | None:
    if len(line) > LONGEST_REPORT or line.count(b"{") + line.count(b"[") > MOST_NESTED:
        return None
    try:
        found = strict_json.without_surrogates(strict_json.loads(line, MOST_NESTED))
    except ValueError:
        return None
    return found if isinstance(found, dict) and "value" in found else None
