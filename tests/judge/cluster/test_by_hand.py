"""Runs at the address of a scheduler that was started by hand, and what may happen to that."""

import signal
import subprocess
import sys

import pytest

from protocol.records.record import read_records
from tests.judge.cluster.helpers.by_hand import ONE_CORE, ByHand
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    command,
    judge_command,
    judge_environment,
    run_judge_process,
    wait_until,
)

SLOW = command("first_legal", "--delay", 0.02)
MATCH = ("match", SLOW, SLOW, "--free-start", "--limit", 20, "--seed", 8, "--record", "match.jsonl")


@pytest.fixture
def cluster(tmp_path):
    """A scheduler without workers."""
    with ByHand(tmp_path) as found:
        yield found


def begun(cluster, games):
    """A match that goes on, and has a game already."""
    judge = subprocess.Popen(
        judge_command(*MATCH, "--games", games, "--cluster", cluster.address),
        cwd=cluster.folder,
        env=judge_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: recorded(cluster) or judge.poll() is not None)
    return judge


def recorded(cluster):
    path = cluster.folder / "match.jsonl"
    return read_records(path)[0] if path.exists() else []


def numbers_of(records):
    return sorted(record.extra["index"] for record in records)


def test_workers_that_offer_no_core_are_told_how_to(cluster):
    cluster.worker()
    done = run_judge_process(cluster.folder, *MATCH, "--games", 2, "--cluster", cluster.address)
    assert done.returncode == 2
    assert "none of 1 workers plays games: they have to be started with --resources core=1" in done.stderr


def test_a_worker_tells_how_busy_its_machine_is(cluster):
    cluster.worker(*ONE_CORE)
    words = ["match", SLOW, SLOW, "--games", "2", "--free-start", "--limit", "20", "--record", "match.jsonl"]
    words = [sys.executable, "-m", "judge", *words, "--cluster", cluster.address]
    subprocess.run(words, cwd=cluster.folder, env=judge_environment(), check=True, capture_output=True)
    for record in recorded(cluster):
        assert record.extra["machine"]["jobs"] == 1 and record.extra["machine"]["state"] in ("idle", "busy")


def test_a_scheduler_that_dies_ends_the_run_which_can_go_on_here(cluster):
    cluster.worker(*ONE_CORE)
    judge = begun(cluster, 40)
    cluster.scheduler.send_signal(signal.SIGKILL)
    _out, errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 2, errors
    assert "the scheduler is gone" in errors
    assert "--record match.jsonl --resume" in errors
    assert "Traceback" not in errors
    played = len(recorded(cluster))
    assert 0 < played < 40
    done = run_judge_process(cluster.folder, *MATCH, "--games", played + 2, "--resume")
    assert done.returncode == 0, done.stderr
    assert numbers_of(recorded(cluster)) == list(range(played + 2))


def test_a_run_waits_for_a_worker_when_none_is_left(cluster):
    first = cluster.worker(*ONE_CORE)
    judge = begun(cluster, 8)
    first.kill()
    for line in judge.stderr:
        if "no worker is left; waiting for another" in line:
            break
    cluster.worker(*ONE_CORE)
    _out, errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 0, errors
    assert numbers_of(recorded(cluster)) == list(range(8))
