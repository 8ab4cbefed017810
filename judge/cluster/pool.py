"""Plays a schedule's games on a cluster, in place of schedule.play_all(): workers play pairs and return records.

A pair is one task. If the worker of a task is lost, the scheduler gives the task to another worker, and drops late
answers of the lost one. This module takes the result of each task once.
"""

import asyncio
import collections
import concurrent.futures
import contextlib
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from judge.cluster.connection import CORE, ClusterError, call_with_limit, count_slots
from judge.cluster.payloads import Payload
from judge.cluster.worker import PlayersPlugin, play_pair, plugin_name, tasks_of
from judge.language import _, shown
from judge.players.players import Contestant, PlayerError
from judge.reasons import reason_of
from judge.reports.circumstances import WORKER
from judge.runs.schedule import ScheduledGame, is_settled
from judge.terminal import printable
from protocol.records.record import GameRecord

LOOK_S = 0.2  # the longest time until a set stop event is noticed
SLOTS_S = 5.0  # the time between two counts of the workers, because some may join later
SPARE = 2  # the pairs queued at the scheduler, so that no worker waits for this program
ANSWER_S = 30.0  # a scheduler that is silent for longer counts as gone
RELEASE_S = 10.0  # the longest wait for the workers to end their games and clean up
NO_WORKER_S = 600.0  # how long a run without workers waits for another
MOST_VOID = 3  # VOID games in a row after which the worker counts as faulty
LOST_CONNECTION = (OSError, asyncio.TimeoutError, concurrent.futures.CancelledError, RuntimeError)


class Pool:
    """The workers of a cluster, with the players of one run on them. Use as a context manager.

    `payloads` has the payload of each of the `players`, in the same order. `is_measured` says that workers measure
    their machine before their first game.
    """

    def __init__(
        self, client: Client, players: Sequence[Contestant], payloads: Sequence[Payload], game: str, is_measured: bool
    ) -> None:
        self._client, self._players = client, list(players)
        self._run = uuid.uuid4().hex
        self._plugin = PlayersPlugin(self._run, payloads, game, is_measured)
        self._count_again_at, self._slots = 0.0, 1  # when to count the slots again, and the latest count
        self._last_worker_at = time.monotonic()  # when there was a worker for the last time
        self._void_streaks: collections.Counter[str] = collections.Counter()  # {host: VOID games in a row}

    def __enter__(self) -> "Pool":
        try:
            self._client.register_plugin(self._plugin)
        except BaseException:
            self._release_workers()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self._release_workers()

    def _release_workers(self) -> None:
        """Tell the workers to end their games and remove the players' files.

        Ignore errors, as the cluster may be lost.
        """
        with contextlib.suppress(Exception):
            call_with_limit(lambda: self._client.unregister_worker_plugin(plugin_name(self._run)), RELEASE_S)

    def play_all(
        self, games: Iterable[ScheduledGame | None], stop: threading.Event, on_record: Callable[[GameRecord], object]
    ) -> None:
        """Play the games on the workers, pair by pair. For the arguments see schedule.play_all().

        Raises PlayerError if a worker cannot play, and ClusterError if the cluster fails.
        """
        tasks = enumerate(tasks_of(games, self._players))
        running: set[Future[Any]] = set()
        ended: SimpleQueue[Future[Any]] = SimpleQueue()
        try:
            while True:
                wanted = self.slots + SPARE
                while len(running) < wanted and not stop.is_set():
                    number, task = next(tasks, (0, None))
                    if task is None:
                        break
                    future = self._submit(task, number)
                    future.add_done_callback(ended.put)
                    running.add(future)
                if not running or stop.is_set():
                    return
                done = _next_ended(ended, stop)
                if done is None:
                    continue
                lines = _record_lines(done)
                if lines is None:
                    ended.put(done)
                    continue
                running.discard(done)
                for line in lines:
                    if not stop.is_set():
                        self._pass_on(GameRecord.from_json(line), on_record)
        finally:
            stop.set()
            with contextlib.suppress(Exception):
                call_with_limit(lambda: self._client.cancel(list(running), force=True), RELEASE_S)

    def _submit(self, task: object, number: int) -> "Future[Any]":
        """Give a task to the scheduler, and return its future. Raises ClusterError if that fails."""
        try:
            key = f"dropfour-{self._run}-{number}"
            return self._client.submit(play_pair, self._run, task, key=key, resources={CORE: 1}, pure=False)
        except Exception as error:  # a client without its scheduler may raise anything
            raise _lost_connection(error) from error

    def _pass_on(self, record: GameRecord, on_record: Callable[[GameRecord], object]) -> None:
        """Pass the record to on_record().

        Raises ClusterError if the last MOST_VOID games of the worker were all VOID.
        """
        on_record(record)
        host = str(record.extra[WORKER]["host"])
        if not is_settled(record):
            return
        self._void_streaks[host] = 0 if record.termination.counts else self._void_streaks[host] + 1
        if self._void_streaks[host] >= MOST_VOID:
            message = _("{number} games in a row were VOID on the worker {host}: {reason}")
            reason = printable(shown(reason_of(record)))
            raise ClusterError(message.format(number=MOST_VOID, host=printable(host), reason=reason))

    @property
    def slots(self) -> int:
        """The number of pairs that the workers can play at the same time, counted at most SLOTS_S ago.

        Raises ClusterError if the scheduler cannot be reached, or if there has been no worker for NO_WORKER_S.
        """
        now = time.monotonic()
        if now >= self._count_again_at:
            before = self._slots
            try:
                self._slots = call_with_limit(lambda: count_slots(self._client), ANSWER_S)
            except LOST_CONNECTION as error:
                raise _lost_connection(error) from error
            now = time.monotonic()
            self._count_again_at = now + SLOTS_S
            if self._slots:
                self._last_worker_at = now
            elif now > self._last_worker_at + NO_WORKER_S:
                message = _("--cluster: there has been no worker for {limit:g} s: start workers, then resume the run")
                raise ClusterError(message.format(limit=NO_WORKER_S))
            elif before:
                print(_("--cluster: no worker is left; waiting for another one"), file=sys.stderr, flush=True)
        return self._slots


def _next_ended(ended: "SimpleQueue[Future[Any]]", stop: threading.Event) -> "Future[Any] | None":
    """Wait for a task that has ended, and return its future.

    Returns None once `stop` is set, or after SLOTS_S, when the workers are to be counted again.
    """
    until = time.monotonic() + SLOTS_S
    while not stop.is_set() and time.monotonic() < until:
        with contextlib.suppress(Empty):
            return ended.get(timeout=LOOK_S)
    return None


def _record_lines(future: "Future[Any]") -> Sequence[str] | None:
    """Return the records of a task that has ended as lines, or None if they have not arrived yet.

    Raises PlayerError if the worker could not play the pair, and ClusterError if the cluster fails.
    """
    lines: Sequence[str]
    try:
        lines, error = future.result(timeout=5.0)
    except KilledWorker as lost:
        message = _("--cluster: one pair of games was lost with every worker that played it: {error}")
        raise ClusterError(message.format(error=str(lost).split("\n")[0])) from lost
    except asyncio.TimeoutError:  # the builtin one from Python 3.11 on
        return None
    except LOST_CONNECTION as lost:
        raise _lost_connection(lost) from lost
    if error:
        raise PlayerError(printable(error))
    return lines


def _lost_connection(error: Exception) -> ClusterError:
    """Return the ClusterError that says that the scheduler cannot be reached any more."""
    message = _("--cluster: the connection to the scheduler is lost: {error}")
    return ClusterError(message.format(error=printable(str(error).split("\n")[0] or type(error).__name__)))
