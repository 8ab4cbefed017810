"""The search of a bot's processes."""

import functools
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from judge.processes import descendants
from judge.processes.descendants import process_tree
from judge.processes.measure import stat_fields

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lists children")

# A process with two children, each of which has two; each says who it is.
BRANCHES = """
import os, time
for _level in range(2):
    if os.fork() and os.fork():
        break
os.write(1, b"%d %d\\n" % (os.getpid(), os.getppid()))
time.sleep(3600)
"""
PROCESSES = 7


def test_a_tree_is_listed_with_parents_first_and_each_once():
    words = (sys.executable, "-S", "-c", BRANCHES)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as program:
        try:
            parents = dict(map(int, program.stdout.readline().split()) for _ in range(PROCESSES))
            found = process_tree(program.pid)
        finally:
            os.killpg(program.pid, 9)
    assert sorted(found) == sorted(parents)
    assert found[0] == program.pid
    assert all(found.index(parents[pid]) < found.index(pid) for pid in found[1:])


class Compared(int):
    """A process id that counts how often it is compared."""

    number = 0

    def __eq__(self, other):
        Compared.number += 1
        return int(self) == int(other)

    __hash__ = int.__hash__


@pytest.mark.parametrize("children", [1, 2, 5000])
def test_a_search_takes_as_long_as_there_are_processes(monkeypatch, children):
    """In a chain, in branches, and in a row: a bot that starts thousands does not hold up the judge."""
    number = 5000

    def below(pid):
        first = int(pid) * children + 1
        return list(map(Compared, range(first, min(first + children, number))))

    monkeypatch.setattr(descendants, "child_processes", below)
    Compared.number = 0
    assert process_tree(Compared(0)) == list(range(number))
    assert Compared.number < 10 * number


# Many pipes take the kernel some milliseconds to close, after it has freed the memory and with it the environment.
SLOW_TO_END = """
import os, resource, time
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
pipes = [os.pipe() for _ in range(min(most, 20_000) // 2 - 10)]
os.write(1, b"x")
time.sleep(3600)
"""


def test_a_sweep_waits_for_an_orphan_that_is_ending():
    """And does not count it as killed. It is not seen to belong to any game any more."""
    words = (sys.executable, "-S", "-c", SLOW_TO_END)
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as program:
        program.stdout.read(1)
        program.kill()
        while not int(stat_fields(program.pid)[6]) & descendants.PF_EXITING:
            time.sleep(0.0001)
        assert descendants.sweep("another game", set()) == 0
        assert stat_fields(program.pid) == []


def test_the_end_of_a_game_leaves_the_judges_own_programs():
    """A program that runs goes on, though it is young and no bot is left, and one that has ended keeps its status."""
    for code, status in (("import time; time.sleep(3600)", -signal.SIGTERM), ("raise SystemExit(7)", 7)):
        words = (sys.executable, "-S", "-c", code)
        with descendants.registering("a game"):
            pass  # a moment from which on whatever has started counts as the game's
        with descendants.own_program(functools.partial(subprocess.Popen, words, start_new_session=True)) as program:
            if status == 7:
                os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
            assert descendants.sweep("a game", set()) == 0
            program.terminate()
            assert program.wait() == status
    assert not descendants.own_programs


def test_the_last_sweep_takes_an_orphan_that_hides_its_environment(monkeypatch):
    """By a program that nobody may read: to an ordinary user its environment is refused."""

    def refused(process):
        raise psutil.AccessDenied(process.pid)

    monkeypatch.setattr(psutil.Process, "environ", refused)
    monkeypatch.setattr(descendants, "busy_since", descendants.seconds_after_boot())
    with subprocess.Popen(
        (sys.executable, "-S", "-c", "input()"), stdin=subprocess.PIPE, start_new_session=True
    ) as hidden:
        try:
            assert descendants.sweep("game", set()) == 1
            assert stat_fields(hidden.pid) == []
        finally:
            hidden.kill()
