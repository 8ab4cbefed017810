"""How long a bot keeps the judge waiting, and what is the machine's doing."""

import sys
import threading
import time

import pytest

from judge.processes import delays, process
from judge.processes.delays import Delay, own_wait_s
from judge.processes.process import BotProcess, end_all, pump
from tests.judge.helpers.scripted import wait_until

KEPT_S = 0.0625
needs_waits = pytest.mark.skipif(not own_wait_s(), reason="the system counts no waits for a core")


class Machine:
    """A clock, and how long a thread of the judge has run and waited for a core; others run `elsewhere_s`."""

    def __init__(self, monkeypatch):
        self.now = self.ran_s = self.waited_s = self.elsewhere_s = 1.0
        monkeypatch.setattr(delays, "time", self)
        monkeypatch.setattr(delays, "own_wait_s", lambda: self.waited_s)

    def monotonic(self):
        return self.now

    def thread_time(self):
        return self.ran_s

    def process_time(self):
        return self.ran_s + self.elsewhere_s


def test_only_what_nothing_else_explains_is_the_bots_doing(monkeypatch):
    machine = Machine(monkeypatch)
    delay = Delay()
    machine.now += 1.0
    for attribute, seconds, left_s in (("ran_s", 0.25, 0.75), ("waited_s", 0.25, 0.5), ("elsewhere_s", 0.375, 0.125)):
        setattr(machine, attribute, getattr(machine, attribute) + seconds)
        assert (delay.wall_s(), delay.blocked_s()) == (1.0, left_s)
    machine.elsewhere_s += 9.0
    assert (delay.cpu_s(), delay.blocked_s()) == (0.25, 0.0)


def test_where_no_waits_are_counted_nothing_is_known(monkeypatch):
    machine = Machine(monkeypatch)
    machine.waited_s = 0.0
    delay = Delay()
    machine.now += 1.0
    assert (delay.wall_s(), delay.blocked_s()) == (1.0, 0.0)


@needs_waits
@pytest.mark.parametrize("way", ["read", "write"])
def test_a_wait_at_a_bots_pipe_is_its_own(monkeypatch, way):
    """A pipe that is locked, which a bot holds for long with luck alone: the judge sleeps in its place."""
    bot = BotProcess((sys.executable, "-S", "-c", "print(input(), flush=True); input()"), {}, "delays")
    function = getattr(process.os, way)

    def locked(descriptor, *words):
        if descriptor in (bot.stdin.fileno(), bot.stdout.fileno()):
            threading.Event().wait(KEPT_S)
        return function(descriptor, *words)

    try:
        pump([bot], 0.0)
        assert bot.kept_s == 0.0 or bot.kept_s >= process.LEAST_KEPT_S
        with monkeypatch.context() as patch:
            patch.setattr(process.os, way, locked)
            began_s = time.monotonic()
            bot.send(b"go\n")
            sent_s = time.monotonic()
            assert sent_s - bot.sent_at >= (KEPT_S if way == "write" else 0.0) and bot.sent_at >= began_s
            wait_until(lambda: pump([bot], 0.05) and bot.received)
            assert way == "write" or bot.kept_s >= KEPT_S
    finally:
        end_all([bot], "delays")
