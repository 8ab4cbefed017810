"""The record file under what may happen to a file: other names, another judge, removed, no room, damaged, no file."""

import contextlib
import fcntl
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import pexpect
import pytest

from judge.play.referee import Interrupted
from judge.runs import record_file
from judge.runs.record_file import exclusive_lock
from protocol.records import json_lines
from protocol.records.record import RecordError, append_records, in_lines, read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    judge_environment,
    run_judge,
    wait_until,
)
from tests.judge.runs.helpers.at_once import ADA, BOB, AtOnce, run_at_once
from tests.protocol.records.examples import record

MOVER = command("first_legal")
SLOW = command("first_legal", "--delay", 0.01)
COMMON = ("--seed", 7, "--limit", WIDE_LIMIT_S, "--free-start")


@contextlib.contextmanager
def limited(kind, most):
    """This process with a limit of the kernel's."""
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


def stopped_after(number):
    def before(contestants, plan, stop):
        if plan.index == number:
            stop.set()
            raise Interrupted

    return AtOnce(before=before)


@pytest.mark.parametrize(
    "words",
    [
        ("match", ADA, BOB, "--games", 10**12),
        ("sprt", ADA, BOB, "--games", 10**12, "--elo0", 0, "--elo1", 5),
        ("batch", ADA, "--against", BOB, "./cyd", "--rounds", 10**11),
        ("tournament", ADA, BOB, "--rounds", 10**6),
    ],
    ids=lambda words: words[0],
)
def test_a_run_of_any_length_starts_at_once_in_little_memory(tmp_path, words):
    """A list of the games would not fit anywhere."""
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    with limited(resource.RLIMIT_AS, taken + 600 * 2**20):
        done = run_at_once(tmp_path, *words, *COMMON, "--record", "games.jsonl", play=stopped_after(3))
    assert done.returncode == 0, done.stderr
    assert len(read_records(tmp_path / "games.jsonl")[0]) == 3


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_another_name_of_a_file_is_no_way_round_its_lock(tmp_path, link):
    path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    path.touch()
    link(path, other)
    for first, second in ((path, other), (other, path)):
        with exclusive_lock(first) as held, exclusive_lock(second) as held_too:
            assert (held is None, held_too) == (False, None)
        with exclusive_lock(second) as held:
            assert held is not None
    assert list(tmp_path.glob("*.lock")) == []


def test_a_name_that_a_new_file_gets_later_is_no_way_round_its_lock(tmp_path):
    path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    with exclusive_lock(path):
        os.link(path, other)
        with exclusive_lock(other) as held_too:
            assert held_too is None
        with pytest.raises(RecordError, match="is in use by another judge"):
            append_records(other, [record()])
    assert list(tmp_path.iterdir()) == [other]  # a file without a game is removed again


def test_a_file_that_was_there_stays(tmp_path):
    path = tmp_path / "games.jsonl"
    path.touch()
    with exclusive_lock(path):
        pass
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_to_a_file_that_is_not_there_yet_is_the_same_file(tmp_path):
    os.symlink("games.jsonl", tmp_path / "link.jsonl")
    with exclusive_lock(tmp_path / "link.jsonl") as held, exclusive_lock(tmp_path / "games.jsonl") as held_too:
        assert (held is None, held_too) == (False, None)
    assert list(tmp_path.iterdir()) == [tmp_path / "link.jsonl"]


def test_a_second_judge_is_refused_by_every_name(tmp_path):
    (tmp_path / "games.jsonl").touch()
    os.link(tmp_path / "games.jsonl", tmp_path / "hard.jsonl")
    os.symlink("hard.jsonl", tmp_path / "link.jsonl")
    with exclusive_lock(tmp_path / "games.jsonl"):
        for name in ("games.jsonl", "hard.jsonl", "link.jsonl"):
            done = run_at_once(tmp_path, "match", ADA, BOB, "--games", 9, *COMMON, "--record", name, "--resume")
            assert (done.returncode, f"{name} is in use by another judge" in done.stderr) == (2, True)


def test_a_file_that_is_removed_is_written_again(tmp_path):
    path, before = tmp_path / "records" / "games.jsonl", []

    def remove(contestants, plan, stop):
        if plan.index == 2:
            wait_until(lambda: len(read_records(path)[0]) == 2)
            before.append(path.read_bytes())
            shutil.rmtree(path.parent)  # the lock as well

    words = ("match", ADA, BOB, "--games", 5, *COMMON, "--record", path)
    done = run_at_once(tmp_path, *words, play=AtOnce(before=remove))
    assert done.returncode == 0
    assert path.read_bytes().startswith(before[0])
    assert [record.extra["index"] for record in read_records(path)[0]] == list(range(5))
    assert done.stderr.count(f"note: {path} was removed; its 2 games are written again") == 1


def emptied(path):
    os.truncate(path, 0)


def cut(path):
    os.truncate(path, 100)


def rewritten(path):
    path.write_bytes(bytes(path.stat().st_size))


def replaced(path):
    shutil.copy(path, f"{path}.copy")
    os.replace(f"{path}.copy", path)


@pytest.mark.parametrize(
    "alter, message",
    [
        (emptied, "games.jsonl is empty now: another program deleted its content during the run; "),
        (cut, "games.jsonl was cut or rewritten: it had "),
        (rewritten, "games.jsonl was cut or rewritten: it had "),
        (replaced, "games.jsonl was replaced by another file; "),
    ],
)
def test_a_file_that_another_program_alters_ends_the_run_and_loses_no_game(tmp_path, alter, message):
    path, left = tmp_path / "games.jsonl", []

    def before(contestants, plan, stop):
        if plan.index == 2:
            wait_until(lambda: path.read_bytes().count(b"\n") == 2)
            alter(path)
            left.append(path.read_bytes())

    words = ("match", ADA, BOB, *COMMON, "--record")
    done = run_at_once(tmp_path, *words, "games.jsonl", "--games", 5, play=AtOnce(before=before))
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert path.read_bytes() == left[0]  # what others did to it is theirs
    (kept,) = tmp_path.glob("dropfour-*/games.jsonl")
    options = f"--record {kept.relative_to(tmp_path)} --resume"
    command = f"the 3 games are saved in another file: continue by the same command with {options}"
    assert command in done.stderr
    assert [record.extra["index"] for record in read_records(kept)[0]] == [0, 1, 2]
    assert run_at_once(tmp_path, *words, kept, "--games", 5, "--resume").returncode == 0
    assert len(read_records(kept)[0]) == 5


def test_a_single_game_does_not_get_into_the_file_of_a_run(tmp_path):
    """Such a file could not be resumed."""
    with exclusive_lock(tmp_path / "games.jsonl") as held:
        held.append(in_lines([record()]))
        before = (tmp_path / "games.jsonl").read_bytes()
        for words in (("play", MOVER, MOVER), ("human", MOVER)):
            done = run_judge(tmp_path, *words, "--record", "games.jsonl", *COMMON[:4])
            assert (done.returncode, done.stdout) == (2, ""), words
            assert "error: games.jsonl is in use by another judge; name another file\n" in done.stderr, words
        said = record_file.append(tmp_path / "games.jsonl", record())()  # as of a game that began before the run
        assert read_records(said.partition("; the game is saved in ")[2])[0] == [record()]
    assert (tmp_path / "games.jsonl").read_bytes() == before


def test_who_locks_the_file_for_no_reason_does_not_hold_up_a_run(tmp_path, monkeypatch):
    """A player may lock all that it may read."""
    monkeypatch.setattr(record_file, "FLOCK_PATIENCE_S", 0.01)
    monkeypatch.setattr(json_lines, "READ_PATIENCE_S", 0.01)
    words = ("match", ADA, BOB, *COMMON, "--record", "games.jsonl")
    assert run_at_once(tmp_path, *words, "--games", 2).returncode == 0
    with open(tmp_path / "games.jsonl") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert run_at_once(tmp_path, *words, "--games", 4, "--resume").returncode == 0
        assert len(read_records(tmp_path / "games.jsonl")[0]) == 4


def test_nobody_gets_a_lease_on_the_file_of_a_run(tmp_path):
    with (
        exclusive_lock(tmp_path / "games.jsonl"),
        open(tmp_path / "games.jsonl") as file,
        pytest.raises(BlockingIOError),
    ):
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)


def test_a_run_without_room_ends_with_whole_records(tmp_path):
    """The kernel's limit on the size of files stands for the disk."""
    words = ("match", ADA, BOB, *COMMON, "--record", "m.jsonl")
    with limited(resource.RLIMIT_FSIZE, 8192):
        done = run_at_once(tmp_path, *words, "--games", 40)
    assert done.returncode == 2
    error = done.stderr.splitlines()[-2]
    assert error.startswith("error: m.jsonl: File too large; raise the limit on the size of files (ulimit -f); ")
    assert error.endswith("continue by the same command with --record m.jsonl --resume")
    records, torn = read_records(tmp_path / "m.jsonl")
    assert (0 < len(records) < 40, torn) == (True, [])
    assert run_at_once(tmp_path, *words, "--games", len(records) + 1, "--resume").returncode == 0
    assert read_records(tmp_path / "m.jsonl")[0][:-1] == records


def test_a_game_without_room_is_told_and_kept_elsewhere(tmp_path, monkeypatch):
    path, other = tmp_path / "p.jsonl", tmp_path / "elsewhere"
    append_records(path, [record(extra={"padding": "x" * 20_000})])
    before = path.read_bytes()
    other.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(other))
    with limited(resource.RLIMIT_FSIZE, len(before) + 500):
        done = run_judge(tmp_path, "play", MOVER, MOVER, *COMMON, "--record", "p.jsonl")
    assert done.returncode == 2
    assert " wins after " in done.stdout
    assert path.read_bytes() == before
    (kept,) = other.glob("*/game.jsonl")
    assert f"; the game is saved in {kept}" in done.stderr
    assert len(read_records(kept)[0]) == 1


def test_a_terminal_that_is_closed_costs_no_record(tmp_path):
    words = ("match", SLOW, SLOW, "--games", 10**9, *COMMON, "--record", "games.jsonl", "--no-machine-check")
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "judge", *map(str, words)],
        cwd=str(tmp_path),
        env=judge_environment(TERM="xterm"),
        timeout=PATIENCE_S,
    )
    terminal.expect_exact("2/1000000000 games")
    os.close(terminal.child_fd)  # and the kernel sends SIGHUP to whoever it was the terminal of
    wait_until(lambda: not list(tmp_path.glob("*.lock")))
    records, torn = read_records(tmp_path / "games.jsonl")
    assert (len(records) >= 2, torn) == (True, [])


PROGRAM_SUFFIXES = {
    "folder": (lambda path: path.mkdir(), "expected a file, got a folder; name another file"),
    "pipe": (os.mkfifo, "expected a file, got a pipe; name another file"),
    "device": (lambda path: path.symlink_to("/dev/full"), "expected a file, got a device; name another file"),
    "kernel": (
        lambda path: path.symlink_to("/proc/self/environ"),
        "expected a file, got a file of the kernel; name another file",
    ),
    "circle": (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
    "binary": (
        lambda path: path.write_bytes(bytes(range(256)) * 9 + b"\n"),
        "line 1: expected one JSON object",
    ),
    "text": (lambda path: path.write_text("hello\n"), "; that file holds no records: name another file"),
    "source": (
        lambda path: path.write_text('#include "Point.h"\n{"record_version": 3}\nint main() {}\n'),
        "; that file holds no records: name another file",
    ),
    "package": (
        lambda path: path.write_text('{"name": "bot"}\n' * 3),
        "; that file holds no records: name another file",
    ),
    "deep": (lambda path: path.write_text("[" * 10**6 + "\n"), "line 1: expected an object, got a list"),
}
COMMANDS = (
    ("replay", "file"),
    ("repro", "file"),
    ("play", ADA, BOB, "--record", "file"),
    ("match", ADA, BOB, "--games", 2, "--record", "file"),
)


@pytest.mark.parametrize("kind", PROGRAM_SUFFIXES)
def test_what_is_no_record_file_is_refused_before_a_game(tmp_path, kind):
    make, message = PROGRAM_SUFFIXES[kind]
    make(tmp_path / "file")
    for words in COMMANDS if kind in ("folder", "circle", "text", "source") else (COMMANDS[0], COMMANDS[3]):
        done = run_at_once(tmp_path, *words)
        is_seen_sooner = kind in ("folder", "pipe", "device", "kernel") and "--record" in words
        expected = "argument --record: 'file' is a " if is_seen_sooner else message
        assert (done.returncode, expected in done.stderr) == (2, True), (words, done.stderr)
        assert (done.stderr.count("\n"), done.stdout) == (2, ""), words


def test_the_line_that_is_told_takes_out_what_is_damaged(tmp_path):
    """Where half of the lines are damaged too."""
    path = tmp_path / "it's games.jsonl"
    append_records(path, [record(pair=pair) for pair in range(3)])
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:100] + b"\x1b[2J\n")
    assert "sed -i.damaged 2d " in run_judge(tmp_path, "replay", path).stderr
    path.write_bytes(first + second[:100] + b"\x1b[2J\n" + third)
    refused = run_judge(tmp_path, "replay", path)
    assert f"{path}, line 2: expected one JSON object: " in refused.stderr
    line = refused.stderr.partition("; remove the damaged line with ")[2].partition(", which keeps ")[0]
    subprocess.run(line, shell=True, check=True)
    assert path.read_bytes() == first + third
    assert (tmp_path / "it's games.jsonl.damaged").read_bytes().splitlines(keepends=True)[0] == first
    assert "line 2" not in run_judge(tmp_path, "replay", path).stderr
