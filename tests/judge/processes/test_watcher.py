"""What the watcher hears of a judge, and whom it ends when that was killed."""

import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import pytest

from judge.processes import watcher
from judge.processes.watcher import Process, to_be_ended
from tests.judge.helpers.scripted import PATIENCE_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows how processes belong")
SLEEP = (sys.executable, "-S", "-c", "import time; time.sleep(3600)")
OWN, INIT = os.getpid(), 1
TABLE = {
    INIT: Process(0, 1, 1, 1),
    OWN: Process(INIT, OWN, OWN, 900),
    100: Process(INIT, 100, 100, 5000),
    101: Process(100, 100, 100, 5010),
    102: Process(101, 102, 102, 5020),
    103: Process(INIT, 100, 100, 5030),
    200: Process(INIT, 50, 50, 600),
    201: Process(200, 50, 50, 5040),
}


def test_who_is_ended(monkeypatch):
    monkeypatch.setattr(watcher, "is_marked", lambda pid, marker: False)
    for told, ended in (
        ({}, set()),
        ({100: 5000}, {100, 101, 102, 103}),
        ({100: 4000}, set()),  # another process has got its number
        ({101: 5010}, {101, 102}),
        ({50: 4000}, {200, 201}),  # its leader is gone, so the number is that of its session still
        ({OWN: 900}, set()),
        ({9999: 1}, set()),
    ):
        assert to_be_ended(TABLE, told, b"NAME=value") == ended, told


def test_who_is_marked_is_ended_with_all_below(monkeypatch):
    monkeypatch.setattr(watcher, "is_marked", lambda pid, marker: pid == 101)
    assert to_be_ended(TABLE, {}, b"NAME=value") == {101, 102}


def test_the_dead_are_not_ended(monkeypatch):
    monkeypatch.setattr(watcher, "is_marked", lambda pid, marker: False)
    table = {**TABLE, 101: Process(100, 100, 100, 5010, is_dead=True)}
    assert to_be_ended(table, {100: 5000}, b"") == {100, 102, 103}


def test_a_mark_is_a_whole_entry():
    name = uuid.uuid4().hex
    with subprocess.Popen(SLEEP, env={name: "value", f"{name}_2": "12"}) as program:
        try:
            give_up = time.monotonic() + PATIENCE_S  # it begins with the environment of this process
            while not watcher.is_marked(program.pid, f"{name}=value".encode()) and time.monotonic() < give_up:
                time.sleep(0.01)
            assert watcher.is_marked(program.pid, f"{name}_2=12".encode())
            assert not watcher.is_marked(program.pid, f"{name}=val".encode())
            assert not watcher.is_marked(program.pid, f"{name}_2=1".encode())
        finally:
            program.kill()


def test_a_program_that_the_judge_was_about_to_start_is_ended_as_it_begins(monkeypatch):
    """It gets its environment, and the marker with it, after the watcher has looked at it first."""
    marker, looked = f"{uuid.uuid4().hex}=value", threading.Event()

    def processes():
        looked.set()
        return real_processes()

    real_processes = watcher.processes
    monkeypatch.setattr(watcher, "processes", processes)
    monkeypatch.setattr(watcher, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(watcher, "QUIET_S", PATIENCE_S)
    looking = threading.Thread(target=watcher.end_all, args=({}, marker.encode()), daemon=True)
    words = ["sh", "-c", 'read begins; exec env "$0" sleep 3600', marker]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as program:
        looking.start()
        assert looked.wait(PATIENCE_S)
        program.communicate(b"now\n", timeout=PATIENCE_S)
        assert program.returncode == -signal.SIGKILL
    monkeypatch.setattr(watcher, "QUIET_S", 0.0)
    looking.join(PATIENCE_S)
    assert not looking.is_alive()


def test_what_the_watcher_hears():
    for said, told in [
        (b"", {}),
        (b"+ 12 3456\n", {12: 3456}),
        (b"+ 12 3456\n+ 13 99\n- 12\n", {13: 99}),
        (b"- 12\n+ 13 99\n+ 1", {13: 99}),
        (b"+ 12 3456\nend\n", None),
    ]:
        reading, writing = os.pipe()
        os.write(writing, said)
        os.close(writing)
        assert watcher.listen(reading) == told
        os.close(reading)
