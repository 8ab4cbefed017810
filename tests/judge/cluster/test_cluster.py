"""Whole runs on workers of this machine: the same games as here, and nothing lost with a worker."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading

import psutil
import pytest

from judge.statistics import score
from protocol.records.record import read_records
from tests.judge.cluster.helpers.by_hand import ONE_CORE, ByHand
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    judge_command,
    judge_environment,
    moves_of,
    processes_with,
    run_judge,
    run_judge_process,
    wait_until,
)

MOVER = command("random_mover", "--seed", "{seed}")
QUICK = command("first_legal")
SLOW = command("first_legal", "--delay", 0.02)
COMMON = ("--free-start", "--limit", WIDE_LIMIT_S, "--seed", 8)
LOCAL = ("--cluster", "local:2", "--oversubscribe")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler with two workers, each of which plays a game at a time."""
    with ByHand(tmp_path_factory.mktemp("cluster")) as found:
        found.worker(*ONE_CORE)
        found.worker(*ONE_CORE)
        yield found


def played(folder, name, *words):
    """(the JSON object, the records in the order of the schedule, what is said) of a run."""
    path = folder / f"{name}.jsonl"
    done = run_judge(folder, *words, *COMMON, "--record", path, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), recorded(path), done.stdout


def recorded(path):
    records = read_records(path)[0] if path.exists() else []
    return sorted(records, key=lambda record: record.extra["index"])


def games_of(records):
    """What must not depend on where a game was played."""
    return [
        (record.extra["index"], record.board, record.first, record.pair, moves_of(record), record.winner)
        for record in records
    ]


def bots_below(process):
    found = []
    with contextlib.suppress(psutil.Error):
        for child in process.children(recursive=True):
            with contextlib.suppress(psutil.Error):  # it has ended
                found += [child] if "first_legal.py" in " ".join(child.cmdline()) else []
    return found


def test_a_match_has_the_same_games_as_without_a_cluster(cluster, tmp_path):
    words = ("match", MOVER, QUICK)
    here, expected, _ = played(tmp_path, "here", *words, "--games", 5)
    played(tmp_path, "there", *words, "--games", 1)
    address = ("--cluster", cluster.address)
    outcome, records, said = played(tmp_path, "there", *words, "--games", 5, "--resume", *address)
    assert games_of(records) == games_of(expected)
    assert "cluster: 2 games at a time" in said
    for name in ("games", "wins", "losses", "draws", "pairs"):
        assert outcome[name] == here[name], name
    for record in records[1:]:
        assert record.extra["worker"]["host"] == os.uname().nodename
        assert record.extra["machine"] is None
        assert record.extra["schedule"] == expected[0].extra["schedule"]


@pytest.mark.parametrize(
    "words, games",
    [
        (("tournament", MOVER, QUICK, "--rounds", 1), 2),
        pytest.param(("tournament", MOVER, QUICK, SLOW, "--adaptive", "--rounds", 4), 24, marks=pytest.mark.slow),
    ],
    ids=["tournament", "adaptive tournament"],
)
def test_tournaments_play_there_too(cluster, tmp_path, words, games):
    _outcome, records, _ = played(tmp_path, "run", *words, "--cluster", cluster.address)
    assert len(records) == games
    assert {record.extra["worker"]["host"] for record in records} == {os.uname().nodename}


def test_a_player_that_cannot_play_on_the_worker_ends_the_run_with_the_reason(cluster, tmp_path):
    script = tmp_path / "ends.py"
    script.write_text("raise SystemExit(3)")
    for player, reason in (
        (f"python3 {script}", "cannot start: the program ended with status 3 before its first turn"),
        ("no-such-program --fast", "no-such-program is not on this worker: install it there"),
    ):
        words = ("match", MOVER, player, "--games", 2, *COMMON, "--record", "match.jsonl")
        done = run_judge(tmp_path, *words, "--cluster", cluster.address)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr
        assert f"the worker {os.uname().nodename}: " in done.stderr
        assert not (tmp_path / "match.jsonl").exists()


def test_a_worker_that_is_lost_loses_no_game_and_none_counts_twice(cluster, tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text("1")  # reply of each player, until the worker is lost
    mover = command("first_legal", "--allowed", allowed)
    words = ("match", mover, mover, "--games", 8, *COMMON, "--limit", PATIENCE_S, "--record", "match.jsonl")
    lost = cluster.worker(*ONE_CORE)

    def lose():
        wait_until(lambda: bots_below(psutil.Process(lost.pid)))
        lost.kill()
        allowed.write_text("1000")

    losing = threading.Thread(target=lose)
    losing.start()
    done = run_judge(tmp_path, *words, "--cluster", cluster.address)
    losing.join()
    assert lost.wait(PATIENCE_S) == -signal.SIGKILL
    assert done.returncode == 0, done.stderr
    _outcome, expected, _ = played(tmp_path, "here", "match", QUICK, QUICK, "--games", 8)
    records = recorded(tmp_path / "match.jsonl")
    assert games_of(records) == games_of(expected)
    assert score.score(records) == score.score(expected)


def begun(folder, *words, games=1000, token="", cluster=LOCAL, **options):
    """A match on a cluster that goes on, and whose processes carry the token."""
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        judge_command("match", SLOW, SLOW, "--games", games, *cluster, *COMMON, "--record", "match.jsonl", *words),
        cwd=folder,
        env=judge_environment(DROPFOUR_TEST_TOKEN=token),
        **{**streams, **options},
    )


def has_games(path):
    """The file is there, and empty, before the first game has ended."""
    return path.exists() and path.stat().st_size > 0


def nothing_is_left_of(token):
    return processes_with(f"DROPFOUR_TEST_TOKEN={token}") == []


def test_ctrl_c_on_a_terminal_is_heard_by_all_and_leaves_nothing(tmp_path):
    token = f"of-{tmp_path.name}"
    judge = begun(tmp_path, token=token, stdout=subprocess.PIPE, start_new_session=True)
    try:
        wait_until(lambda: has_games(tmp_path / "match.jsonl"))
        os.killpg(judge.pid, signal.SIGINT)
        said, errors = judge.communicate(timeout=PATIENCE_S)
        wait_until(lambda: nothing_is_left_of(token))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(judge.pid, signal.SIGKILL)
    assert judge.returncode == 0
    assert "cluster: 2 games at a time" in said
    assert "Traceback" not in errors and "--resume" in said + errors
    records, torn = read_records(tmp_path / "match.jsonl")
    assert records and not torn


@pytest.mark.slow
def test_nothing_is_left_of_a_run_that_is_killed(tmp_path):
    token = f"of-{tmp_path.name}"
    judge = begun(tmp_path, token=token, stderr=subprocess.DEVNULL)
    wait_until(lambda: has_games(tmp_path / "match.jsonl"))
    judge.kill()
    judge.wait(PATIENCE_S)
    wait_until(lambda: nothing_is_left_of(token))
    records, torn = read_records(tmp_path / "match.jsonl")
    assert records and not torn


def has_spawned(judge):
    """Whether a worker's process is there."""
    for child in psutil.Process(judge.pid).children():
        with contextlib.suppress(psutil.Error):  # it has ended
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                return True
    return False


@pytest.mark.slow
def test_ctrl_c_is_heard_while_the_cluster_starts(tmp_path):
    """And leaves nothing, whichever part of that it meets."""
    token = f"of-{tmp_path.name}"
    judge = begun(tmp_path, token=token)
    wait_until(lambda: has_spawned(judge))
    judge.send_signal(signal.SIGINT)
    _out, errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode in (0, 130)
    assert "Traceback" not in errors
    wait_until(lambda: nothing_is_left_of(token))


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "as if its network were cut"])
def test_a_run_on_its_own_workers_loses_no_game_with_one(tmp_path, how):
    _outcome, expected, _ = played(tmp_path, "here", "match", SLOW, SLOW, "--games", 8, "--jobs", 2, "--oversubscribe")
    judge = begun(tmp_path, "--worker-timeout", 5, games=8)

    def workers():
        return [process for process in psutil.Process(judge.pid).children() if bots_below(process)]

    try:
        wait_until(lambda: len(workers()) == 2)
        os.kill(workers()[0].pid, how)
        _out, errors = judge.communicate(timeout=PATIENCE_S)
        assert judge.returncode == 0, errors
    finally:
        judge.kill()
    assert games_of(recorded(tmp_path / "match.jsonl")) == games_of(expected)


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_the_run_which_can_go_on_here(tmp_path):
    with ByHand(tmp_path) as cluster:
        cluster.worker(*ONE_CORE)
        judge = begun(tmp_path, games=40, cluster=("--cluster", cluster.address))
        wait_until(lambda: recorded(tmp_path / "match.jsonl") or judge.poll() is not None)
        cluster.scheduler.send_signal(signal.SIGKILL)
        _out, errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 2, errors
    assert "the connection to the scheduler is lost" in errors
    assert "--record match.jsonl --resume" in errors
    assert "Traceback" not in errors
    number = len(recorded(tmp_path / "match.jsonl"))
    assert 0 < number < 40
    _outcome, records, _ = played(tmp_path, "match", "match", SLOW, SLOW, "--games", number + 2, "--resume")
    assert [record.extra["index"] for record in records] == list(range(number + 2))


@pytest.mark.slow
def test_a_run_waits_for_a_worker_when_none_is_left(tmp_path):
    with ByHand(tmp_path) as cluster:
        first = cluster.worker(*ONE_CORE)
        judge = begun(tmp_path, games=8, cluster=("--cluster", cluster.address))
        wait_until(lambda: recorded(tmp_path / "match.jsonl") or judge.poll() is not None)
        first.kill()
        for line in judge.stderr:
            if "no worker is left; waiting for another" in line:
                break
        cluster.worker(*ONE_CORE)
        _out, errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 0, errors
    assert [record.extra["index"] for record in recorded(tmp_path / "match.jsonl")] == list(range(8))


def certified(folder, authority, name):
    """A certificate of an authority of its own, as docs/cluster.md makes them."""
    for words in (
        f"req -x509 -newkey rsa:2048 -nodes -days 30 -keyout {authority}.key -out {authority}.pem -subj /CN=dropfour",
        f"req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN=node",
        f"x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 30 -out {name}.pem",
    ):
        subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_nobody_plays_without_a_certificate_that_the_own_authority_signed(tmp_path):
    certified(tmp_path, "ca", "node")
    certified(tmp_path, "stranger_ca", "stranger")

    def run(cluster, authority, name):
        words = ("match", QUICK, QUICK, "--games", 4, *COMMON, "--record", f"{authority}_{name}.jsonl")
        tls = ("--tls-ca", f"{authority}.pem", "--tls-cert", f"{name}.pem", "--tls-key", f"{name}.key")
        return run_judge_process(tmp_path, *words, "--cluster", cluster.address, *tls)

    with ByHand(tmp_path, ("--tls-ca-file", "ca.pem", "--tls-cert", "node.pem", "--tls-key", "node.key")) as cluster:
        cluster.worker(*ONE_CORE)
        done = run(cluster, "ca", "node")
        assert done.returncode == 0, done.stderr
        assert len(recorded(tmp_path / "ca_node.jsonl")) == 4
        for authority in ("ca", "stranger_ca"):  # whether or not one trusts the scheduler's
            done = run(cluster, authority, "stranger")
            assert done.returncode == 2
            assert f"--cluster {cluster.address}: " in done.stderr
            assert "Traceback" not in done.stderr
