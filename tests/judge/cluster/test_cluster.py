"""Whole runs on a cluster of this machine: the same games as here, and nothing lost with a worker."""

import contextlib
import json
import os
import signal
import subprocess

import psutil
import pytest

from judge.command_parts import cluster_run
from judge.statistics import score
from protocol.records.record import read_records
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
SLOW = command("first_legal", "--delay", 0.02)
COMMON = ("--free-start", "--limit", WIDE_LIMIT_S, "--seed", 8, "--no-machine-check")
LOCAL = ("--cluster", "local:2", "--oversubscribe")


def played(folder, name, *words):
    """(the JSON object, the records in the order of the schedule, the process) of a run."""
    path = folder / f"{name}.jsonl"
    done = run_judge_process(folder, *words, *COMMON, "--record", path, "--json")
    assert done.returncode == 0, done.stderr
    records = sorted(read_records(path)[0], key=lambda record: record.extra["index"])
    return json.loads(done.stdout.splitlines()[-1]), records, done


def games_of(records):
    """What must not depend on where a game was played."""
    return [(record.board, record.first, record.pair, moves_of(record), record.winner) for record in records]


def workers(judge):
    """The processes of a run's workers: those that it has started and that play."""
    return [process for process in psutil.Process(judge.pid).children() if bots_below(process)]


def bots_below(process):
    try:
        return [child for child in process.children(recursive=True) if "first_legal.py" in " ".join(child.cmdline())]
    except psutil.Error:
        return []


def test_a_match_has_the_same_games_as_without_a_cluster(tmp_path):
    words = ("match", MOVER, command("first_legal"), "--games", 7)
    here, expected, _ = played(tmp_path, "here", *words)
    outcome, records, done = played(tmp_path, "there", *words, *LOCAL)
    assert games_of(records) == games_of(expected)
    assert "cluster: 2 games at a time" in done.stdout
    for name in ("games", "wins", "losses", "draws", "pairs"):
        assert outcome[name] == here[name], name
    for record in records:
        assert set(record.extra["worker"]) == {"host", "cpu_level"}
        assert record.extra["machine"] is None
        assert record.extra["schedule"] == expected[0].extra["schedule"]


def test_what_a_run_here_began_a_cluster_ends(tmp_path):
    played(tmp_path, "run", "match", MOVER, MOVER, "--games", 3)
    _outcome, records, _ = played(tmp_path, "run", "match", MOVER, MOVER, "--games", 6, "--resume", *LOCAL)
    _outcome, expected, _ = played(tmp_path, "whole", "match", MOVER, MOVER, "--games", 6)
    assert games_of(records) == games_of(expected)


def test_an_sprt_ends_at_the_same_pair(tmp_path):
    words = ("sprt", MOVER, command("misbehave", "off_board"), "--elo0", 0, "--elo1", 100, "--keep-going")
    here, _expected, _ = played(tmp_path, "here", *words)
    there, _records, _ = played(tmp_path, "there", *words, *LOCAL)
    assert here["verdict"] == there["verdict"] == "H1"
    assert (there["llr"], there["pairs"]) == (here["llr"], here["pairs"])


@pytest.mark.parametrize("words", [("batch", MOVER, "--against", MOVER, SLOW), ("tournament", MOVER, SLOW)])
def test_batches_and_tournaments_play_there_too(tmp_path, words):
    _outcome, records, _ = played(tmp_path, "run", *words, "--rounds", 2, *LOCAL)
    assert len(records) == {"batch": 8, "tournament": 4}[words[0]]
    assert {record.extra["worker"]["host"] for record in records} == {os.uname().nodename}


def begun(folder, *words, games=1000, token="", **options):
    """A match on a cluster that goes on, and whose processes carry the token."""
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        judge_command("match", SLOW, SLOW, "--games", games, *LOCAL, *COMMON, "--record", "match.jsonl", *words),
        cwd=folder,
        env=judge_environment(DROPFOUR_TEST_TOKEN=token),
        **{**streams, **options},
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "as if its network were cut"])
def test_a_worker_that_is_lost_loses_no_game_and_none_counts_twice(tmp_path, how):
    _outcome, expected, _ = played(tmp_path, "here", "match", SLOW, SLOW, "--games", 8, "--jobs", 2, "--oversubscribe")
    judge = begun(tmp_path, "--worker-timeout", 5, games=8)
    try:
        wait_until(lambda: len(workers(judge)) == 2, PATIENCE_S)
        lost = workers(judge)[0]
        os.kill(lost.pid, how)
        _out, errors = judge.communicate(timeout=PATIENCE_S)
        assert judge.returncode == 0, errors
    finally:
        judge.kill()
    records = sorted(read_records(tmp_path / "match.jsonl")[0], key=lambda record: record.extra["index"])
    assert [record.extra["index"] for record in records] == list(range(8))
    assert games_of(records) == games_of(expected)
    assert score.score(records) == score.score(expected)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_run_that_is_stopped(tmp_path, number):
    token = f"of-{tmp_path.name}-{number}"
    judge = begun(tmp_path, token=token, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: (tmp_path / "match.jsonl").exists(), PATIENCE_S)
        judge.send_signal(number)
        judge.wait(PATIENCE_S)
        wait_until(lambda: processes_with(f"DROPFOUR_TEST_TOKEN={token}") == [], PATIENCE_S)
    finally:
        judge.kill()
    records, torn = read_records(tmp_path / "match.jsonl")
    assert records and not torn


def test_ctrl_c_on_a_terminal_is_heard_by_all_and_leaves_no_traceback(tmp_path):
    judge = begun(tmp_path, stdout=subprocess.PIPE, start_new_session=True)
    try:
        wait_until(lambda: (tmp_path / "match.jsonl").exists(), PATIENCE_S)
        os.killpg(judge.pid, signal.SIGINT)
        said, errors = judge.communicate(timeout=PATIENCE_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(judge.pid, signal.SIGKILL)
    assert judge.returncode == 0
    assert "Traceback" not in errors and "--resume" in said + errors


def has_spawned(judge):
    """Whether a worker's process is there."""
    for child in psutil.Process(judge.pid).children():
        with contextlib.suppress(psutil.Error):  # it has ended
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                return True
    return False


def test_ctrl_c_is_heard_while_the_cluster_starts(tmp_path):
    """And leaves nothing, whichever part of that it meets."""
    token = f"of-{tmp_path.name}"
    judge = begun(tmp_path, token=token)
    wait_until(lambda: has_spawned(judge), PATIENCE_S)
    judge.send_signal(signal.SIGINT)
    _out, errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode in (0, 130)
    assert "Traceback" not in errors
    wait_until(lambda: processes_with(f"DROPFOUR_TEST_TOKEN={token}") == [], PATIENCE_S)


def test_a_finished_run_needs_no_cluster(tmp_path):
    played(tmp_path, "run", "match", MOVER, MOVER, "--games", 2)
    nobody = ("--cluster", "tcp://127.0.0.1:1")
    outcome, _records, _ = played(tmp_path, "run", "match", MOVER, MOVER, "--games", 2, "--resume", *nobody)
    assert outcome["games"] == 2


def test_a_player_that_does_not_start_on_the_worker_ends_the_run_with_the_reason(tmp_path):
    script = tmp_path / "ends.py"
    script.write_text("raise SystemExit(3)")
    words = ("match", MOVER, f"python3 {script}", "--games", 2, *LOCAL, *COMMON, "--record", "match.jsonl")
    done = run_judge_process(tmp_path, *words)
    assert done.returncode == 2
    assert f"the worker {os.uname().nodename}: " in done.stderr
    assert "cannot start: it ended with status 3 before its first turn" in done.stderr
    assert not (tmp_path / "match.jsonl").exists()


def test_more_workers_here_than_cores_are_a_wish_of_its_own(tmp_path):
    done = run_judge(tmp_path, "match", MOVER, MOVER, "--games", 2, "--cluster", "local:1000")
    assert done.returncode == 2 and "--oversubscribe" in done.stderr
    done = run_judge(tmp_path, "match", MOVER, MOVER, "--games", 2, "--cluster", "local:none")
    assert "--cluster local:none: expected local or local:N with N workers" in done.stderr
    address = ("--cluster", "tcp://127.0.0.1:1", "--worker-timeout", 9)
    done = run_judge(tmp_path, "match", MOVER, MOVER, "--games", 2, *address)
    assert done.returncode == 2 and "--worker-timeout is for --cluster local" in done.stderr


def test_a_player_that_is_not_on_the_worker_ends_the_run_with_the_reason(tmp_path):
    words = ("match", MOVER, "no-such-program --fast", "--games", 2, *LOCAL, *COMMON, "--record", "match.jsonl")
    done = run_judge_process(tmp_path, *words)
    assert done.returncode == 2
    assert "no-such-program is not on this worker; commands do not travel" in done.stderr
    assert "Traceback" not in done.stderr


def test_forensics_stay_here(tmp_path):
    done = run_judge(tmp_path, "match", MOVER, MOVER, "--games", 2, *LOCAL, "--forensics", "cases")
    assert done.returncode == 2 and "--forensics is for games on this machine" in done.stderr


def test_without_the_package_it_is_said_how_to_get_it(tmp_path, capsys, monkeypatch):
    from judge.commands.contests import match

    monkeypatch.setattr(cluster_run, "NEEDED", "no_such_package")
    with pytest.raises(SystemExit):
        match.main([MOVER, MOVER, "--games", "2", *LOCAL])
    assert "scripts/setup cluster" in capsys.readouterr().err
