"""Connects to a cluster, which is a local one or has a scheduler elsewhere.

Checks that the workers of the cluster run the same code as this program.
"""

import asyncio
import contextlib
import ipaddress
import logging
import os
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

from judge.files import require_file
from judge.language import _
from judge.players.versions import CHECKOUT, DIGITS, digest
from judge.runs import interruption
from judge.runs.config import ClusterConfig

Answer = TypeVar("Answer")
LOOPBACK = "127.0.0.1"
CORE = "core"  # the name of the workers' resource; a pair in play takes one unit of it
TCP, TLS = "tcp", "tls"
FIRST_WORKER_S = 60.0  # how long to wait for the first worker
LOOK_S = 0.2  # the pause between two looks for the first worker
CONNECT_S = 20.0  # how long to wait for a connection to the scheduler
ANSWER_S = 60.0  # the limit for all workers to return their version
PACKAGES = ("judge", "protocol")  # the packages of which workers must have the same files


def call_with_limit(ask: Callable[[], Answer], limit_s: float) -> Answer:
    """Call ask() in another thread, and return its result or raise its exception.

    Raises TimeoutError after `limit_s` seconds; ask() then goes on in its thread.
    """
    outcomes: SimpleQueue[tuple[Answer | None, BaseException | None]] = SimpleQueue()

    def call() -> None:
        try:
            outcomes.put((ask(), None))
        except BaseException as error:
            outcomes.put((None, error))

    threading.Thread(target=call, daemon=True).start()
    try:
        answer, error = outcomes.get(timeout=limit_s)
    except Empty:
        raise TimeoutError(_("the cluster did not answer within {limit:g} s").format(limit=limit_s)) from None
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]  # None only where ask() has returned it


@contextlib.contextmanager
def local_cluster(workers: int, worker_timeout_s: float) -> Iterator[LocalCluster]:
    """Inside the `with` block, run a new cluster of a scheduler and `workers` workers on loopback. Yields the cluster.

    Temporary certificates keep other users of this machine out. Raises RuntimeError if the cluster does not start.
    """
    with (
        _event_loop() as loop,
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            loop=loop.loop,
            security=Security.temporary(),
            protocol="tls://",
            dashboard_address=f"{LOOPBACK}:0",
            resources={CORE: 1},
            memory_limit=None,  # bots have limits of their own
            silence_logs=logging.CRITICAL + 1,
            scheduler_kwargs={
                "worker_ttl": worker_timeout_s,
                "allowed_failures": 4,  # a pair that loses its fifth worker counts as the cause, and ends the run
                "dashboard": False,
            },
        ) as cluster,
    ):
        yield cluster


@contextlib.contextmanager
def _event_loop() -> Iterator[LoopRunner]:
    """Inside the `with` block, run an event loop in a thread that blocks the signals of a terminal.

    Workers that the loop starts inherit the blocked signals, so that only this program ends them.
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
    """There is no cluster to play on. The error's text gives the reason and what to do."""


@contextlib.contextmanager
def connected(config: ClusterConfig, jobs: int) -> Iterator[Client]:
    """Yield a client of the cluster, once it has at least one worker and all workers have this program's code.

    `jobs` is the number of workers of a local cluster if the configuration does not state it. Raises ClusterError.
    """
    quiet = {"distributed.logging.distributed": "error", "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s"}
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", VersionMismatchWarning)  # versions of this program are compared below
        # Errors are reported once, below or by the run.
        for name in ("distributed", "distributed.client", "asyncio", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            if config.is_local:
                workers = config.local_workers(jobs)
                cluster = stack.enter_context(local_cluster(workers, config.worker_timeout_s))
                client = stack.enter_context(Client(cluster, set_as_default=False))
            else:
                address, security = _address_and_security(config)
                client = stack.enter_context(
                    Client(address, security=security, timeout=CONNECT_S, set_as_default=False)
                )
            with interruption.raise_on_signals():  # not earlier: a cluster interrupted while it starts never ends
                _await_worker(client)
        # asyncio's TimeoutError is no OSError before Python 3.11; a cluster that does not start raises RuntimeError.
        except (OSError, asyncio.TimeoutError, RuntimeError, ValueError) as error:
            reason = str(error).split("\n")[0]
            raise ClusterError(f"--cluster {config.address}: {reason}") from error
        require_same_code(client)
        yield client


def count_slots(client: Client) -> int:
    """Return how many pairs the workers can play at the same time, which is the sum of their CORE resources."""
    return sum(_slots_by_worker(client))


def _slots_by_worker(client: Client) -> list[int]:
    """Return the CORE resources of each worker."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [int(worker["resources"].get(CORE, 0)) for worker in workers]


def _await_worker(client: Client) -> None:
    """Wait for the first worker that plays games.

    Raises TimeoutError if no worker joins within FIRST_WORKER_S, and ValueError if the workers lack the resource CORE.
    """
    give_up = time.monotonic() + FIRST_WORKER_S
    while not any(slots := _slots_by_worker(client)):
        if slots:  # a worker has its resources from the start
            message = _("none of the {number} workers plays games: start them with --resources {core}=1")
            raise ValueError(message.format(number=len(slots), core=CORE))
        if time.monotonic() > give_up:
            raise TimeoutError(_("no worker joined the cluster within {limit:g} s").format(limit=FIRST_WORKER_S))
        time.sleep(LOOK_S)


def require_same_code(client: Client) -> None:
    """Raise ClusterError if a worker lacks this program or has another version, which may judge differently."""
    own = code_version()
    try:
        versions = call_with_limit(lambda: client.run(code_version), ANSWER_S)
    except Exception as error:  # a worker without this program may raise anything
        message = _(
            "--cluster: one of the workers does not have this program ({error}): install this version on all of them"
        )
        raise ClusterError(message.format(error=error)) from error
    for address, version in versions.items():
        if version != own:
            message = _(
                "--cluster: the worker {address} has another version of this program: install the same version there"
            )
            raise ClusterError(message.format(address=address))


def code_version() -> str:
    """Return the version of the judge: a hash of its files, which is the same wherever they are installed."""
    files = [path for package in PACKAGES for path in sorted((CHECKOUT / package).rglob("*.py"))]
    return digest((path.relative_to(CHECKOUT).as_posix(), path) for path in files)[:DIGITS]


def _address_and_security(config: ClusterConfig) -> tuple[str, Security | None]:
    """Return (the address of the scheduler that the configuration names, its Security or None).

    Raises ValueError if the address or the certificates are wrong, or if the connection would not be secure.
    """
    certificates = (config.ca, config.certificate, config.key)
    address = config.address if "://" in config.address else f"{TLS if any(certificates) else TCP}://{config.address}"
    parts = urlsplit(address)
    if parts.scheme not in (TCP, TLS) or not parts.hostname or parts.port is None:
        raise ValueError(_("expected local, local:N, tcp://HOST:PORT or tls://HOST:PORT"))
    if parts.scheme == TLS:
        if not all(certificates):
            raise ValueError(_("TLS needs --tls-ca, --tls-cert and --tls-key"))
        for path in filter(os.path.exists, filter(None, certificates)):  # a missing file is reported later
            try:
                require_file(path, 2**20)
            except OSError as error:
                raise ValueError(str(error)) from None
        files = {"tls_ca_file": config.ca, "tls_client_cert": config.certificate, "tls_client_key": config.key}
        return address, Security(require_encryption=True, **files)
    if any(certificates):
        raise ValueError(_("--tls-ca, --tls-cert and --tls-key need an address of the form tls://HOST:PORT"))
    if not config.is_insecure and not is_loopback(parts.hostname):
        raise ValueError(
            _(
                "anyone who reaches that scheduler can run programs on all its workers: use TLS (--tls-ca, "
                "--tls-cert, --tls-key) or an ssh tunnel, or accept the risk with --insecure"
            )
        )
    return address, None


def is_loopback(host: str) -> bool:
    """Return whether all addresses of a host are loopback addresses; False if its name cannot be resolved."""
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False  # connecting reports the reason
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)
