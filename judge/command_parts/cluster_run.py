"""Games of a run on this machine or on a cluster, as its options ask."""

import argparse
import contextlib
import functools
import importlib.util
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from judge.language import _
from judge.players.players import Contestant, PlayerError
from judge.runs.schedule import PlayGame, ScheduledGame, play_all
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
        parser.error(_("--cluster needs dask.distributed: pip install 'dropfour[cluster]'"))
    if options.forensics is not None:
        parser.error(_("--forensics is for games on this machine, and --cluster plays them elsewhere"))


@contextlib.contextmanager
def playing(options: argparse.Namespace, players: Sequence[Contestant], play: PlayGame) -> Iterator[PlayAll]:
    """What plays the games: threads here, by play(), or the cluster's workers. Raises PlayerError."""
    if options.cluster is None:
        yield functools.partial(play_all, jobs=options.jobs, play=play)
        return
    # Its packages take half a second to import, which nobody else is to wait for.
    from judge.cluster.connection import ClusterError, Wanted, connected
    from judge.cluster.pool import Pool

    wanted = Wanted(
        options.cluster,
        options.jobs,
        options.worker_timeout,
        options.insecure,
        options.tls_ca,
        options.tls_cert,
        options.tls_key,
    )
    try:
        with connected(wanted) as client, Pool(client, players, options.game) as pool:
            print(_("cluster: {slots} games at a time").format(slots=pool.slots), flush=True)
            yield pool.play_all
    except ClusterError as error:
        raise PlayerError(str(error)) from error
