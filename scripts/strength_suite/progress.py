"""How far a run of questions is: a bar on a terminal, else a line now and then, always on stderr."""

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

QUIET_S = 20.0


class Steps:
    """A context for `total` steps of which `done` are behind; `advance(text)` after each one more."""

    def __init__(self, title, total, done=0):
        self._title, self._total, self._done, self._spoke = title, total, done, time.monotonic()
        console = Console(stderr=True)
        self._bar = None
        if console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, TextColumn("{task.fields[latest]}"), console=console, transient=True)
            self._task = self._bar.add_task(title, total=total, completed=done, latest="")

    def __enter__(self):
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_):
        if self._bar:
            self._bar.stop()

    def advance(self, latest, steps=1):
        """So many more are done; `latest` tells in a few words how it stands."""
        self._done += steps
        if self._bar:
            self._bar.update(self._task, advance=steps, latest=latest)
        elif time.monotonic() - self._spoke > QUIET_S or self._done == self._total:
            self._spoke = time.monotonic()
            print(f"{self._title}: {self._done}/{self._total}  {latest}", file=sys.stderr, flush=True)
