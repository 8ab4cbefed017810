"""Workers that play pairs, die and come back, a scheduler that hands pairs out, a run that ends at a pair's result.

A discrete-event simulation. Times are seconds. The scheduler and the client do one thing after another: what they are
asked meanwhile waits in a queue. A pair is lost with its worker and begins anew on the next free one.
"""

import heapq
import itertools
import math
import random
from dataclasses import dataclass

END, SEEN, BACK, DEATH = range(4)  # kinds of events: of a pair, of a death that is noticed, of a worker


@dataclass(frozen=True)
class Cluster:
    """workers: how many; game_s: the mean length of a game; spread: the deviation of a pair's length as a share of it;
    stragglers: the share of workers that play at `straggler_speed`; deaths: of a worker, an hour; back_s: until another
    takes its place; silent: the share of deaths that are seen after timeout_s alone, the others at once; scheduler_s,
    client_s: work on a pair; heartbeat_s: work on a worker's sign of life.
    """

    workers: int
    game_s: float = 60.0
    spread: float = 0.3
    stragglers: float = 0.05
    straggler_speed: float = 0.5
    deaths: float = 0.1
    back_s: float = 120.0
    silent: float = 0.2
    timeout_s: float = 60.0
    scheduler_s: float = 0.002
    client_s: float = 0.005
    heartbeat_s: float = 0.0003


@dataclass(frozen=True)
class Outcome:
    """seconds until the run's last pair that counts; games a minute of these; wasted: pairs that were begun and do not
    count; lost: pairs that were begun anew; scheduler, client: the share of the time that each was at work; idle: the
    share of the time that living workers waited.
    """

    seconds: float
    games_a_minute: float
    wasted: int
    lost: int
    scheduler: float
    client: float
    idle: float


def heartbeat_interval_s(workers):
    """How often a worker tells dask's scheduler that it lives: less often the more there are (its source, 2026)."""
    if workers <= 10:
        return 0.5
    if workers < 50:
        return 1.0
    return 2.0 if workers < 200 else workers / 200 + 1.0


class _Server:
    """Does one thing after another, and a share of its time something else."""

    def __init__(self, other_share):
        self.free_at = self.worked_s = 0.0
        self._speed = max(1.0 - other_share, 0.01)

    def serve(self, now, seconds):
        """When a piece of work that comes now is done."""
        self.free_at = max(now, self.free_at) + seconds / self._speed
        self.worked_s += seconds
        return self.free_at


def simulated(cluster, pairs, seed):
    """The Outcome of a run that ends when the results of the first so many pairs are all known."""
    return _Run(cluster, pairs, random.Random(seed)).outcome()


class _Run:
    def __init__(self, cluster, pairs, chance):
        self._cluster, self._pairs, self._chance = cluster, pairs, chance
        self._heartbeats = cluster.workers * cluster.heartbeat_s / heartbeat_interval_s(cluster.workers)
        self._scheduler, self._client = _Server(self._heartbeats), _Server(0.0)
        self._slow = [number < round(cluster.stragglers * cluster.workers) for number in range(cluster.workers)]
        self._events = []
        self._again = []  # pairs whose worker is lost, the lowest number first
        self._next = self._begun = self._lost = 0
        self._open = set(range(pairs))  # pairs that count and have no result
        self._idle_s = 0.0
        self._order = itertools.count()
        self._generation = [0] * cluster.workers  # of a worker: what was to happen to an earlier one does not
        self._playing = {}  # {a worker: its pair}

    def outcome(self):
        """Play until the end."""
        cluster = self._cluster
        for worker in range(cluster.workers):
            self._lives(worker, 0.0)
            self._play(worker, 0.0)
        now = 0.0
        while self._open:
            now, _order, kind, worker, generation, pair = heapq.heappop(self._events)
            if kind == SEEN:
                heapq.heappush(self._again, pair)
            elif generation != self._generation[worker]:
                continue
            elif kind == END:
                del self._playing[worker]
                self._client.serve(now, cluster.client_s)
                self._open.discard(pair)
                self._play(worker, now)
            elif kind == DEATH:
                self._dies(worker, now)
            else:
                self._lives(worker, now)
                self._play(worker, now)
        seconds = max(now, self._client.free_at)
        return Outcome(
            seconds=seconds,
            games_a_minute=2 * self._pairs / seconds * 60.0,
            wasted=self._begun - self._lost - self._pairs,
            lost=self._lost,
            scheduler=min(1.0, self._scheduler.worked_s / seconds + self._heartbeats),
            client=self._client.worked_s / seconds,
            idle=self._idle_s / (seconds * cluster.workers),
        )

    def _push(self, moment, kind, worker, pair=None):
        event = moment, next(self._order), kind, worker, self._generation[worker], pair
        heapq.heappush(self._events, event)

    def _lives(self, worker, now):
        """Say when this worker dies."""
        if self._cluster.deaths:
            self._push(now + self._chance.expovariate(self._cluster.deaths / 3600.0), DEATH, worker)

    def _dies(self, worker, now):
        """Another takes its place after a while; its pair is another's once its death is noticed."""
        pair = self._playing.pop(worker, None)
        self._generation[worker] += 1
        if pair is not None:
            is_silent = self._chance.random() < self._cluster.silent
            self._push(now + (self._cluster.timeout_s if is_silent else 0.0), SEEN, worker, pair)
            self._lost += 1
        self._push(now + self._cluster.back_s, BACK, worker)

    def _play(self, worker, now):
        """Give the worker a pair, as soon as the scheduler comes to it."""
        if self._again:
            pair = heapq.heappop(self._again)
        else:
            pair = self._next
            self._next += 1
        self._begun += 1
        begins = self._scheduler.serve(now, self._cluster.scheduler_s)
        self._idle_s += begins - now
        self._playing[worker] = pair
        self._push(begins + self._length_s(worker), END, worker, pair)

    def _length_s(self, worker):
        """How long a pair takes there: lognormal around two games."""
        cluster = self._cluster
        variance = math.log(1.0 + cluster.spread**2)
        mean = 2.0 * cluster.game_s / (cluster.straggler_speed if self._slow[worker] else 1.0)
        return mean * math.exp(self._chance.gauss(-variance / 2.0, math.sqrt(variance)))
