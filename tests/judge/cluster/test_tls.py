"""A scheduler and a worker with certificates: nobody without one is let in."""

import shutil
import subprocess

import pytest

from protocol.records.record import read_records
from tests.judge.cluster.helpers.by_hand import ONE_CORE, ByHand
from tests.judge.helpers.scripted import command, run_judge_process

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
    """A scheduler by TLS that has a worker; certificates lie in its folder."""
    folder = tmp_path_factory.mktemp("tls")
    made(folder, "ca", "node")
    made(folder, "stranger_ca", "stranger")
    tls = ("--tls-ca-file", "ca.pem", "--tls-cert", "node.pem", "--tls-key", "node.key")
    with ByHand(folder, tls) as found:
        found.worker(*ONE_CORE)
        yield found


def run(cluster, tmp_path, authority, name):
    """The end of a match of four games on the cluster, with these certificates."""
    folder = cluster.folder
    tls = ("--tls-ca", folder / f"{authority}.pem", "--tls-cert", folder / f"{name}.pem")
    words = (*MATCH, "--record", "tls.jsonl", "--cluster", cluster.address, *tls, "--tls-key", folder / f"{name}.key")
    return run_judge_process(tmp_path, *words)


def test_a_match_is_played_with_certificates(cluster, tmp_path):
    done = run(cluster, tmp_path, "ca", "node")
    assert done.returncode == 0, done.stderr
    assert "cluster: 1 games at a time" in done.stdout
    assert len(read_records(tmp_path / "tls.jsonl")[0]) == 4


@pytest.mark.parametrize("authority", ["ca", "stranger_ca"])
def test_a_certificate_that_somebody_else_signed_lets_nobody_in(cluster, tmp_path, authority):
    """Whether or not one trusts the scheduler's."""
    done = run(cluster, tmp_path, authority, "stranger")
    assert done.returncode == 2
    assert f"--cluster {cluster.address}: " in done.stderr
    assert "Traceback" not in done.stderr
