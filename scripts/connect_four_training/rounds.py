"""Play in rounds by several processes: how far it is, and how it is shown, stopped and gone on with."""

import fcntl
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from connect_four_training import positions, self_play
from connect_four_training.self_play import Recipe
from whole_file import written_whole

# Play is counted in rounds of this length: one that is stopped ends its round and goes on with the next.
ROUND_S = 10.0
SEEDS_A_RUN, SEEDS_A_ROUND = 100_000, 100


class TrainingError(Exception):
    """The training cannot begin or go on; str() says why."""


class Run:
    """How far the training in a folder is, kept in a file there. Raises TrainingError.

    played_s: of play by the clock; cores_s: of all processes together; itself_s: of play of a network against itself;
    rounds: begun; learnt: generations. One process at a time may use the folder: it holds a lock there.
    """

    def __init__(self, folder: Path):
        self._path = folder / "run.json"
        self._lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)  # closed when the process ends, however it ends
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise TrainingError(f"{folder} is in use by another training") from error
        self.played_s, self.cores_s, self.itself_s, self.rounds, self.learnt = 0.0, 0.0, 0.0, 0, 0
        if self._path.exists():
            kept = self._kept()
            self.__dict__.update({name: kept[name] for name in self._known() if name in kept})

    def _kept(self) -> dict:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise TrainingError(f"{self._path} cannot be read: {error}; another --folder begins anew") from error
        if not isinstance(kept, dict) or not all(type(value) in (int, float) for value in kept.values()):
            raise TrainingError(f"{self._path}: expected an object of numbers; another --folder begins anew")
        return kept

    def _known(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def save(self) -> None:
        """Write the file anew."""
        with written_whole(self._path) as unfinished:
            unfinished.write_text(json.dumps(self._known()), "utf-8")


@contextmanager
def progress_bar(title: str, total: float, done: float = 0):
    """Shows a bar with the time left for the length of the block; it is given update(done, what to say beside it)."""
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), TextColumn("{task.fields[said]}")
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total, completed=done, said="")
        yield lambda done, said: progress.update(task, completed=done, said=said)


def players(jobs: int) -> ProcessPoolExecutor:
    """Processes that play. Ctrl-C reaches them too, and is the parent's business; they end when it does."""
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_begin_player)


def _begin_player() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Without this a killed parent leaves players behind that wait for work for ever."""
    multiprocessing.connection.wait([multiprocessing.parent_process().sentinel])
    os._exit(1)


def play_rounds(
    run: Run,
    pool: ProcessPoolExecutor,
    jobs: int,
    folder: Path,
    seed: int,
    until_s: float,
    share: float,
    weights: bytes | None,
    say: Callable[[float, str], None],
    recipe: Recipe = self_play.QUICK,
) -> None:
    """Let the processes play until the run has so many seconds of play behind it; their games are files of `folder`.

    share, weights and recipe: as for play_games. say(seconds played, how it goes) is told after each round. Raises
    TrainingError for more processes than have seeds of their own.
    """
    if jobs > SEEDS_A_ROUND:
        raise TrainingError(f"{jobs} processes are to play, expected {SEEDS_A_ROUND} at most: lower --jobs")
    games = 0
    while run.played_s < until_s:
        began = time.monotonic()
        run.rounds += 1  # first of all: no two rounds have the same seeds
        run.save()
        round_s = min(ROUND_S, until_s - run.played_s)
        tasks = [
            pool.submit(
                self_play.play_games,
                folder / f"engine-{job}{positions.SUFFIX}",
                round_s,
                (seed * SEEDS_A_RUN + run.rounds) * SEEDS_A_ROUND + job,
                share,
                weights,
                recipe=recipe,
            )
            for job in range(jobs)
        ]
        try:
            games += sum(task.result() for task in tasks)
        finally:  # what was played until a stop is learnt from too
            run.played_s += time.monotonic() - began
            run.cores_s += (time.monotonic() - began) * jobs
            run.save()
        say(run.played_s, f"{games:,} games more")
