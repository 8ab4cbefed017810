"""A scheduler and a worker that were started by hand, with certificates: nobody without one is let in."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys

import pytest

from tests.judge.helpers.scripted import PATIENCE_S, command, judge_environment, run_judge_process, wait_until
from tests.places import REPOSITORY

MATCH = ("match", command("first_legal"), command("random_mover"), "--games", 4, "--free-start", "--limit", 20)

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")


def made(folder, authority, name):
    """A certificate of an authority of its own, as docs/cluster.md makes them."""
    for words in (
        f"req -x509 -newkey rsa:2048 -nodes -days 30 -keyout {authority}.key -out {authority}.pem -subj /CN=dropfour",
        f"req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN=node",
        f"x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 30 -out {name}.pem",
    ):
        subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """(a folder with certificates, the address of a scheduler with TLS that has a worker)."""
    folder = tmp_path_factory.mktemp("tls")
    made(folder, "ca", "node")
    made(folder, "stranger_ca", "stranger")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tls://127.0.0.1:{port}"
    files = ("--tls-ca-file", "ca.pem", "--tls-cert", "node.pem", "--tls-key", "node.key")
    with contextlib.ExitStack() as stack:
        for words in (
            ("scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"),
            ("worker", address, "--nworkers", "1", "--nthreads", "1", "--resources", "core=1", "--no-dashboard"),
        ):
            log = stack.enter_context(open(folder / f"{words[0]}.log", "wb"))
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *files],
                cwd=folder,
                env=judge_environment(PYTHONPATH=str(REPOSITORY)),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            stack.callback(ended, process)
        wait_until(lambda: b"Registered to" in (folder / "worker.log").read_bytes(), PATIENCE_S)
        yield folder, address


def ended(process):
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    finally:
        process.kill()


def run(cluster, tmp_path, authority, name):
    """The end of a match of four games on the cluster, with these certificates."""
    folder, address = cluster
    tls = ("--tls-ca", folder / f"{authority}.pem", "--tls-cert", folder / f"{name}.pem")
    return run_judge_process(tmp_path, *MATCH, "--cluster", address, *tls, "--tls-key", folder / f"{name}.key")


def test_a_match_is_played_with_certificates(cluster, tmp_path):
    done = run(cluster, tmp_path, "ca", "node")
    assert done.returncode == 0, done.stderr
    assert "cluster: 1 games at a time" in done.stdout
    assert os.listdir(tmp_path)


@pytest.mark.parametrize("authority", ["ca", "stranger_ca"])
def test_a_certificate_that_somebody_else_signed_lets_nobody_in(cluster, tmp_path, authority):
    """Whether or not one trusts the scheduler's."""
    done = run(cluster, tmp_path, authority, "stranger")
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()[-1:]
    assert line.startswith(f"error: --cluster {cluster[1]}: ")
    assert "Traceback" not in done.stderr
