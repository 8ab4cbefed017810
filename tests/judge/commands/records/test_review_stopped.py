"""`review` stopped, killed and gone on with; two of them at one file."""

import os
import random
import signal
import subprocess
import time
import uuid

import pytest

from judge.processes import descendants
from protocol.records.record import append_record, read_records
from protocol.records.review import read_answers
from tests.judge.helpers.reviewing import NAME, REVIEW, review, said_of, valuer
from tests.judge.helpers.scripted import PATIENCE_S, judge_command, judge_environment, processes_with
from tests.judge.pages.helpers import samples


@pytest.fixture
def record(tmp_path):
    """A file of a game of dots and boxes."""
    path = tmp_path / NAME
    append_record(path, samples.game_of("dots"))
    return path


def test_two_reviews_of_one_file_exclude_each_other(tmp_path, record):
    with kept_open(tmp_path, record, valuer("dots", "--delay", 1)) as other:
        done = review(tmp_path, valuer("dots"))
        assert done.returncode == 2
        assert f"{REVIEW} is in use by another review" in done.stderr
        other.send_signal(signal.SIGINT)
        assert other.wait(PATIENCE_S) == 130
        assert "the same command goes on" in other.stdout.read()


def kept_open(folder, record, engine, **variables):
    """A review in a process of its own, which has begun to ask."""
    words = judge_command("review", NAME, "--engine", engine, "--sandbox", "off", "--jobs", 2)
    process = subprocess.Popen(
        [*words, "--oversubscribe"],
        cwd=folder,
        env=judge_environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert "positions to ask for" in process.stdout.readline()
    return process


def test_kills_at_any_moment_lose_nothing_and_repeat_nothing(tmp_path, record):
    token, engine = f"DROPFOUR_TEST={uuid.uuid4().hex}", valuer("dots", "--delay", 0.1)
    name, _, value = token.partition("=")
    chance, path, kills = random.Random(), tmp_path / REVIEW, 3
    for kill in range(kills):
        with kept_open(tmp_path, record, engine, **{name: value}) as process:
            give_up = time.monotonic() + PATIENCE_S
            before = count(path)
            while count(path) <= before and time.monotonic() < give_up:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.1))
            assert process.poll() is None, kill
            process.kill()
    answered = read_answers(path)[0]
    positions = len(said_of(read_records(record)[0][0]))
    assert kills <= len(answered) < positions
    while processes_with(token):  # the watcher ends what a killed judge has left
        time.sleep(0.05)
    for orphan in descendants.strays():  # which this process has adopted
        os.waitpid(orphan, os.WNOHANG)
    assert review(tmp_path, engine).returncode == 0
    lines = read_answers(path)[0]
    assert lines[: len(answered)] == answered
    assert sorted(line.ply for line in lines) == list(range(1, positions + 1))


def count(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0
