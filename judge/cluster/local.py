"""A cluster of this machine's own: a scheduler and workers that nobody else can talk to."""

import contextlib
import logging
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker

from distributed import LocalCluster
from distributed.security import Security
from distributed.utils import LoopRunner

LOOPBACK = "127.0.0.1"
CORE = "core"  # the resource that a pair takes one of
ANY_PORT = f"{LOOPBACK}:0"
# How many workers may be lost with a pair before it is taken for what ends them: the last of them is not forgiven.
LOST_WITH_A_PAIR = 5


@contextlib.contextmanager
def local_cluster(workers: int, worker_timeout_s: float) -> Iterator[LocalCluster]:
    """A scheduler and so many workers, by certificates that nobody else has: other users of this machine reach
    loopback, too.

    Raises what LocalCluster does.
    """
    with (
        _loop() as loop,
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            loop=loop.loop,
            security=Security.temporary(),
            protocol="tls://",
            dashboard_address=ANY_PORT,
            resources={CORE: 1},
            memory_limit=None,  # bots have limits of their own
            silence_logs=logging.CRITICAL + 1,
            scheduler_kwargs={
                "worker_ttl": worker_timeout_s,
                "allowed_failures": LOST_WITH_A_PAIR - 1,
                "dashboard": False,
            },
        ) as cluster,
    ):
        yield cluster


@contextlib.contextmanager
def _loop() -> Iterator[LoopRunner]:
    """A loop in a thread that blocks a terminal's signals, as all workers do then that it starts: who ends them is this
    program.
    """
    resource_tracker.ensure_running()  # starting it unblocks a terminal's signals
    runner = LoopRunner(asynchronous=False)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        runner.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield runner
    finally:
        runner.stop()
