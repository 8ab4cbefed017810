"""The options of commands whose games may be played on a cluster."""

import argparse

from judge.command_line.number_types import seconds
from judge.language import _

WORKER_TIMEOUT_S = 60.0


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """--cluster, and what says how it is reached."""
    group = parser.add_argument_group(_("a cluster (its danger: docs/cluster.md)"))
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=_("play on the workers of this dask scheduler, or on local[:N] of this machine (default: here)"),
    )
    group.add_argument(
        "--worker-timeout",
        type=seconds,
        metavar="S",
        help=_("with local: give a worker that is silent for so long up (default: {value:g})").format(
            value=WORKER_TIMEOUT_S
        ),
    )
    group.add_argument("--tls-ca", metavar="FILE", help=_("the certificate that signs those of the cluster"))
    group.add_argument("--tls-cert", metavar="FILE", help=_("this program's own certificate"))
    group.add_argument("--tls-key", metavar="FILE", help=_("its key"))
    group.add_argument("--insecure", action="store_true", help=_("allow a foreign address without TLS"))
