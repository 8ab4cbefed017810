"""The way to a cluster: one of this machine's own, or a scheduler's address; and whether its workers are fit."""

import contextlib
import ipaddress
import logging
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import dask.config
from distributed import Client, LocalCluster
from distributed.security import Security

from judge.language import _
from judge.players.checkout import CHECKOUT
from judge.players.content import DIGITS, digest

LOCAL = "local"
LOOPBACK = "127.0.0.1"
TCP, TLS = "tcp", "tls"
CORE = "core"  # the resource that a pair takes one of
FIRST_WORKER_S = 60.0
CONNECT_S = 20.0
# How many workers may be lost with a pair before it is taken for what ends them.
LOST_WITH_A_PAIR = 5
PACKAGES = ("judge", "protocol")  # of which workers must have the same


class ClusterError(Exception):
    """There is no cluster to play on; str() says why, and what to do."""


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for.

    address: "local", "local:N" or a scheduler's; worker_timeout_s: how long a worker may be silent; the paths of the
    certificates are None without TLS; is_insecure: a foreign address without TLS is fine.
    """

    address: str
    jobs: int
    worker_timeout_s: float
    is_insecure: bool = False
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None


@contextlib.contextmanager
def connected(wanted: Wanted) -> Iterator[Client]:
    """A client of the cluster, with one worker at least. Raises ClusterError."""
    quiet = {"distributed.logging.distributed": "error", "distributed.comm.timeouts.connect": f"{CONNECT_S:g}s"}
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        logging.getLogger("distributed").setLevel(logging.ERROR)
        try:
            if wanted.address.partition(":")[0] == LOCAL:
                cluster = stack.enter_context(_local_cluster(wanted))
                client = stack.enter_context(Client(cluster, set_as_default=False))
            else:
                address, security = _foreign(wanted)
                client = stack.enter_context(
                    Client(address, security=security, timeout=CONNECT_S, set_as_default=False)
                )
            client.wait_for_workers(1, timeout=FIRST_WORKER_S)
        except (OSError, TimeoutError, ValueError) as error:
            message = _("--cluster {address}: {error}")
            raise ClusterError(message.format(address=wanted.address, error=str(error).split("\n")[0])) from error
        require_same_code(client)
        yield client


def slots(client: Client) -> int:
    """How many pairs the workers play at a time, by their resource tags."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return int(sum(worker["resources"].get(CORE, 0) for worker in workers))


def require_same_code(client: Client) -> None:
    """Raise ClusterError where a worker has another version of the judge: it would judge otherwise."""
    own = code_version()
    try:
        others = client.run(code_version)
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


def _local_cluster(wanted: Wanted) -> LocalCluster:
    """A scheduler and workers of this machine, which nobody else can reach by the network."""
    _word, _colon, number = wanted.address.partition(":")
    if number and not (number.isascii() and number.isdecimal() and int(number) > 0):
        raise ValueError(_("expected local or local:N with N workers"))
    return LocalCluster(
        n_workers=int(number) if number else wanted.jobs,
        threads_per_worker=1,
        processes=True,
        host=LOOPBACK,
        dashboard_address=None,
        resources={CORE: 1},
        memory_limit=None,  # bots have limits of their own
        silence_logs=logging.ERROR,
        scheduler_kwargs={"worker_ttl": wanted.worker_timeout_s, "allowed_failures": LOST_WITH_A_PAIR},
    )


def _foreign(wanted: Wanted) -> tuple[str, Security | None]:
    """(a scheduler's address, how to speak to it). Raises ClusterError where that would be open to anybody."""
    address = wanted.address if "://" in wanted.address else f"{TLS if wanted.ca else TCP}://{wanted.address}"
    parts = urlsplit(address)
    if parts.scheme not in (TCP, TLS) or not parts.hostname or parts.port is None:
        raise ValueError(_("expected local, local:N, tcp://HOST:PORT or tls://HOST:PORT"))
    if parts.scheme == TLS:
        if not (wanted.ca and wanted.certificate and wanted.key):
            raise ValueError(_("TLS needs --tls-ca, --tls-cert and --tls-key"))
        files = {"tls_ca_file": wanted.ca, "tls_client_cert": wanted.certificate, "tls_client_key": wanted.key}
        return address, Security(require_encryption=True, **files)
    if not wanted.is_insecure and not is_loopback(parts.hostname):
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
