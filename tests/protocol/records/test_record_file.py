"""The record file under kills, torn lines and several writers: real processes, real files."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.records import json_lines
from protocol.records.json_lines import LONGEST_LINE
from protocol.records.record import RecordError, append_record, append_records, read_records
from tests.places import REPOSITORY
from tests.protocol.records.examples import record


def start_writer(path, name, size=2000):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.protocol.records.examples", str(path), name, str(size)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )


def kill_after(writer, lines):
    """Kill `writer` once it has reported `lines` appends; return all the pair numbers it reported."""
    reported = [int(writer.stdout.readline()) for _ in range(lines)]
    writer.send_signal(signal.SIGKILL)
    reported += [int(line) for line in writer.stdout.read().split(b"\n") if line]
    assert writer.wait() == -signal.SIGKILL
    writer.stdout.close()
    return reported


def test_appended_records_are_read_in_order(tmp_path):
    path = tmp_path / "new" / "folder" / "games.jsonl"
    written = [record(pair=pair) for pair in range(5)]
    for entry in written:
        append_record(path, entry)
    append_records(path, written[:2])
    assert read_records(path) == read_records(str(path)) == (written + written[:2], [])
    assert path.read_bytes() == b"".join(entry.to_json().encode() + b"\n" for entry in written + written[:2])


def test_an_empty_file_holds_no_records(tmp_path):
    (tmp_path / "games.jsonl").touch()
    assert read_records(tmp_path / "games.jsonl") == ([], [])


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_records(tmp_path / "games.jsonl")


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_a_torn_line_is_ignored_by_the_reader_and_set_aside_by_the_writer(tmp_path, kept):
    path = tmp_path / "games.jsonl"
    append_record(path, record(pair=0))
    torn = record(pair=1).to_json().encode()[:kept]
    with path.open("ab") as file:
        file.write(torn)

    before = path.read_bytes()
    assert read_records(path) == ([record(pair=0)], [torn])
    assert path.read_bytes() == before

    append_record(path, record(pair=2))
    assert read_records(path) == ([record(pair=0), record(pair=2)], [])
    assert Path(f"{path}.torn").read_bytes() == torn + b"\n"


@pytest.mark.parametrize("torn", [b"\0" * 4096, b'{"rows": "' + b"x" * 200_000, b"\xff\xfe"])
def test_a_file_that_is_one_torn_line(tmp_path, torn):
    path = tmp_path / "games.jsonl"
    path.write_bytes(torn)
    assert read_records(path) == ([], [torn])
    append_record(path, record())
    assert read_records(path) == ([record()], [])


def test_torn_lines_gather_beside_the_file(tmp_path):
    path = tmp_path / "games.jsonl"
    for torn in (b'{"a', b'{"b'):
        with path.open("ab") as file:
            file.write(torn)
        append_record(path, record())
    assert read_records(path) == ([record()] * 2, [])
    assert Path(f"{path}.torn").read_bytes() == b'{"a\n{"b\n'


def test_a_whole_record_without_its_newline_is_kept(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(record(pair=0).to_json())
    assert read_records(path) == ([record(pair=0)], [])
    append_record(path, record(pair=1))
    assert read_records(path) == ([record(pair=0), record(pair=1)], [])
    assert not Path(f"{path}.torn").exists()


def test_a_corrupt_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "games.jsonl"
    line = record().to_json().encode()
    for corrupt in (b'{"rows": 9', b"", b"\0\0\0", b'{"record_version": 9}'):
        path.write_bytes(b"\n".join([line, line, corrupt, line, b""]))
        with pytest.raises(RecordError, match=r"games\.jsonl, line 3: (record_version: |rows: )?expected") as refused:
            read_records(path)
        assert (refused.value.path, refused.value.line) == (path, 3)


def test_a_failed_append_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "games.jsonl"
    append_record(path, record())
    before = path.read_bytes()
    with pytest.raises(RecordError):
        append_record(path, record(extra={"a": object()}))
    assert path.read_bytes() == before


def test_a_line_that_does_not_fit_is_taken_back(tmp_path):
    """The kernel's file size limit makes the write short, as a full disk would."""
    path = tmp_path / "games.jsonl"
    append_record(path, record())
    before = path.read_bytes()
    code = (
        "import resource, signal, sys; from tests.protocol.records.examples import record\n"
        "from protocol.records.record import append_record\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
        "try: append_record(sys.argv[1], record(pair=1))\n"
        "except OSError as error: print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path), str(len(before) + 100)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"File too large: {str(path)!r}" in result.stdout
    assert path.read_bytes() == before


@pytest.mark.parametrize("appends, size", [(7, 2000), pytest.param(30, 500_000, marks=pytest.mark.slow)])
def test_killing_a_writer_loses_no_record_it_reported(tmp_path, appends, size):
    path = tmp_path / "games.jsonl"
    reported = kill_after(start_writer(path, "first", size), appends)
    records, torn_lines = read_records(path)
    pairs = [entry.pair for entry in records]
    assert len(reported) >= appends
    assert pairs[: len(reported)] == reported
    assert pairs == list(range(len(pairs)))
    assert len(torn_lines) <= 1
    append_record(path, record(pair=-1))
    records, torn_lines = read_records(path)
    assert [entry.pair for entry in records] == [*pairs, -1]
    assert torn_lines == []


def test_two_writers_at_once_and_one_killed(tmp_path):
    path = tmp_path / "games.jsonl"
    writers = {name: start_writer(path, name) for name in ("left", "right")}
    left = kill_after(writers["left"], 20)
    right = kill_after(writers["right"], 30)
    records, _ = read_records(path)
    for name, reported in (("left", left), ("right", right)):
        pairs = [entry.pair for entry in records if entry.extra["writer"] == name]
        assert pairs[: len(reported)] == reported
        assert pairs == list(range(len(pairs)))


@contextlib.contextmanager
def lease(path, lets_go):
    """A process that has a read lease on the file; at SIGIO, by which the kernel asks for it, it ends or not."""
    code = (
        "import fcntl, signal, sys, time\n"
        f"signal.signal(signal.SIGIO, signal.{'SIG_DFL' if lets_go else 'SIG_IGN'})\n"
        "file = open(sys.argv[1]); fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)\n"
        "print(flush=True); time.sleep(3600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        try:
            yield
        finally:
            holder.kill()


def test_a_lease_of_another_program_is_waited_for(tmp_path):
    append_record(tmp_path / "games.jsonl", record(pair=0))
    with lease(tmp_path / "games.jsonl", lets_go=True):
        append_record(tmp_path / "games.jsonl", record(pair=1))
    assert len(read_records(tmp_path / "games.jsonl")[0]) == 2


@contextlib.contextmanager
def locked(path):
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.parametrize("hold", [locked, lambda path: lease(path, lets_go=False)], ids=["lock", "lease"])
def test_nobody_waits_long_for_what_others_hold(tmp_path, monkeypatch, hold):
    path = tmp_path / "games.jsonl"
    append_record(path, record())
    before = path.read_bytes()
    monkeypatch.setattr(json_lines, "APPEND_PATIENCE_S", 0.1)
    monkeypatch.setattr(json_lines, "READ_PATIENCE_S", 0.1)
    with hold(path):
        for use in (lambda path: append_record(path, record()), json_lines.require_appendable):
            with pytest.raises(BlockingIOError, match=r"games\.jsonl"):
                use(path)
        assert read_records(path) == ([record()], [])
    assert path.read_bytes() == before


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/full")])
def test_what_is_no_file_is_named_and_nobody_waits_for_it(tmp_path, make):
    path = tmp_path / "games.jsonl"
    make(path)
    for use in (read_records, lambda path: append_record(path, record())):
        with pytest.raises((RecordError, IsADirectoryError), match=r"games\.jsonl"):
            use(path)


def test_a_line_beyond_all_size_is_named(tmp_path):
    path = tmp_path / "games.jsonl"
    append_record(path, record())
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + LONGEST_LINE + 1)  # zeros, which take no room
    with pytest.raises(RecordError, match=r"games\.jsonl, line 2: expected one JSON object, got more than"):
        read_records(path)
    before = path.stat().st_size
    with pytest.raises(RecordError, match=r"games\.jsonl, its last line: expected one JSON object, got more than"):
        append_record(path, record())
    assert path.stat().st_size == before


def test_a_line_can_be_shown_by_cat(tmp_path):
    path = tmp_path / "games.jsonl"
    append_record(path, record(extra={"A": {"stderr": "\x1b[31m\x7f\x9b四"}}))
    assert path.read_text("ascii").rstrip("\n").isprintable()
    assert read_records(path)[0][0].extra["A"]["stderr"] == "\x1b[31m\x7f\x9b四"
