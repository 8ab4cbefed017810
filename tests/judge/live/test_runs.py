"""Every command that plays into a record file can be followed while it does, with nothing but the files as the link."""

import contextlib
import os
import signal
import subprocess
import time

import pytest

from judge import incidents
from judge.live import Begun, Ended, Follower, LiveWriter, Moved, is_running, live_path, read_event
from protocol.records.record import Termination, read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    bot,
    command,
    judge_command,
    judge_environment,
    plan,
    run_judge,
)
from tests.judge.runs.helpers.at_once import ADA, BOB, CRASHING, AtOnce, run_at_once

SLOW = command("first_legal", "--delay", 0.01)
QUICK = command("first_legal")
COMMON = ("--seed", 7, "--limit", WIDE_LIMIT_S, "--free-start")
PLAY = ("play", SLOW, SLOW)
RUNS = {
    "match": ("match", SLOW, SLOW, "--games", 3, "--jobs", 2, "--oversubscribe"),
    "cluster": ("match", SLOW, SLOW, "--games", 4, "--cluster", "local:1"),
    "play": PLAY,
}
GAMES = {"match": 3, "cluster": 4, "play": 1}


@contextlib.contextmanager
def running(folder, *words):
    """A judge with these words, in a process of its own; what is left of it is killed."""
    judge = subprocess.Popen(
        judge_command(*words, *COMMON, "--record", "games.jsonl"),
        cwd=folder,
        env=judge_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield judge
    finally:
        judge.kill()
        judge.wait()


def polled_until(follower, condition):
    """The first changes that fulfil the condition."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        changes = follower.poll()
        if condition(changes):
            return changes
        time.sleep(0.005)
    raise AssertionError("it never came")


@pytest.mark.parametrize(
    "name", ["match", *(pytest.param(name, marks=pytest.mark.slow) for name in ("cluster", "play"))]
)
def test_a_run_is_followed_from_its_first_game_to_its_last(tmp_path, name):
    path, allowed = tmp_path / "games.jsonl", tmp_path / "allowed"
    allowed.write_text("1")  # reply of each player, until its game is seen
    held_back = command("first_legal", "--allowed", allowed)
    words = [held_back if word == SLOW and name != "cluster" else word for word in RUNS[name]]
    follower, seen, records = Follower(path), {}, []
    with running(tmp_path, *words) as judge:
        has_run, counts = False, set()
        while judge.poll() is None:
            changes = follower.poll()
            records += changes.records
            has_run |= changes.is_running
            assert not changes.reset
            assert not {record.extra["id"] for record in records} & set(changes.live)
            for live in changes.live.values():
                seen.setdefault(live.id, []).append(live)
                counts.add(len(live.moves))
            allowed.write_text(str(1 + len(counts)))  # games go on as they are seen to
            time.sleep(0.005)
    records += follower.poll().records
    follower.close()
    assert judge.returncode == 0 and has_run
    assert [record.extra["id"] for record in records] == [record.extra["id"] for record in read_records(path)[0]]
    assert len(records) == GAMES[name]
    if name == "cluster":  # its workers tell of a game when it has ended
        assert seen == {}
    else:
        assert len(counts) > 5
    for record in (record for record in records if record.extra["id"] in seen):
        lives = seen[record.extra["id"]]
        counts = [len(live.moves) for live in lives]
        assert counts == sorted(counts)
        last = lives[-1]
        assert last.moves == record.moves[: len(last.moves)]
        found = (last.index, last.record.board, last.record.first)
        assert found == (record.extra["index"], record.board, record.first)
        assert last.record.players == record.players
    assert not live_path(path).exists()


def test_what_a_killed_judge_leaves_is_told_by_its_lock_and_replaced(tmp_path):
    path = tmp_path / "games.jsonl"
    follower = Follower(path)
    words = ("match", SLOW, SLOW, "--games", 1000, "--resume")
    with running(tmp_path, *words) as judge:
        changes = polled_until(follower, lambda changes: any(live.moves for live in changes.live.values()))
        (before,) = changes.live
        judge.send_signal(signal.SIGKILL)
        judge.wait()
    assert live_path(path).exists() and not is_running(path)
    changes = polled_until(follower, lambda changes: not changes.is_running)
    assert changes.live == {}
    with running(tmp_path, *words) as judge:
        changes = polled_until(follower, lambda changes: changes.live)
        assert before not in changes.live and changes.is_running
        judge.send_signal(signal.SIGINT)
        judge.wait(PATIENCE_S)
    assert not live_path(path).exists()
    changes = follower.poll()
    assert (changes.live, changes.is_running) == ({}, False)
    follower.close()


@pytest.mark.slow
def test_a_single_game_that_is_stopped_leaves_no_file(tmp_path):
    path = tmp_path / "games.jsonl"
    follower = Follower(path)
    with running(tmp_path, *PLAY) as judge:
        polled_until(follower, lambda changes: any(live.moves for live in changes.live.values()))
        judge.send_signal(signal.SIGINT)
        judge.wait(PATIENCE_S)
    follower.close()
    assert not live_path(path).exists()


@pytest.mark.slow
def test_two_single_games_into_one_file_do_not_hinder_each_other(tmp_path):
    path = tmp_path / "games.jsonl"
    with running(tmp_path, *PLAY) as first, running(tmp_path, *PLAY) as second:
        assert (first.wait(PATIENCE_S), second.wait(PATIENCE_S)) == (0, 0)
    assert len(read_records(path)[0]) == 2
    assert sorted(os.listdir(tmp_path)) == ["games.jsonl"]


@pytest.fixture
def told(monkeypatch):
    """The events that runs in this process write, and whether the record of a game that has ended was in the file."""
    found = []
    write = LiveWriter._write

    def noting(writer, line):
        event = read_event(line)
        found.append(event)
        if isinstance(event, Ended):
            assert event.id in writer._path.with_suffix("").read_text()
        write(writer, line)

    monkeypatch.setattr(LiveWriter, "_write", noting)
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("match", ADA, BOB, "--games", 3, "--forensics", "why"),
        ("sprt", ADA, BOB, "--games", 4, "--elo0", 0, "--elo1", 5, "--jobs", 2, "--oversubscribe"),
        ("batch", ADA, "--against", BOB, CRASHING),
        ("tournament", ADA, BOB, "--rounds", 2),
        ("play", QUICK, QUICK),
    ],
    ids=lambda words: words[0],
)
def test_every_command_tells_of_its_games_as_they_are_recorded(tmp_path, monkeypatch, told, words):
    monkeypatch.setattr(incidents, "play_game", AtOnce())
    done = run_at_once(tmp_path, *words, *COMMON, "--record", "games.jsonl")
    assert done.returncode == 0, done.stderr
    records = read_records(tmp_path / "games.jsonl")[0]
    by_id = {record.extra["id"]: record for record in records}
    begun = {event.id: event for event in told if isinstance(event, Begun)}
    assert set(begun) == set(by_id)
    for game_id, record in by_id.items():
        moves = tuple(event.move_made for event in told if isinstance(event, Moved) and event.id == game_id)
        assert moves == record.moves
        assert (begun[game_id].index, begun[game_id].record.players) == (record.extra["index"], record.players)
    if words[0] != "play":  # of which the file goes with its one game
        assert [event.id for event in told if isinstance(event, Ended)] == [*by_id]
    assert not live_path(tmp_path / "games.jsonl").exists()


def test_a_void_game_that_is_played_again_is_another_running_game(tmp_path, told):
    words = ("match", ADA, BOB, "--games", 2, *COMMON, "--record", "games.jsonl")
    assert run_at_once(tmp_path, *words, play=AtOnce({0: 2})).returncode == 0
    records, _ = read_records(tmp_path / "games.jsonl")
    assert [record.termination for record in records].count(Termination.VOID) == 2
    begun = [event for event in told if isinstance(event, Begun)]
    assert [event.index for event in begun] == [0, 0, 0, 1]
    assert [event.id for event in begun] == [record.extra["id"] for record in records]


def test_a_file_that_cannot_be_written_costs_no_game(tmp_path):
    path = tmp_path / "games.jsonl"
    live_path(path).mkdir()
    done = run_at_once(tmp_path, "match", ADA, BOB, "--games", 3, *COMMON, "--record", "games.jsonl")
    assert done.returncode == 0
    assert done.stderr.count("note: the games go on, but nobody can watch the games while they are played: ") == 1
    assert len(read_records(path)[0]) == 3


def test_a_live_file_is_no_record(tmp_path):
    path = tmp_path / "games.jsonl"
    with LiveWriter(path) as writer:
        observer = writer.observer((bot("first_legal"), bot("first_legal")))
        observer.begun("a")
        observer.started(plan(), None)
        assert list(tmp_path.glob("*.jsonl")) == []
        done = run_judge(tmp_path, "replay", live_path(path))
        assert done.returncode == 2 and "line 1: record_version: expected" in done.stderr
        assert list(tmp_path.glob("*.live")) == [live_path(path)]
