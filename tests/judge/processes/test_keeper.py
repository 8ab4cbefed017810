"""The keeper: it finds, starts and ends all processes of a bot."""

import os
import signal
import subprocess
import sys
import uuid

import psutil
import pytest

from judge.processes import keeper, usage
from judge.processes.keeper import descendants_of
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import JudgeFailure, Launch
from tests.judge.helpers.scripted import (
    command_line,
    judge_environment,
    keepers,
    processes_with,
    running_bots,
    wait_until,
)

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
            found = descendants_of(program.pid)
        finally:
            os.killpg(program.pid, 9)
    assert sorted([program.pid, *found]) == sorted(parents)
    assert all(parents[pid] == program.pid or found.index(parents[pid]) < found.index(pid) for pid in found)


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

    def children_of(pid):
        first = int(pid) * children + 1
        return list(map(Compared, range(first, min(first + children, number))))

    monkeypatch.setattr(keeper, "children", children_of)
    Compared.number = 0
    assert descendants_of(Compared(0)) == list(range(1, number))
    assert Compared.number < 10 * number


def test_a_kernel_without_lists_of_children_has_them_looked_for(monkeypatch):
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as program:
        monkeypatch.setattr(keeper, "HAS_CHILD_LISTS", False)
        assert program.pid in keeper.children(os.getpid())
        program.communicate(b"\n")
    assert program.pid not in keeper.children(os.getpid())


# Each ends when its child has become another program: the pipe's writing end is closed then.
LEAVES_A_DAEMON = """
import os, sys
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(3600)", TOKEN], {})
    os._exit(0)
os.wait()
os.close(writing)
os.read(reading, 1)
"""


@pytest.mark.parametrize("then", ["", "import time; print(flush=True); time.sleep(3600)"])
def test_a_daemon_ends_with_its_bot_and_no_other(then):
    """It shows neither by its parents, which are dead, nor by its environment, which is empty."""
    token = uuid.uuid4().hex

    def daemons():
        return [pid for parent in keepers() for pid in descendants_of(parent) if token in command_line(pid)]

    other = BotProcess(Launch((sys.executable, "-S", "-c", "input()")), "other")
    code = LEAVES_A_DAEMON.replace("TOKEN", repr(token)) + then
    bots = [BotProcess(Launch((sys.executable, "-S", "-c", code)), "daemon") for _ in range(2)]
    wait_until(lambda: pump(bots, 0.02) and all(bot.closed or bot.received for bot in bots))
    if then:
        assert len(daemons()) == 2
        end_all(bots[:1])
        assert len(daemons()) == 1
    end_all(bots)
    assert daemons() == [] and other.exit_status is None and running_bots() == [other.pid]
    end_all([other])
    assert running_bots() == []


def test_a_keeper_serves_one_bot_after_the_other():
    end_all([BotProcess(Launch(("cat",)), "first")])
    before = keepers()
    process = BotProcess(Launch(("sh", "-c", "exit 3")), "second")
    assert keepers() == before
    wait_until(process.has_ended)
    end_all([process])
    assert process.exit_status == 3


def test_a_bot_has_the_signals_as_a_shell_gives_them():
    code = "import signal; print([s.name for s in signal.Signals if signal.getsignal(s) == signal.SIG_IGN])"
    process = BotProcess(Launch((sys.executable, "-S", "-c", code)), "signals")
    wait_until(lambda: pump([process], 0.02) and process.closed)
    end_all([process])
    assert b"".join(data for _, data in process.received) == b"['SIGPIPE', 'SIGXFSZ']\n"  # which Python itself ignores


def test_a_keeper_that_is_killed_is_the_machines_fault_and_its_bot_is_left_to_the_judge():
    token = uuid.uuid4().hex
    process = BotProcess(Launch((sys.executable, "-S", "-c", "input()"), {"TOKEN": token}), "orphan")
    (parent,) = (psutil.Process(process.pid).ppid(),)
    os.kill(parent, signal.SIGKILL)
    with pytest.raises(JudgeFailure, match="the program that starts and ends bots is gone"):
        wait_until(lambda: pump([process], 0.02) and False)
    end_all([process])
    wait_until(lambda: processes_with(f"TOKEN={token}") == [])  # its input has ended
    again = BotProcess(Launch(("sh", "-c", "exit 3")), "again")
    wait_until(again.has_ended)
    end_all([again])
    assert again.exit_status == 3


def test_what_is_held_for_a_look_ends_with_a_killed_judge_too():
    code = (
        "import time\n"
        "from judge.processes.process import BotProcess, Launch\n"
        "bot = BotProcess(Launch(('sh', '-c', 'sleep 3600 & echo; exec sleep 3600')), 'held')\n"
        "while not bot.stdout.read(1): time.sleep(0.01)\n"
        "bot.hold_end()\n"
        "print(*bot.bot_pids(), flush=True); time.sleep(3600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], env=judge_environment(), stdout=subprocess.PIPE) as judge:
        pids = [int(word) for word in judge.stdout.readline().split()]
        judge.kill()
    assert len(pids) == 2
    wait_until(lambda: all(usage.is_dead(pid) for pid in pids))
