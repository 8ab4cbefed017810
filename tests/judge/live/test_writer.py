"""The file of running games: one short write for what happens, gone with the run, and no game's concern."""

import fcntl
import os
import threading

import pytest

from judge import live as writer_module
from judge.live import LONGEST_MOVE, SHORT_REPORT, Follower, LiveWriter, is_running, live_path, read_event
from judge.play.referee import Interrupted
from protocol.records.record import append_record
from tests.judge.helpers.scripted import BOARD, bot, plan
from tests.judge.live.helpers.told import Told, content, seen
from tests.protocol.records.examples import record


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


def test_it_comes_with_the_first_game_and_goes_with_the_run(path):
    with LiveWriter(path) as writer:
        assert not live_path(path).exists() and not is_running(path)
        game = Told(writer, "a")
        assert live_path(path).name == "games.jsonl.live" and is_running(path)
        game.move(3)
        writer.ended("a")
        assert is_running(path)
    assert os.listdir(path.parent) == [] and not is_running(path)


def test_a_folder_made_for_it_goes_where_nothing_else_is_in_it(tmp_path):
    path = tmp_path / "a" / "b" / "games.jsonl"
    with LiveWriter(path) as writer:
        Told(writer, "a")
        assert is_running(path)
    assert os.listdir(tmp_path) == []
    with LiveWriter(path) as writer:
        Told(writer, "a")
        append_record(path, record())
    assert os.listdir(path.parent) == ["games.jsonl"]


def test_a_move_is_one_short_write_and_never_synced(path, monkeypatch):
    written = []
    real_write = os.write

    def write(descriptor, data):
        written.append(len(data))
        return real_write(descriptor, data)

    def refuse(descriptor):
        raise AssertionError("synced")

    with LiveWriter(path) as writer:
        game = Told(writer, "a" * 32)
        monkeypatch.setattr(writer_module.os, "write", write)
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(writer_module.os, name, refuse)
        report = {"value": 0.25, "depth": 30, "iterations": 10**6, "pv": list(range(24)), "proven": None}
        game.move(20, report)
        assert len(written) == 20 and max(written) < 500
        game.move(1, {**report, "pv": list(range(10_000))})
        game.move(1, {**dict.fromkeys(SHORT_REPORT, "x" * 1000)})
        assert len(written) == 22 and max(written) <= LONGEST_MOVE
        follower = Follower(path)
        (live,) = follower.poll().live.values()
        reports = [move.report for move in live.record.moves[-3:]]
        assert reports == [report, {name: report[name] for name in SHORT_REPORT}, None]
        follower.close()


def test_a_large_file_is_written_anew_with_the_games_that_run(path, monkeypatch):
    monkeypatch.setattr(writer_module, "LARGEST_BYTES", 20_000)
    with LiveWriter(path) as writer:
        follower = Follower(path)
        running = Told(writer, "running", index=1).move(3)
        largest = 0
        for number in range(30):
            Told(writer, str(number)).move(10)
            writer.ended(str(number))
            largest = max(largest, len(content(path)))
            assert seen(follower) == {"running": [move.move for move in running.moves]}
        assert 10_000 < largest <= 20_000 + LONGEST_MOVE
        running.move(2)
        assert seen(follower) == {"running": [move.move for move in running.moves]}
        assert os.listdir(path.parent) == ["games.jsonl.live"]
        follower.close()


def test_many_running_games_are_not_written_anew_with_every_move(path, monkeypatch):
    monkeypatch.setattr(writer_module, "LARGEST_BYTES", 1000)
    with LiveWriter(path) as writer:
        games = [Told(writer, str(number), index=number) for number in range(50)]
        anew = []
        real_rename = os.rename
        monkeypatch.setattr(writer_module.os, "rename", lambda *paths: anew.append(paths) or real_rename(*paths))
        for _ in range(20):
            for game in games:
                game.move()
        assert 1 <= len(anew) < 10


def test_games_of_many_threads_do_not_mix(path):
    with LiveWriter(path) as writer:
        games = [Told(writer, str(number), index=number) for number in range(8)]
        threads = [threading.Thread(target=game.move, args=(20,)) for game in games]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        follower = Follower(path)
        assert seen(follower) == {game.id: [move.move for move in game.moves] for game in games}
        follower.close()


def test_a_file_that_a_killed_judge_has_left_is_replaced(path):
    with LiveWriter(path) as writer:
        Told(writer, "old").move(4)
        left = content(path)
    live_path(path).write_bytes(left + b'{"event":"mov')
    assert not is_running(path)
    with LiveWriter(path) as writer:
        Told(writer, "new")
        assert b"old" not in content(path) and is_running(path)
    assert os.listdir(path.parent) == []


def test_of_two_runs_the_second_is_silent(path, capsys):
    with LiveWriter(path) as first, LiveWriter(path) as second:
        game = Told(first, "first").move(2)
        Told(second, "second").move(2)
        second.ended("second")
        game.move(1)
        follower = Follower(path)
        assert list(seen(follower)) == ["first"]
        follower.close()
        second.__exit__()
        assert is_running(path)
    assert capsys.readouterr().err == ""


def test_a_file_that_is_removed_comes_again_with_the_next_game(path):
    with LiveWriter(path) as writer:
        game = Told(writer, "a").move(2)
        live_path(path).unlink()
        game.move(2)
        assert not live_path(path).exists()
        Told(writer, "b")
        follower = Follower(path)
        assert {name: len(moves) for name, moves in seen(follower).items()} == {"a": 4, "b": 0}
        follower.close()


@pytest.mark.parametrize("kind", ["folder", "pipe", "other", "link"])
def test_what_is_no_such_file_is_left_alone_and_told_once(path, kind, capsys):
    live = live_path(path)
    if kind == "folder":
        live.mkdir()
    elif kind == "pipe":
        os.mkfifo(live)
    elif kind == "link":
        live.symlink_to(path.parent / "elsewhere")
        (path.parent / "elsewhere").write_bytes(b"")
    else:
        live.write_bytes(b"my notes")
    with LiveWriter(path) as writer:
        for number in range(3):
            Told(writer, str(number)).move(3)
            writer.ended(str(number))
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("note: the games go on, but nobody can watch the games while they are played: ")
    assert os.path.lexists(live)
    if kind == "other":
        assert live.read_bytes() == b"my notes"


def test_a_disk_without_room_is_told_once_and_the_file_goes(path, monkeypatch, capsys):
    with LiveWriter(path) as writer:
        game = Told(writer, "a").move(2)
        monkeypatch.setattr(writer_module.os, "write", lambda descriptor, data: len(data) // 2)
        game.move(3)
        Told(writer, "b").move(2)
        assert not live_path(path).exists()
    assert capsys.readouterr().err.count("No space left on device") == 1


def test_a_game_that_is_cut_off_ends(path):
    def interrupted(contestants, plan, observer, stop):
        observer.begun("a")
        observer.started(plan, None)
        raise Interrupted

    with LiveWriter(path) as writer:
        with pytest.raises(Interrupted):
            writer.playing(interrupted)((bot("first_legal"), bot("first_legal")), plan(board=BOARD), None, None)
        begun, ended = map(read_event, content(path).splitlines())
        assert (begun.id, type(ended).__name__, ended.id) == ("a", "Ended", "a")


def test_a_reader_that_locks_it_hinders_nobody_and_waits_for_nobody(path):
    """As read_records locks whatever file it is given."""
    live_path(path).write_bytes(b"")
    with open(live_path(path), "rb") as reader, LiveWriter(path) as writer:
        fcntl.flock(reader, fcntl.LOCK_SH)
        game = Told(writer, "a")
        assert is_running(path)
        with open(live_path(path), "rb") as another:
            fcntl.flock(another, fcntl.LOCK_SH | fcntl.LOCK_NB)
            game.move(2)
            assert is_running(path)


@pytest.mark.parametrize("ask", [writer_module.GET_LOCK, None])
def test_a_file_is_held_by_one_at_a_time(tmp_path, monkeypatch, ask):
    monkeypatch.setattr(writer_module, "GET_LOCK", ask)
    with open(tmp_path / "live", "wb") as one, open(tmp_path / "live", "wb") as another:
        writer_module.lock(one.fileno())
        with pytest.raises(BlockingIOError):
            writer_module.lock(another.fileno())


def test_where_locks_of_open_files_are_unknown_others_do(path, monkeypatch):
    monkeypatch.setattr(writer_module, "GET_LOCK", None)
    with LiveWriter(path) as writer:
        Told(writer, "a")
        assert is_running(path)
        left = content(path)
    live_path(path).write_bytes(left)
    assert not is_running(path)
