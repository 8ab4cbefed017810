"""The way to a cluster: one of this machine's own, or a scheduler's address; and whether its workers are fit."""

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from typing import TypeVar
from urllib.parse import urlsplit

import dask.config
from distributed import Client, LocalCluster
from distributed.security import Security
from distributed.utils import LoopRunner
from distributed.versions import VersionMismatchWarning

from judge.language import _
from judge.players.versions import CHECKOUT, DIGITS, digest
from judge.runs import interruption
from judge.runs.config import ClusterConfig

Answer = TypeVar("Answer")
LOOPBACK = "127.0.0.1"
CORE = "core"  # the resource that a pair takes one of
ANY_PORT = f"{LOOPBACK}:0"
# How many workers may be lost with a pair before it is taken for what ends them: the last of them is not forgiven.
LOST_WITH_A_PAIR = 5
TCP, TLS = "tcp", "tls"
FIRST_WORKER_S = 60.0
LOOK_S = 0.2  # how soon a worker that has come is seen
CONNECT_S = 20.0
ANSWER_S = 60.0  # for all workers to say which version they have
SILENCED = ("distributed", "distributed.client", "asyncio", "tornado.application")
PACKAGES = ("judge", "protocol")  # of which workers must have the same


def bounded(ask: Callable[[], Answer], limit_s: float) -> Answer:
    """What ask() returns, or raises; TimeoutError where that takes too long. It is left to itself then."""
    news: SimpleQueue[tuple[Answer | None, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            news.put((ask(), None))
        except BaseException as error:
            news.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        answer, error = news.get(timeout=limit_s)
    except Empty:
        raise TimeoutError(_("no answer within {limit:g} s").format(limit=limit_s)) from None
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]  # None only where ask() has returned it


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


class ClusterError(Exception):
    """There is no cluster to play on; str() says why, and what to do."""


@contextlib.contextmanager
def connected(config: ClusterConfig, jobs: int) -> Iterator[Client]:
    """A client of the cluster, with one worker at least that has this same program. Raises ClusterError.

    jobs: how many workers a local cluster has unless its address says so.
    """
    quiet = {"distributed.logging.distributed": "error", "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s"}
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", VersionMismatchWarning)  # versions of this program are compared below
        for name in SILENCED:  # what goes wrong is told once, below or by the run
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            if config.is_local:
                workers = config.local_workers(jobs)
                cluster = stack.enter_context(local_cluster(workers, config.worker_timeout_s))
                client = stack.enter_context(Client(cluster, set_as_default=False))
            else:
                address, security = _foreign(config)
                client = stack.enter_context(
                    Client(address, security=security, timeout=CONNECT_S, set_as_default=False)
                )
            with interruption.raised():  # not before: a cluster that is interrupted while it starts never ends
                _await_slots(client)
        # The second is not the first before Python 3.11; the third is what a cluster raises that does not start.
        except (OSError, asyncio.TimeoutError, RuntimeError, ValueError) as error:
            message = _("--cluster {address}: {error}")
            raise ClusterError(message.format(address=config.address, error=str(error).split("\n")[0])) from error
        require_same_code(client)
        yield client


def slots(client: Client) -> int:
    """How many pairs the workers play at a time, by their resource tags."""
    return sum(_slots_by_worker(client))


def _slots_by_worker(client: Client) -> list[int]:
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [int(worker["resources"].get(CORE, 0)) for worker in workers]


def _await_slots(client: Client) -> None:
    """Wait for the first worker that says how many games it plays. Raises TimeoutError."""
    give_up = time.monotonic() + FIRST_WORKER_S
    while not any(offered := _slots_by_worker(client)):
        if offered:  # a worker says it as it comes
            message = _("none of {number} workers plays games: they have to be started with --resources {core}=1")
            raise ValueError(message.format(number=len(offered), core=CORE))
        if time.monotonic() > give_up:
            raise TimeoutError(_("no worker within {limit:g} s").format(limit=FIRST_WORKER_S))
        time.sleep(LOOK_S)


def require_same_code(client: Client) -> None:
    """Raise ClusterError where a worker has another version of the judge: it would judge otherwise."""
    own = code_version()
    try:
        others = bounded(lambda: client.run(code_version), ANSWER_S)
    except Exception as error:  # whatever a worker without this program raises
        message = _("--cluster: a worker does not have this program: {error}; install the same version there")
        raise ClusterError(message.format(error=error)) from error
    for address, version in others.items():
        if version != own:
            message = _("--cluster: the worker {address} has another version of this program; install the same there")
            raise ClusterError(message.format(address=address))


def code_version() -> str:
    """The version of the judge by its files, the same wherever they are installed."""
    files = [path for package in PACKAGES for path in sorted((CHECKOUT / package).rglob("*.py"))]
    return digest((path.relative_to(CHECKOUT).as_posix(), path) for path in files)[:DIGITS]


def _foreign(config: ClusterConfig) -> tuple[str, Security | None]:
    """(a scheduler's address, how to speak to it). Raises ValueError where that would be open to anybody."""
    certificates = (config.ca, config.certificate, config.key)
    address = config.address if "://" in config.address else f"{TLS if any(certificates) else TCP}://{config.address}"
    parts = urlsplit(address)
    if parts.scheme not in (TCP, TLS) or not parts.hostname or parts.port is None:
        raise ValueError(_("expected local, local:N, tcp://HOST:PORT or tls://HOST:PORT"))
    if parts.scheme == TLS:
        if not all(certificates):
            raise ValueError(_("TLS needs --tls-ca, --tls-cert and --tls-key"))
        files = {"tls_ca_file": config.ca, "tls_client_cert": config.certificate, "tls_client_key": config.key}
        return address, Security(require_encryption=True, **files)
    if any(certificates):
        raise ValueError(_("certificates are for tls://HOST:PORT"))
    if not config.is_insecure and not is_loopback(parts.hostname):
        raise ValueError(
            _(
                "whoever reaches that scheduler runs programs on all its workers: use TLS (--tls-ca ..) or an ssh "
                "tunnel; --insecure goes on without"
            )
        )
    return address, None


def is_loopback(host: str) -> bool:
    """Whether all addresses of a host are this machine's own."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False  # connecting tells why
    return all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found)
