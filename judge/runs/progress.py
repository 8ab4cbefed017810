"""Shows the progress of a run of games: on a terminal in one line that is redrawn, else in a line for each game."""

import sys
import time
from collections.abc import Callable, Sequence

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from judge import terminal
from judge.language import _, shown
from judge.play.observer import SafeCaller
from judge.play.scoresheet import ending_in_words
from judge.reasons import reason_of
from judge.runs.schedule import is_settled
from judge.terminal import printable
from protocol.records.record import GameRecord

FEWEST_SETTLED = 4  # the settled games of a run from which on its pace is shown
SECONDS_A_MINUTE, SECONDS_AN_HOUR, SECONDS_A_DAY = 60, 3600, 86400


def duration_in_words(seconds: float) -> str:
    """Return a duration rounded to seconds, minutes, hours or days, with its unit."""
    if seconds < 2 * SECONDS_A_MINUTE:
        return _("{number:.0f} s").format(number=seconds)
    if seconds < 2 * SECONDS_AN_HOUR:
        return _("{number:.0f} min").format(number=seconds / SECONDS_A_MINUTE)
    if seconds < 3 * SECONDS_A_DAY:
        return _("{number:.1f} h").format(number=seconds / SECONDS_AN_HOUR)
    return _("{number:,.0f} days").format(number=seconds / SECONDS_A_DAY)


class Progress:
    """A context manager that shows the progress of a run on stderr.

    line(records) returns one line of text on the progress. `to_play` is the number of games that this run will play, or
    a function that returns how many games are still to be played, or None if that is not known. clock() returns a time
    in seconds. On a terminal the result of table() is shown below the line, unless `table` is None.
    """

    def __init__(
        self,
        line: Callable[[Sequence[GameRecord]], str],
        to_play: int | Callable[[], float | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        table: Callable[[], RenderableType] | None = None,
    ) -> None:
        self.line = line
        self._table = table
        self._to_play, self._clock = to_play, clock
        self._began, self._played = clock(), 0
        self._safe_caller = SafeCaller()
        self.console = terminal.console(stderr=True)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)

    def __enter__(self) -> "Progress":
        if self.console.is_terminal:
            self._safe_caller.run(self.live.start)
        return self

    def __exit__(self, *_: object) -> None:
        self._safe_caller.run(self.live.stop)

    def show(self, records: Sequence[GameRecord], latest: GameRecord | None = None, number: int = 0) -> None:
        """Show the progress. `records` are all records so far.

        `latest` is the record of the attempt that has just ended, or None at the start of the run. `number` is its
        number in the record file, which tables and commands have too. An error in showing the progress is reported
        once and does not end the run.
        """
        self._played += latest is not None and is_settled(latest)  # a game that is played again counts only once
        self._safe_caller.run(self._show, records, latest, number)

    def _show(self, records: Sequence[GameRecord], latest: GameRecord | None, number: int) -> None:
        """Do what show() describes, but raise the exceptions of line() and table()."""
        line = self.line(records) + self._pace()
        if self.console.is_terminal:
            if latest is not None and not latest.termination.counts:
                self.console.print(_ending(latest, number), soft_wrap=True)
            text = Text(line, no_wrap=True, overflow="ellipsis")
            self.live.update(text if self._table is None else Group(text, self._table()), refresh=True)
        elif latest is not None:
            print(f"{line}  {_ending(latest, number)}", file=sys.stderr, flush=True)

    def _pace(self) -> str:
        """Return a text with the time that the run still takes at its pace so far.

        If it is not known how many games will be played, the text has the pace instead. Returns "" if too few games
        have ended to know the pace.
        """
        elapsed_s = self._clock() - self._began
        if self._played < FEWEST_SETTLED or elapsed_s <= 0:
            return ""
        games_left = self._to_play() if callable(self._to_play) else self._to_play
        if games_left is None:
            return "  " + _("{number:.1f} games/min").format(number=self._played / elapsed_s * SECONDS_A_MINUTE)
        if isinstance(self._to_play, int):
            games_left -= self._played
        left_s = games_left * elapsed_s / self._played
        return "  " + _("{duration} left").format(duration=duration_in_words(left_s)) if left_s > 0 else ""


def _ending(record: GameRecord, number: int) -> str:
    """Return a text that says how a game ended and, if the game does not count, why.

    The end of the run may be far off, and its summary does not give the reasons of VOID games.
    """
    ending = ending_in_words(record.termination, record.at_fault)
    if not record.termination.counts:
        ending = f"{ending}: {printable(shown(reason_of(record)))}"
    return _("(game {number}: {ending}, {plies} plies)").format(number=number, ending=ending, plies=len(record.moves))
