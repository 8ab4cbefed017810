"""The CPU time of a bot: of all its threads and processes, of those that have ended too."""

import sys

import pytest

from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import Launch
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import wait_until

BURNT_S = 0.3
BURN = f"""
import os, signal, sys, threading, time

def burn():
    until = time.thread_time() + {BURNT_S}
    while time.thread_time() < until:
        pass

def child():
    pid = os.fork()
    if pid == 0:
        burn()
        os._exit(0)
    return pid

"""
THEN = "print(flush=True)\ntime.sleep(3600)"


@pytest.mark.parametrize("walled", [pytest.param(True, marks=needs_sandbox), False])
@pytest.mark.parametrize(
    "code",
    [
        "burn()",
        "thread = threading.Thread(target=burn)\nthread.start()\nthread.join()",
        "os.waitpid(child(), 0)",
        "if os.fork() == 0:\n    os.waitpid(child(), 0)\n    os._exit(0)\nos.wait()",
        # An orphan, for which the bot's root waits.
        "end, ended = os.pipe()\nos.fork() or (child(), os._exit(0))\nos.wait()\nos.close(ended)\nos.read(end, 1)",
    ],
)
def test_what_has_ended_counts(code, walled):
    words = (sys.executable, "-S", "-c", f"{BURN}{code}\n{THEN}")
    process = BotProcess(Launch(words), "cpu", bare_sandbox() if walled else None)
    try:
        wait_until(lambda: pump([process], 0.02) and process.received)
        wait_until(lambda: process.measure_cpu(process.bot_pids()) > BURNT_S - 0.05)
        assert process.cpu_s < 5
    finally:
        end_all([process])
    assert BURNT_S - 0.05 < process.cpu_s < 5


def test_a_keeper_that_had_another_bot_counts_from_zero():
    for code in (BURN + "burn()", ""):
        process = BotProcess(Launch((sys.executable, "-S", "-c", code)), "cpu")
        wait_until(process.has_ended)
        end_all([process])
    assert 0 < process.cpu_s < BURNT_S
