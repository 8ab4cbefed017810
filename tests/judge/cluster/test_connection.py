"""The way to a cluster: which addresses are taken, and that nobody is exposed by mistake."""

import shutil

import pytest

from judge.cluster import connection
from judge.cluster.address import is_loopback
from judge.cluster.connection import ClusterError, Wanted, code_version, connected
from tests.places import REPOSITORY

CERTIFICATES = {"ca": "ca.pem", "certificate": "own.pem", "key": "own.key"}


def refusal(address, **others):
    """What is said of an address that is not gone to."""
    with pytest.raises(ClusterError) as refused, connected(Wanted(address, 1, 60.0, **others)):
        pass
    return str(refused.value)


@pytest.mark.parametrize("address", ["local:0", "local:x", "local:-1", "local:1.5"])
def test_a_number_of_workers_is_one(address):
    assert refusal(address) == f"--cluster {address}: expected local or local:N with N workers"


@pytest.mark.parametrize("address", ["http://a:1", "tcp://127.0.0.1", "127.0.0.1", "tcp://:8786", "tcp://127.0.0.1:x"])
def test_an_address_has_a_host_and_a_port(address):
    assert refusal(address).startswith(f"--cluster {address}: ")


def test_a_foreign_address_needs_tls_or_a_word():
    assert "whoever reaches that scheduler runs programs" in refusal("tcp://192.0.2.1:8786")
    assert "TLS needs --tls-ca" in refusal("tls://192.0.2.1:8786")
    assert "TLS needs --tls-ca" in refusal("tls://192.0.2.1:8786", ca="ca.pem")
    assert "certificates are for tls://" in refusal("tcp://127.0.0.1:8786", **CERTIFICATES)


def test_certificates_that_are_not_there_are_told_of():
    assert "No such file" in refusal("tls://127.0.0.1:8786", **CERTIFICATES)


@pytest.mark.parametrize(
    "host, is_own", [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("192.0.2.1", False)]
)
def test_loopback_is_this_machine_alone(host, is_own):
    assert is_loopback(host) is is_own


def test_the_code_is_the_same_wherever_it_lies(tmp_path, monkeypatch):
    for package in connection.PACKAGES:
        shutil.copytree(REPOSITORY / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    own = code_version()
    monkeypatch.setattr(connection, "CHECKOUT", tmp_path)
    assert code_version() == own
    (tmp_path / "judge" / "new.py").touch()
    assert code_version() != own
