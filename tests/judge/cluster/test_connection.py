"""The way to a cluster: which addresses are taken, that nobody is exposed by mistake, and whether workers are fit."""

import os
import shutil
import types

import pytest
from msgspec import structs

from judge.cli import playing
from judge.cluster import connection
from judge.cluster.connection import (
    ClusterError,
    call_with_limit,
    code_version,
    connected,
    is_loopback,
    require_same_code,
)
from judge.runs.config import ClusterConfig
from tests.judge.helpers.logged_games import any_record
from tests.judge.runs.helpers.at_once import ADA, BOB, run_at_once
from tests.places import REPOSITORY

CERTIFICATES = {"ca": "ca.pem", "certificate": "own.pem", "key": "own.key"}


def refusal(address, **others):
    """What is said of an address that is not gone to."""
    with pytest.raises(ClusterError) as refused, connected(ClusterConfig(address, **others), 1):
        pass
    return str(refused.value)


def test_a_number_of_workers_is_one():
    assert [ClusterConfig(address).local_workers(3) for address in ("local", "local:", "local:1", "local:12")] == [
        3,
        3,
        1,
        12,
    ]
    for address in ("local:0", "local:x", "local:-1", "local:1.5"):
        assert refusal(address) == f"--cluster {address}: expected local or local:N, where N is the number of workers"


def test_an_address_has_a_host_and_a_port():
    for address in ("http://a:1", "tcp://127.0.0.1", "127.0.0.1", "tcp://:8786", "tcp://127.0.0.1:x"):
        assert refusal(address).startswith(f"--cluster {address}: "), address


def test_a_foreign_address_needs_tls_or_a_word():
    assert "anyone who reaches that scheduler can run programs" in refusal("tcp://192.0.2.1:8786")
    assert "TLS needs --tls-ca" in refusal("tls://192.0.2.1:8786")
    for lacking in CERTIFICATES:
        others = {name: path for name, path in CERTIFICATES.items() if name != lacking}
        assert "TLS needs --tls-ca" in refusal("192.0.2.1:8786", **others)
    assert "need an address of the form tls://" in refusal("tcp://127.0.0.1:8786", **CERTIFICATES)
    wanted = ClusterConfig("192.0.2.1:8786", is_insecure=True)
    assert connection._address_and_security(wanted) == ("tcp://192.0.2.1:8786", None)
    assert connection._address_and_security(ClusterConfig("127.0.0.1:8786")) == ("tcp://127.0.0.1:8786", None)


def test_certificates_are_used_to_prove_who_one_is_and_to_hide_what_is_said():
    address, security = connection._address_and_security(ClusterConfig("192.0.2.1:8786", **CERTIFICATES))
    assert (address, security.require_encryption) == ("tls://192.0.2.1:8786", True)
    assert (security.tls_ca_file, security.tls_client_cert, security.tls_client_key) == ("ca.pem", "own.pem", "own.key")
    assert "No such file" in refusal("tls://127.0.0.1:8786", **CERTIFICATES)
    endless = {**CERTIFICATES, "key": "/dev/zero"}
    assert "/dev/zero: expected a file, got a device" in refusal("tls://127.0.0.1:8786", **endless)


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


def test_workers_must_have_the_same_program():
    require_same_code(types.SimpleNamespace(run=lambda ask: {"tcp://a": ask(), "tcp://b": code_version()}))
    with pytest.raises(ClusterError, match="the worker tcp://b has another version of this program"):
        require_same_code(types.SimpleNamespace(run=lambda ask: {"tcp://a": ask(), "tcp://b": "another"}))

    def run(ask):
        raise ModuleNotFoundError("No module named 'judge'")

    with pytest.raises(ClusterError, match=r"does not have this program \(No module named 'judge'\)"):
        require_same_code(types.SimpleNamespace(run=run))


def cluster_of(*looks):
    """A client that finds these workers, by their resources, each time that it looks."""
    found = iter(looks)

    def scheduler_info(n_workers):
        return {"workers": {str(number): {"resources": resources} for number, resources in enumerate(next(found))}}

    return types.SimpleNamespace(scheduler_info=scheduler_info)


def test_the_first_worker_that_plays_games_is_waited_for(monkeypatch):
    slept, clock = [], iter([0.0, 60.0, 60.1])
    time = types.SimpleNamespace(sleep=slept.append, monotonic=lambda: next(clock))
    monkeypatch.setattr(connection, "time", time)
    connection._await_worker(cluster_of([], [{}, {"core": 1}]))
    assert slept == [connection.LOOK_S]
    with pytest.raises(TimeoutError, match="no worker joined the cluster within 60 s"):
        clock = iter([0.0, 60.0, 60.1])
        connection._await_worker(cluster_of([], [], []))
    clock = iter([0.0])
    message = "none of the 2 workers plays games: start them with --resources core=1"
    with pytest.raises(ValueError, match=message):
        connection._await_worker(cluster_of([{}, {"gpu": 1}]))
    assert connection.count_slots(cluster_of([{"core": 2.0}, {}, {"core": 1}])) == 3


def test_an_answer_is_waited_for_so_long_and_no_longer():
    reader, writer = os.pipe()
    with pytest.raises(TimeoutError, match="the cluster did not answer within 0.05 s"):
        call_with_limit(lambda: os.read(reader, 1), 0.05)
    os.write(writer, b"x")
    assert call_with_limit(lambda: 7, 60.0) == 7
    with pytest.raises(KeyError):
        call_with_limit(lambda: {}["none"], 60.0)


def refused(folder, *words):
    done = run_at_once(folder, "match", ADA, BOB, "--games", 2, "--record", "match.jsonl", *words)
    assert done.returncode == 2
    return done.stderr


def test_what_does_not_go_with_a_cluster_is_refused_before_a_game(tmp_path, monkeypatch):
    assert "--oversubscribe" in refused(tmp_path, "--cluster", "local:1000")
    said = refused(tmp_path, "--cluster", "local:none")
    assert "--cluster local:none: expected local or local:N, where N is the number of workers" in said
    elsewhere = ("--cluster", "tcp://127.0.0.1:1")
    assert "--worker-timeout is only for --cluster local" in refused(tmp_path, *elsewhere, "--worker-timeout", 9)
    assert "--forensics cannot be combined with --cluster" in refused(tmp_path, *elsewhere, "--forensics", "cases")
    monkeypatch.setattr(playing, "CLUSTER_PACKAGE", "no_such_package")
    assert "scripts/setup cluster" in refused(tmp_path, *elsewhere)


def test_a_finished_run_needs_no_cluster(tmp_path):
    words = ("match", ADA, BOB, "--games", 2, "--record", "match.jsonl", "--seed", 8)
    assert run_at_once(tmp_path, *words).returncode == 0
    assert run_at_once(tmp_path, *words, "--resume", "--cluster", "tcp://127.0.0.1:1").returncode == 0


def test_a_worker_without_a_sandbox_is_told_of_once(capsys):
    def record(**extra):
        return structs.replace(any_record("connect_four", 1, plies=0), extra=extra)

    told = set()
    for host in ("a\x1b", "a\x1b", "b"):
        playing._note_no_sandbox_on_worker(told, record(worker={"host": host}, no_sandbox="there are none"))
    playing._note_no_sandbox_on_worker(told, record(worker={"host": "c"}))
    playing._note_no_sandbox_on_worker(told, record(no_sandbox="there are none"))
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(" and can")[0] for line in said] == [
        r"note: bots on the worker a\x1b play without a sandbox",
        "note: bots on the worker b play without a sandbox",
    ]
    assert all(line.endswith(": there are none") for line in said)
