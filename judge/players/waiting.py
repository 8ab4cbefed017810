"""Shows on stderr that something is being built.

On a terminal it is a progress bar, or the elapsed time while the progress is unknown. In other output it is a line at
the start and a line at the end.
"""

import sys
import threading
import time
from collections.abc import Callable

from rich.progress import BarColumn, Progress, TextColumn

from judge import terminal
from judge.language import _

SILENT_S = 1.0  # a build is shown after this time
SHOWN_STEPS = 1000


class Waiting:
    """A context manager that shows progress on stderr if it lasts longer than SILENT_S.

    A terminal gets a progress bar; any other output gets one line at the start and one at the end. `title` is the text
    beside the bar, and clock() returns the time in seconds.
    """

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._clock, self._began = title, clock, clock()
        self._console = terminal.console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[share]}{task.elapsed:.0f} s{task.fields[left]}"),
            console=self._console,
            transient=True,
        )
        self._task = self._progress.add_task(title, total=None, share="", left="")
        self._timer = threading.Timer(SILENT_S, self._begin)
        self._lock, self._is_shown, self._is_over = threading.Lock(), False, False

    def __enter__(self) -> "Waiting":
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, kind: object, *_others: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._is_shown and self._console.is_terminal:
                self._progress.stop()  # a bar that was never started would print an empty line
            if self._is_shown and kind is None:
                message = _("{title}: done after {seconds:.0f} s")
                self._print(message.format(title=self._title, seconds=self._clock() - self._began))

    def show(self, share: float) -> None:
        """Show that this share of the work, 0 to 1, is done."""
        left = ""
        if 0 < share < 1:
            left_s = (self._clock() - self._began) * (1 - share) / share
            left = _(", about {seconds:.0f} s left").format(seconds=left_s)
        done = share * SHOWN_STEPS
        self._progress.update(self._task, total=SHOWN_STEPS, completed=done, share=f"{share:4.0%}  ", left=left)

    def _begin(self) -> None:
        """Show the bar or the first line, unless the work is over."""
        with self._lock:
            if self._is_over:
                return
            self._is_shown = True
            if self._console.is_terminal:
                self._progress.start()
            else:
                self._print(f"{self._title} ..")

    def _print(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
