"""Bytes between a bot's pipes and a connection: all of them, in order, until one of the two ends."""

import contextlib
import socket
import sys
import threading
import time
import uuid

import psutil
import pytest

from judge.cli.connect import MOST_UNREAD, End, Relay
from judge.processes.process import BotProcess, end_all
from judge.processes.start import Launch
from tests.judge.cli.helpers.tcp_judger import PATIENCE_S, read, read_to_end
from tests.judge.helpers import scripted  # which adopts orphans

assert scripted
ECHO = "import os\nwhile data := os.read(0, 1000): os.write(1, data)"
LARGE = bytes(range(256)) * 4096


@contextlib.contextmanager
def relayed(program, stop=None):
    """(the judger's end of the connection, a function that waits for the End, the process) of a Python program."""
    marker = uuid.uuid4().hex
    process = BotProcess(Launch((sys.executable, "-S", "-u", "-c", program)), marker)
    ours, theirs = socket.socketpair()
    theirs.settimeout(PATIENCE_S)
    ends = []
    relay = threading.Thread(target=lambda: ends.append(Relay(process, ours, stop or threading.Event()).run()))
    relay.start()

    def wait():
        relay.join(PATIENCE_S)
        (end,) = ends
        return end

    try:
        with theirs:
            yield theirs, wait, process
        relay.join(PATIENCE_S)
    finally:
        end_all([process])


def test_what_comes_on_either_side_goes_to_the_other():
    with relayed(ECHO) as (judger, wait, _process):
        writer = threading.Thread(target=judger.sendall, args=[LARGE])
        writer.start()
        assert read(judger, len(LARGE)) == LARGE
        writer.join(PATIENCE_S)
        judger.close()
        assert wait() is End.JUDGER


def test_a_judger_that_does_not_read_fills_no_memory():
    """A bot that never stops waits in its pipe then, and nothing of what it wrote is lost."""
    flood = "import itertools, sys\nfor n in itertools.count(): sys.stdout.write(f'{n}\\n')"
    with relayed(flood) as (judger, wait, process):
        held = []
        while len(held) < 3 or held[-1] != held[-3]:  # until nothing moves any more
            time.sleep(0.1)
            held.append(psutil.Process(process.pid).io_counters().write_bytes + sum(map(len, process.received)))
        assert sum(len(data) for _moment, data in process.received) <= 2 * 2**20
        numbers = read(judger, 10**6).split(b"\n")[:-1]
        assert [int(number) for number in numbers] == list(range(len(numbers)))
        judger.close()
        assert wait() is End.JUDGER


def test_a_bot_that_does_not_read_fills_no_memory():
    """A judger that never stops is left then, as nobody could see its end behind what it has sent."""
    with relayed("import time; time.sleep(3600)") as (judger, wait, process):
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 20 * MOST_UNREAD:
                sent += judger.send(LARGE)
        assert wait() is End.UNREAD
        assert MOST_UNREAD < process.unsent_bytes < 2 * MOST_UNREAD
        assert process.exit_status is None


def test_a_judger_that_closes_is_seen_by_a_bot_that_does_not_read():
    with relayed("import time; time.sleep(3600)") as (judger, wait, _process):
        judger.sendall(LARGE)
        judger.close()
        assert wait() is End.JUDGER


def test_a_judger_that_closes_ends_it_though_the_bot_goes_on():
    with relayed("import time; time.sleep(3600)") as (judger, wait, process):
        judger.shutdown(socket.SHUT_WR)
        assert wait() is End.JUDGER
        assert read_to_end(judger) == b""
        assert process.exit_status is None


@pytest.mark.parametrize("ending", ["sys.exit(3)", "os.close(1); time.sleep(3600)"])
def test_a_bot_that_ends_has_its_connection_closed_behind_its_last_bytes(ending):
    program = f"import os, sys, time; sys.stdout.buffer.write(b'x' * 200000); sys.stdout.flush(); {ending}"
    with relayed(program) as (judger, wait, _process):
        assert read_to_end(judger) == b"x" * 200000  # an end, and no reset
        judger.close()
        assert wait() is End.BOT


def test_a_connection_over_unread_bytes_is_not_reset():
    """The judger's last turn comes when the bot is gone already."""
    with relayed("import sys; sys.stdin.read(4)") as (judger, wait, _process):
        judger.sendall(b"turn")
        assert judger.recv(1) == b""
        judger.sendall(b"one more turn")
        judger.close()
        assert wait() is End.BOT


def test_somebody_may_stop_it():
    stop = threading.Event()
    with relayed(ECHO, stop) as (judger, wait, process):
        judger.sendall(b"turn")
        assert read(judger, 4) == b"turn"
        stop.set()
        assert wait() is End.STOPPED
        assert read_to_end(judger) == b""
        assert process.exit_status is None
