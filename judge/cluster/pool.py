"""Plays a schedule's games on a cluster, in place of schedule.play_all: pairs go out, records come back.

A pair is one task. Where its worker is lost, the scheduler gives it to another, and what the lost one may still say is
dropped there; here each task is taken once.
"""

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from judge.cluster.connection import CORE, ClusterError, slots
from judge.cluster.errand import Errands
from judge.cluster.parcels import pack
from judge.cluster.worker import Travellers, play_pair, plugin_name, stop_run
from judge.language import _
from judge.players.players import Contestant
from judge.runs.schedule import ScheduledGame
from protocol.records.record import GameRecord

LOOK_S = 0.2  # how soon a stop is noticed
SLOTS_S = 5.0  # how often the workers are counted: some join later
SPARE = 2  # pairs that wait at the scheduler, so that no worker waits for this program


class Pool:
    """The workers, with the players of one run on them. Use as a context manager."""

    def __init__(self, client: Client, players: Sequence[Contestant], game: str) -> None:
        """Raises PlayerError for a player that cannot travel."""
        self._client, self._players = client, list(players)
        self._parcels = [pack(player, game) for player in self._players]
        self._game, self._run = game, uuid.uuid4().hex
        self._counted_until, self._number = 0.0, 1

    def __enter__(self) -> "Pool":
        self._client.register_plugin(Travellers(self._run, self._parcels, self._game))
        return self

    def __exit__(self, *_error: object) -> None:
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.run(stop_run, self._run)
            self._client.unregister_worker_plugin(plugin_name(self._run))

    def play_all(
        self, games: Iterable[ScheduledGame | None], stop: threading.Event, on_record: Callable[[GameRecord], object]
    ) -> None:
        """As schedule.play_all(), but pair by pair. Raises PlayerError, JudgeFailure, ClusterError."""
        waiting = Errands(self._players).of(games)
        running: set[Future[Any]] = set()
        news: SimpleQueue[Future[Any]] = SimpleQueue()
        number = 0
        try:
            while True:
                room = self.slots + SPARE
                while len(running) < room and not stop.is_set():
                    errand = next(waiting, None)
                    if errand is None:
                        break
                    future = self._client.submit(
                        play_pair,
                        self._run,
                        errand,
                        key=f"dropfour-{self._run}-{number}",
                        resources={CORE: 1},
                        pure=False,
                    )
                    number += 1
                    future.add_done_callback(news.put)
                    running.add(future)
                if not running:
                    return
                done = self._next(news, stop)
                if done is None:
                    return
                running.discard(done)
                for line in _lines(done):
                    if not stop.is_set():
                        on_record(GameRecord.from_json(line))
        finally:
            stop.set()
            with contextlib.suppress(Exception):
                self._client.cancel(list(running))

    @property
    def slots(self) -> int:
        """How many pairs are played at a time, as of a moment ago."""
        now = time.monotonic()
        if now >= self._counted_until:
            self._counted_until, self._number = now + SLOTS_S, max(1, slots(self._client))
        return self._number

    def _next(self, news: "SimpleQueue[Future[Any]]", stop: threading.Event) -> "Future[Any] | None":
        """The next task that has ended; None once it is to stop."""
        while not stop.is_set():
            with contextlib.suppress(Empty):
                return news.get(timeout=LOOK_S)
        return None


def _lines(future: "Future[Any]") -> Sequence[str]:
    """A task's records. Raises what has ended it."""
    lines: Sequence[str]
    error: Exception | None
    try:
        lines, error = future.result()
    except KilledWorker as lost:
        message = _("--cluster: a pair was lost with every worker that played it: {error}")
        raise ClusterError(message.format(error=str(lost).split("\n")[0])) from lost
    if error is not None:
        raise error
    return lines
