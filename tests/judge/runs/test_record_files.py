"""The record file under what may happen to a file: other names, another judge, removed, no room, damaged, no file."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pexpect
import psutil
import pytest

from judge.runs.sole_use import alone
from protocol.records.lines import LONGEST_LINE
from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    judge_command,
    judge_environment,
    run_judge,
)

MOVER = command("first_legal")
SLOW = command("first_legal", "--delay", 0.01)
COMMON = ("--seed", 7, "--limit", WIDE_LIMIT_S, "--free-start")


@contextlib.contextmanager
def endless(folder, *words, games=1, path="games.jsonl"):
    """A judge that plays a match, or these words, on and on, once so many games are in the file; ended as by Ctrl-C."""
    words = (*(words or ("match", SLOW, SLOW, "--games", 10**9)), *COMMON, "--record", path, "--resume")
    with open(folder / "stderr", "wb") as stderr:
        judge = subprocess.Popen(
            judge_command(*words), cwd=folder, env=judge_environment(), stdout=subprocess.DEVNULL, stderr=stderr
        )
    try:
        wait_for(lambda: judge.poll() is not None or lines_of(folder / path) >= games)
        assert judge.poll() is None, (folder / "stderr").read_text()
        yield judge
    finally:
        judge.send_signal(signal.SIGINT)
        judge.wait(PATIENCE_S)


def wait_for(condition):
    give_up = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < give_up:
        time.sleep(0.01)
    assert condition()


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize(
    "words",
    [
        ("match", SLOW, SLOW, "--games", 10**12),
        ("sprt", SLOW, SLOW, "--games", 10**12, "--elo0", 0, "--elo1", 5),
        ("batch", SLOW, "--against", SLOW, SLOW, "--rounds", 10**12),
    ],
    ids=lambda words: words[0],
)
def test_a_run_of_any_length_starts_at_once_in_little_memory(tmp_path, words):
    with endless(tmp_path, *words, games=2) as judge:
        assert psutil.Process(judge.pid).memory_info().rss < 200 * 2**20  # a list of the games would not fit anywhere


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_another_name_of_a_file_is_no_way_round_its_lock(tmp_path, link):
    path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    path.touch()
    link(path, other)
    for first, second in ((path, other), (other, path)):
        with alone(first) as is_free, alone(second) as is_free_too:
            assert (is_free, is_free_too) == (True, False)
        with alone(second) as is_free:
            assert is_free
    assert list(tmp_path.glob("*.lock")) == []


def test_a_link_to_a_file_that_is_not_there_yet_is_the_same_file(tmp_path):
    os.symlink("games.jsonl", tmp_path / "link.jsonl")
    with alone(tmp_path / "link.jsonl") as is_free, alone(tmp_path / "games.jsonl") as is_free_too:
        assert (is_free, is_free_too) == (True, False)


def test_a_second_judge_is_refused_by_every_name(tmp_path):
    (tmp_path / "games.jsonl").touch()
    os.link(tmp_path / "games.jsonl", tmp_path / "hard.jsonl")
    os.symlink("hard.jsonl", tmp_path / "link.jsonl")
    with endless(tmp_path):
        for name in ("games.jsonl", "hard.jsonl", "link.jsonl"):
            done = run_judge(tmp_path, "match", SLOW, SLOW, "--games", 9, *COMMON, "--record", name, "--resume")
            assert (done.returncode, f"{name} is in use by another judge" in done.stderr) == (2, True)


def test_a_file_that_is_removed_is_written_again(tmp_path):
    path = tmp_path / "records" / "games.jsonl"
    with endless(tmp_path, games=2, path="records/games.jsonl"):
        before = path.read_bytes()
        for file in path.parent.iterdir():  # the lock as well
            file.unlink()
        path.parent.rmdir()
        wait_for(lambda: lines_of(path) > before.count(b"\n"))
    assert path.read_bytes().startswith(before)
    indices = [record.extra["index"] for record in read_records(path)[0]]
    assert indices == list(range(len(indices)))
    said = (tmp_path / "stderr").read_text()
    assert said.count("was removed; its ") == 1
    assert "Traceback" not in said


def test_a_run_without_room_ends_with_whole_records(tmp_path):
    """The kernel's limit on the size of files stands for the disk; the bots write none."""
    words = judge_command("match", MOVER, MOVER, "--games", 40, *COMMON, "--record", "m.jsonl")
    limited = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh", *words]
    done = subprocess.run(limited, cwd=tmp_path, env=judge_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    error = done.stderr.splitlines()[-2]
    assert error.startswith("error: m.jsonl: File too large; files may not grow so large here (ulimit -f); ")
    assert error.endswith("then the same command with --record m.jsonl --resume")
    assert "Traceback" not in done.stderr
    records, torn = read_records(tmp_path / "m.jsonl")
    assert (0 < len(records) < 40, torn) == (True, [])
    resumed = run_judge(
        tmp_path, "match", MOVER, MOVER, "--games", len(records) + 1, *COMMON, "--record", "m.jsonl", "--resume"
    )
    assert resumed.returncode == 0
    assert read_records(tmp_path / "m.jsonl")[0][:-1] == records


def test_a_game_without_room_is_told_and_kept_elsewhere(tmp_path):
    path = tmp_path / "p.jsonl"
    assert run_judge(tmp_path, "play", MOVER, MOVER, *COMMON, "--record", path).returncode == 0
    before = path.read_bytes()
    blocks = len(before) // 512 + 1  # of 512 bytes, as sh counts
    words = judge_command("play", MOVER, MOVER, *COMMON, "--record", "p.jsonl")
    other = tmp_path / "elsewhere"
    other.mkdir()
    limited = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *words]
    environment = judge_environment(TMPDIR=str(other))
    done = subprocess.run(limited, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert " wins after " in done.stdout
    assert path.read_bytes() == before
    (kept,) = other.glob("*/game.jsonl")
    assert f"; the game is in {kept}" in done.stderr
    assert len(read_records(kept)[0]) == 1


def test_a_terminal_that_is_closed_costs_no_record(tmp_path):
    words = ("match", SLOW, SLOW, "--games", 10**9, *COMMON, "--record", "games.jsonl")
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "judge", *map(str, words)],
        cwd=str(tmp_path),
        env=judge_environment(TERM="xterm"),
        timeout=PATIENCE_S,
    )
    terminal.expect_exact("2/1000000000 games")
    os.close(terminal.child_fd)  # and the kernel sends SIGHUP to whoever it was the terminal of
    wait_for(lambda: not list(tmp_path.glob("*.lock")))
    records, torn = read_records(tmp_path / "games.jsonl")
    assert (len(records) >= 2, torn) == (True, [])


def a_pipe(path):
    os.mkfifo(path)


def a_line_beyond_all_size(path):
    with path.open("wb") as file:
        file.truncate(LONGEST_LINE + 2)  # zeros, and no room taken
        file.seek(0, os.SEEK_END)
        file.write(b"\n")


NO_RECORDS = {
    "folder": (lambda path: path.mkdir(), "expected a file, got a folder; name another file"),
    "pipe": (a_pipe, "expected a file, got a pipe; name another file"),
    "device": (lambda path: path.symlink_to("/dev/full"), "expected a file, got a device; name another file"),
    "circle": (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
    "binary": (
        lambda path: path.write_bytes(bytes(range(256)) * 9 + b"\n"),
        "line 1: record: expected one JSON object",
    ),
    "text": (lambda path: path.write_text("hello\n"), "sed -i.damaged 1d file takes that line out and keeps the file"),
    "long": (a_line_beyond_all_size, "line 1: expected one JSON object, got more than 67108864 bytes"),
    "deep": (lambda path: path.write_text("[" * 10**6 + "\n"), "line 1: record: expected one JSON object: expected br"),
}


@pytest.mark.parametrize("words", [("replay",), ("repro",), ("play", "--record"), ("match", "--record")])
@pytest.mark.parametrize("kind", NO_RECORDS)
def test_what_is_no_record_file_is_refused_before_a_game(tmp_path, kind, words):
    make, message = NO_RECORDS[kind]
    make(tmp_path / "file")
    players = (MOVER, MOVER, *COMMON) if "--record" in words else ()
    games = ("--games", 2) if words[0] == "match" else ()
    done = run_judge(tmp_path, words[0], *players, *games, *words[1:], "file")
    assert done.returncode == 2
    if kind in ("folder", "pipe", "device") and "--record" in words:
        message = "argument --record: 'file' is a "  # seen sooner
    assert message in done.stderr
    assert done.stderr.count("\n") == 2
    assert done.stdout == ""


def test_the_line_that_is_told_takes_out_what_is_damaged(tmp_path):
    path = tmp_path / "it's games.jsonl"
    for _ in range(3):
        assert run_judge(tmp_path, "play", MOVER, MOVER, *COMMON, "--record", path).returncode == 0
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:100] + b"\x1b[2J\n" + third)
    refused = run_judge(tmp_path, "replay", path)
    assert f"{path}, line 2: record: " in refused.stderr
    line = refused.stderr.partition("; ")[2].partition(" takes that line out")[0]
    subprocess.run(line, shell=True, check=True)
    assert path.read_bytes() == first + third
    assert (tmp_path / "it's games.jsonl.damaged").read_bytes().splitlines(keepends=True)[0] == first
    assert run_judge(tmp_path, "replay", path).returncode == 0
