"""The mover's clock: what the machine kept from a side is given back, what the side wasted is not."""

import contextlib
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from judge.play import clock
from judge.play.clock import TurnClock, TurnUsage
from judge.processes import usage
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import Launch
from judge.processes.usage import own_wait_s
from tests.judge.helpers.scripted import WIDE_LIMIT_S, bot, plan, play_until_offence, wait_until

BOT = (7, 7)  # process and thread


def test_what_is_given_back():
    for waited_s, ran_s, wall_s, allowance_s in (
        (0.0, 0.1, 1.0, 0.0),  # it slept
        (0.0, 1.0, 1.0, 0.0),  # it burnt
        (0.6, 0.4, 1.0, 0.6),  # it burnt as far as it was let
        (0.6, 0.1, 1.0, 0.6),  # and slept besides
        (0.75, 2.0, 1.0, 0.0),  # eight threads on two cores crowd each other out
        (0.75, 0.8, 1.0, 0.2),  # and are crowded out by others
        (0.3, 0.0, 0.1, 0.1),  # never more than the turn
    ):
        assert TurnUsage(waited_s, ran_s).allowance_s(wall_s) == pytest.approx(allowance_s), (waited_s, ran_s, wall_s)


def test_what_the_judge_waited_is_added_to_what_the_side_did():
    assert TurnUsage(0.25, 0.25).allowance_s(1.0, 0.25) == 0.5
    assert TurnUsage(0.25, 0.25).allowance_s(1.0, 2.0) == 0.75


class Bot:
    """Stands for a bot: threads are {(process, thread): (ran, waited)}."""

    def __init__(self, threads, ran_s=0.0):
        self.threads, self.ran_s, self.start_up = threads, ran_s, SimpleNamespace(is_watched=False)

    def bot_pids(self):
        return [BOT[0]]

    def measure_cpu(self, pids):
        return self.ran_s

    def read(self, pids):
        return dict(self.threads) if pids else {}

    def clock(self, limit_s=1.0, is_new=False):
        return TurnClock(self, limit_s, is_new, self.read)


def test_only_this_turn_counts():
    bot = Bot({BOT: (5.0, 3.0)}, 5.0)
    clock = bot.clock()
    bot.threads, bot.ran_s = {BOT: (5.25, 3.5)}, 5.25
    assert clock.usage() == TurnUsage(0.5, 0.25)


def test_a_new_program_counts_from_its_start():
    assert Bot({BOT: (0.25, 0.5)}, 0.25).clock(is_new=True).usage() == TurnUsage(0.5, 0.25)


def test_the_longest_wait_counts_of_threads_that_have_ended_too():
    bot = Bot({BOT: (1.0, 1.0)})
    clock = bot.clock()
    bot.threads = {BOT: (1.5, 1.25), (7, 8): (0.5, 2.0), (9, 9): (0.25, 0.0)}
    clock.usage()
    bot.threads = {}
    assert clock.usage().waited_s == 2.0


def test_what_a_chain_of_short_programs_wants_at_its_start_is_its_wait(monkeypatch):
    """One thread alone has waited for 0.125 s of them."""
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: now, thread_time=lambda: 0.0))
    for wants, is_starting, waited_s in ((True, True, 0.75), (False, True, 0.125), (True, False, 0.125)):
        monkeypatch.setattr(usage, "wants_a_core", lambda pid, wants=wants: wants)
        now, bot = 8.0, Bot({BOT: (0.25, 0.125)}, 0.25)
        bot.start_up.is_watched = is_starting
        looked = bot.clock(is_new=True)
        for now in (8.5, 9.0):  # noqa: B007 - read by the clock
            used = looked.usage()
        assert used == TurnUsage(waited_s, 0.25)


def test_where_no_waits_are_counted_nothing_is_given_back(monkeypatch):
    monkeypatch.setattr(usage, "SCHEDSTAT", "no such file")
    assert (usage.thread_times([os.getpid()]), usage.own_wait_s()) == ({}, 0.0)


needs_schedstat = pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"), reason="this system does not count how long threads wait for a core"
)


@needs_schedstat
def test_a_thread_that_has_to_wait_is_seen_to():
    """A bot and another program on one core: each waits while the other runs."""
    core = min(os.sched_getaffinity(0))
    burn = f"import os\nos.sched_setaffinity(0, [{core}])\nprint(flush=True)\nwhile True: pass"
    words = [sys.executable, "-S", "-c", burn]
    process = BotProcess(Launch(words), "waiting")
    with subprocess.Popen(words, stdout=subprocess.PIPE) as other:
        try:
            other.stdout.readline()
            wait_until(lambda: pump([process], 0.01) and process.received)
            began, clock = time.monotonic(), TurnClock(process, WIDE_LIMIT_S)
            wait_until(lambda: clock.usage().waited_s >= 0.05)
            used = clock.usage()
            assert 0.0 < used.allowance_s(time.monotonic() - began) <= used.waited_s
        finally:
            other.kill()
            end_all([process])


@needs_schedstat
def test_a_thread_knows_what_it_waited_itself():
    before = own_wait_s()
    assert 0.0 <= before <= own_wait_s() < time.monotonic()


@contextlib.contextmanager
def busy_loops(number):
    """So many processes that want a core all the time."""
    loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def played_late(players, plan, at):
    """The record of a game in which A is late at its move number `at`.

    A judge that has no core then sees the reply too late to tell, and has another try.
    """
    for _ in range(5):
        record = play_until_offence(players, plan, "A", at)
        if record.termination != "NORMAL":
            break
    return record


@pytest.mark.parametrize("loops", [0, pytest.param(4, marks=pytest.mark.slow)])
def test_a_bot_that_sleeps_before_it_reads_anything_loses_however_many_programs_start_it(loops):
    limit_s = 1.0
    players = bot("misbehave", "late_to_start", "--limit", limit_s), bot("first_legal")
    with busy_loops(loops):
        record = played_late(players, plan(limit_s, free_start=False), at=0)
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")


@pytest.mark.parametrize(
    "mode, loops",
    [
        ("late_by_a_lock", 0),
        ("late_by_work", 0),
        pytest.param("late_by_threads", 0, marks=pytest.mark.slow),
        *(
            pytest.param(mode, 4, marks=pytest.mark.slow)
            for mode in ("late", "late_by_a_lock", "late_by_work", "late_by_threads")
        ),
    ],
)
def test_a_bot_that_is_late_by_its_own_doing_loses_however_busy_the_machine_is(mode, loops):
    """Nothing is in another's place here: what the machine did not give must not make up for what the bot did.

    Nor is such a game VOID, unless the judge itself had no core.
    """
    limit_s = 1.0 if loops else 0.5
    players = bot("misbehave", mode, "--at", 1, "--limit", limit_s), bot("first_legal")
    with busy_loops(loops):
        record = played_late(players, plan(limit_s), at=1)
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")
