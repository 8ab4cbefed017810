"""Games of a run on this machine or on a cluster, as its options ask."""

import argparse
import contextlib
import functools
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from judge.cluster import address
from judge.command_line.cluster_options import WORKER_TIMEOUT_S
from judge.command_line.exits import resume_advice
from judge.language import _, shown
from judge.players.players import Contestant, PlayerError
from judge.reports.circumstances import WORKER
from judge.runs import interruption
from judge.runs.schedule import PlayGame, ScheduledGame, play_all
from judge.terminal import printable
from protocol.records.record import GameRecord

NEEDED = "distributed"  # of the extra `cluster`


class PlayAll(Protocol):
    """Plays games until none is left or `stop` is set, and hands on their records."""

    def __call__(
        self,
        games: Iterable[ScheduledGame | None],
        *,
        stop: threading.Event,
        on_record: Callable[[GameRecord], object],
    ) -> None: ...


def require_cluster(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the program where --cluster does not fit what else is asked for, or its packages are not installed."""
    if options.cluster is None:
        return
    if importlib.util.find_spec(NEEDED) is None:
        parser.error(_("--cluster needs dask.distributed, which scripts/setup cluster installs"))
    if options.forensics is not None:
        parser.error(_("--forensics is for games on this machine, and --cluster plays them elsewhere"))
    if options.worker_timeout is not None and not address.is_local(options.cluster):
        parser.error(_("--worker-timeout is for --cluster local: a scheduler has its own, from when it was started"))
    try:
        jobs_here(options)
    except ValueError as error:
        parser.error(_("--cluster {address}: {error}").format(address=options.cluster, error=error))


def jobs_here(options: argparse.Namespace) -> int | None:
    """How many games at a time this machine is to play, None where others play them."""
    if options.cluster is None:
        return int(options.jobs)
    return address.workers_of(options.cluster, options.jobs) if address.is_local(options.cluster) else None


@contextlib.contextmanager
def playing(
    options: argparse.Namespace, players: Sequence[Contestant], play: PlayGame, path: Path
) -> Iterator[PlayAll]:
    """What plays the games: threads here, by play(), or the cluster's workers. Raises PlayerError.

    path: of the record file that the run can go on with.
    """
    if options.cluster is None:
        yield functools.partial(play_all, jobs=options.jobs, play=play)
        return
    # Its packages take half a second to import, which nobody else is to wait for.
    from judge.cluster.connection import ClusterError, Wanted, connected
    from judge.cluster.parcels import pack
    from judge.cluster.pool import Pool

    wanted = Wanted(
        options.cluster,
        options.jobs,
        options.worker_timeout or WORKER_TIMEOUT_S,
        options.insecure,
        options.tls_ca,
        options.tls_cert,
        options.tls_key,
    )
    is_measured = options.machine_check and not address.is_local(options.cluster)
    try:
        with contextlib.ExitStack() as stack:
            with interruption.raised():  # nothing is played yet that could be lost
                parcels = [pack(player, options.game) for player in players]
            client = stack.enter_context(connected(wanted))
            pool = stack.enter_context(Pool(client, players, parcels, options.game, is_measured))
            print(_("cluster: {slots} games at a time").format(slots=pool.slots), flush=True)
            yield pool.play_all
    except (ClusterError, PlayerError) as error:
        more = f"; {resume_advice(path)}" if path.exists() else ""
        raise PlayerError(f"{error}{more}") from error


def tell_walls(told: set[str], record: GameRecord) -> None:
    """Say on stderr, once for each host that is not in `told`, that a worker's players had no walls."""
    host = str(record.extra.get(WORKER, {}).get("host", ""))
    why_not = record.extra.get("no_sandbox")
    if why_not and host and host not in told:
        told.add(host)
        note = _("note: bots play without walls on the worker {host} and can reach each other and its files: {reason}")
        print(printable(note.format(host=host, reason=shown(str(why_not)))), file=sys.stderr, flush=True)
