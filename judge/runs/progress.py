"""How a run of games stands: a line that redraws itself on a terminal, else a line per game."""

import sys
import time
from collections.abc import Callable, Sequence

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from judge import terminal
from judge.language import _
from judge.play.observer import Shelter
from judge.play.scoresheet import ending_in_words
from judge.runs.schedule import is_settled
from protocol.records.record import GameRecord

SETTLED_GAMES = 4  # from so many games on the pace says something
SECONDS_A_MINUTE, SECONDS_AN_HOUR, SECONDS_A_DAY = 60, 3600, 86400


def duration_in_words(seconds: float) -> str:
    """About how long, in the unit that suits."""
    if seconds < 2 * SECONDS_A_MINUTE:
        return _("{number:.0f} s").format(number=seconds)
    if seconds < 2 * SECONDS_AN_HOUR:
        return _("{number:.0f} min").format(number=seconds / SECONDS_A_MINUTE)
    if seconds < 3 * SECONDS_A_DAY:
        return _("{number:.1f} h").format(number=seconds / SECONDS_AN_HOUR)
    return _("{number:,.0f} days").format(number=seconds / SECONDS_A_DAY)


class Progress:
    """A context that writes to stderr; `line(records)` is what to tell, as one line of text.

    to_play: so many games are played in it, None where that says nothing of when it ends; clock() gives seconds.
    `table()` is what stands below the line on a terminal, None where nothing does.
    """

    def __init__(
        self,
        line: Callable[[Sequence[GameRecord]], str],
        to_play: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        table: Callable[[], Table] | None = None,
    ) -> None:
        self.line = line
        self._table = table
        self._to_play, self._clock = to_play, clock
        self._began, self._played = clock(), 0
        self._shelter = Shelter()
        self.console = terminal.console(stderr=True)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)

    def __enter__(self) -> "Progress":
        if self.console.is_terminal:
            self._shelter.run(self.live.start)
        return self

    def __exit__(self, *_: object) -> None:
        self._shelter.run(self.live.stop)

    def show(self, records: Sequence[GameRecord], latest: GameRecord | None = None) -> None:
        """Tell how things stand after these records; `latest` has just come, None at the start.

        What goes wrong here is told once and ends nothing.
        """
        self._played += latest is not None and is_settled(latest)  # one that is played again counts once
        self._shelter.run(self._show, records, latest)

    def _show(self, records: Sequence[GameRecord], latest: GameRecord | None) -> None:
        line = self.line(records) + self._pace()
        if self.console.is_terminal:
            shown = Text(line, no_wrap=True, overflow="ellipsis")
            self.live.update(shown if self._table is None else Group(shown, self._table()), refresh=True)
        elif latest is not None:
            print(f"{line}  {_ending(latest)}", file=sys.stderr, flush=True)

    def _pace(self) -> str:
        """How long the rest takes at the pace so far, or the pace where the end is not known."""
        elapsed_s = self._clock() - self._began
        if self._played < SETTLED_GAMES or elapsed_s <= 0:
            return ""
        if self._to_play is None:
            return "  " + _("{number:.1f} games/min").format(number=self._played / elapsed_s * SECONDS_A_MINUTE)
        left_s = (self._to_play - self._played) * elapsed_s / self._played
        return "  " + _("{duration} left").format(duration=duration_in_words(left_s)) if left_s > 0 else ""


def _ending(record: GameRecord) -> str:
    return _("(game {number}: {ending}, {plies} plies)").format(
        number=record.extra["index"] + 1,
        ending=ending_in_words(record.termination, record.at_fault),
        plies=len(record.moves),
    )
