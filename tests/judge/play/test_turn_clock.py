"""The mover's clock: what the machine kept from a side is given back, what the side wasted is not."""

import contextlib
import os
import subprocess
import sys
import time

import pytest

from judge.play.clock import TurnClock, TurnUsage, own_wait_s, thread_times, tree_times
from tests.judge.helpers.scripted import bot, plan, play_unless_void

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


class Machine:
    """Stands for /proc: what is read of a side's threads."""

    def __init__(self, times):
        self.times = times

    def __call__(self, pid):
        return dict(self.times)


def test_only_this_turn_counts():
    machine = Machine({BOT: (5.0, 3.0)})
    clock = TurnClock(7, read=machine)
    machine.times = {BOT: (5.25, 3.5)}
    assert clock.usage() == TurnUsage(0.5, 0.25)


def test_a_new_program_counts_from_its_start():
    assert TurnClock(7, is_new=True, read=Machine({BOT: (0.25, 0.5)})).usage() == TurnUsage(0.5, 0.25)


def test_the_longest_wait_counts_and_all_that_ran():
    machine = Machine({BOT: (1.0, 1.0)})
    clock = TurnClock(7, read=machine)
    machine.times = {BOT: (1.5, 1.25), (7, 8): (0.5, 2.0), (9, 9): (0.25, 0.0)}
    assert clock.usage() == TurnUsage(2.0, 1.25)


def test_threads_that_ended_keep_what_they_had():
    machine = Machine({BOT: (1.0, 1.0)})
    clock = TurnClock(7, read=machine)
    machine.times = {BOT: (1.0, 1.0), (7, 8): (0.5, 2.0)}
    clock.usage()
    machine.times = {}
    assert clock.usage() == TurnUsage(2.0, 0.5)


def test_files_that_are_none_are_left_out(tmp_path):
    for thread, content in (("1", "1000000000 2000000000 7\n"), ("2", "nonsense"), ("3", None)):
        (tmp_path / "1" / "task" / thread).mkdir(parents=True)
        if content is not None:
            (tmp_path / "1" / "task" / thread / "schedstat").write_text(content)
    assert thread_times([1, 2], str(tmp_path)) == {(1, 1): (pytest.approx(1.0), pytest.approx(2.0))}


needs_schedstat = pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"), reason="this system does not count how long threads wait for a core"
)


@needs_schedstat
def test_a_thread_that_has_to_wait_is_seen_to():
    """Two programs on one core: each waits while the other runs."""
    core = min(os.sched_getaffinity(0))
    burn = f"import os\nos.sched_setaffinity(0, [{core}])\nprint(flush=True)\nwhile True: pass"
    programs = [subprocess.Popen([sys.executable, "-c", burn], stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for program in programs:
            program.stdout.readline()
        began, clock = time.monotonic(), TurnClock(programs[0].pid)
        used = clock.usage()
        while used.waited_s < 0.05:  # however long that takes
            time.sleep(0.01)
            used = clock.usage()
        assert 0.0 < used.allowance_s(time.monotonic() - began) <= used.waited_s
    finally:
        for program in programs:
            program.kill()
            program.wait()
            program.stdout.close()


@needs_schedstat
def test_a_thread_knows_what_it_waited_itself():
    before = own_wait_s()
    assert 0.0 <= before <= own_wait_s() < time.monotonic()


@needs_schedstat
def test_a_child_counts_to_the_tree():
    inner = "import time\nprint(flush=True)\ntime.sleep(600)"
    outer = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {inner!r}])"
    program = subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, start_new_session=True)
    try:
        program.stdout.readline()
        assert len({pid for pid, _ in tree_times(program.pid)}) == 2
    finally:
        os.killpg(program.pid, 9)
        program.wait()
        program.stdout.close()


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
    """Nothing is in another's place here: what the machine did not give must not make up for what the bot did."""
    limit_s = 1.0 if loops else 0.5
    players = bot("misbehave", mode, "--at", 1, "--limit", limit_s), bot("first_legal")
    with busy_loops(loops):
        record = play_unless_void(players, plan(limit_s))
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")
