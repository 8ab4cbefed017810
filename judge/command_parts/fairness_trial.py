"""`judge doctor --jobs`: the long measurement of the machine, with a bar that shows how far it is."""

import contextlib
import sys
from collections.abc import Callable, Iterator

from judge.language import _
from judge.machine.fairness.figures import Fairness
from judge.machine.fairness.measurement import ROUND_S, measure
from judge.terminal import console

DEFAULT_S = 60.0


def measured(jobs: int, seconds: float) -> Fairness:
    """The Fairness of so many games at a time, measured for so long. Raises slots.NotMeasured."""
    rounds = max(1, round(seconds / ROUND_S))
    with _bar(rounds) as on_round:
        return measure(jobs, rounds, ROUND_S, on_round)


@contextlib.contextmanager
def _bar(rounds: int) -> Iterator[Callable[[int], object]]:
    """What takes the number of rounds done and shows it, if there is a terminal and rich is installed."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    try:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    except ModuleNotFoundError:
        yield lambda done: None
        return
    columns = TextColumn(_("measuring")), BarColumn(), TimeRemainingColumn()
    # Drawn after a round, not by a thread beside the measurement.
    with Progress(*columns, console=console(stderr=True), transient=True, auto_refresh=False) as progress:
        task = progress.add_task("", total=rounds)

        def show(done: int) -> None:
            progress.update(task, completed=done, refresh=True)

        yield show
