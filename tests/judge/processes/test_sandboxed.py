"""The process in a sandbox that waits for the bot is stopped, and what it has seen before that is not lost."""

import os
import signal
import subprocess
import sys
import time

import pytest

from judge.processes import sandboxed
from judge.processes.descendants import child_processes
from tests.judge.helpers.scripted import PATIENCE_S, wait_until

# Has a child, which it ends and reaps when it is told to; then it lives on for a moment.
FIRST = """
import os, sys, time
child = os.fork()
if child == 0:
    time.sleep(3600)
print(child, flush=True)
sys.stdin.readline()
os.kill(child, 9)
os.wait()
time.sleep(0.2)
"""


@pytest.fixture
def first():
    """Such a process, and its child's number."""
    words = [sys.executable, "-S", "-c", FIRST]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, int(process.stdout.readline())
        process.kill()


def test_the_child_is_the_bot_while_its_parent_is_stopped(first):
    process, child = first
    assert sandboxed._child_of(process.pid, time.monotonic() + PATIENCE_S) == child
    os.kill(child, signal.SIGKILL)
    assert child_processes(process.pid) == [child]  # nobody reaps it


def test_a_child_that_was_reaped_just_before_is_no_bot(first, monkeypatch):
    """The judge loses its core between its look at the process and stopping it."""
    process, _child = first

    def kill(pid, number):
        if number == signal.SIGSTOP:
            process.stdin.write("\n")
            process.stdin.flush()
            wait_until(lambda: child_processes(pid) == [])
        send(pid, number)

    send = os.kill
    monkeypatch.setattr(os, "kill", kill)
    assert sandboxed._child_of(process.pid, time.monotonic() + PATIENCE_S) is None
    assert process.wait(PATIENCE_S) == 0  # it goes on, to its own end
