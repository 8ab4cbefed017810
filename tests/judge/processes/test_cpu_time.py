"""The CPU time of a bot: of all its threads and processes, of those that have ended too."""

import sys

import pytest

from judge.processes.measure import CpuMeter, CpuTime
from judge.processes.process import BotProcess, end_all, pump
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
        print(flush=True)
        sys.stdin.readline()
        os._exit(0)
    return pid

def not_alone():
    try:
        return os.waitpid(-1, os.WNOHANG) is not None
    except ChildProcessError:
        return False

"""
THEN = "print(flush=True)\ntime.sleep(3600)"


@pytest.mark.parametrize(
    "code, lost",
    [
        ("burn()", False),
        ("thread = threading.Thread(target=burn)\nthread.start()\nthread.join()", False),
        ("os.waitpid(child(), 0)", False),
        ("if os.fork() == 0:\n    os.waitpid(child(), 0)\n    os._exit(0)\nos.wait()", False),
        ("signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nchild()\nwhile not_alone():\n    time.sleep(0.02)", True),
    ],
)
def test_what_has_ended_counts(code, lost):
    process = BotProcess((sys.executable, "-S", "-c", f"{BURN}{code}\n{THEN}"), {}, "cpu")
    try:
        wait_until(lambda: pump([process], 0.02) and process.received)
        process.look_at_cpu(process.all_pids())
        process.send(b"\n")  # a child that has been seen may end
        wait_until(lambda: pump([process], 0.02) and len(process.received) == 1 + code.count("child()"))
        assert process.look_at_cpu(process.all_pids()) > BURNT_S - 0.05
        assert (process.cpu_meter.lost_s > BURNT_S - 0.05) == lost
    finally:
        end_all([process], "cpu")


def test_an_ended_process_is_no_live_one():
    process = BotProcess((sys.executable, "-S", "-c", "raise SystemExit"), {}, "cpu")
    wait_until(process.has_ended)
    assert 0 < process.look_at_cpu(process.all_pids()) < 5
    end_all([process], "cpu")


class Kernel:
    """Stands for /proc: {process id: its CpuTime}."""

    def __init__(self, monkeypatch):
        self.times = {}
        monkeypatch.setattr("judge.processes.measure.cpu_time", lambda pid: self.times.get(pid))

    def set(self, **times):
        self.times = {int(pid[1:]): CpuTime(*time, started=7) for pid, time in times.items()}
        return list(self.times)


def test_time_is_neither_lost_nor_counted_twice(monkeypatch):
    kernel, meter = Kernel(monkeypatch), CpuMeter()
    assert meter.measure(kernel.set(p1=(1.0, 0.0), p2=(0.5, 0.0))) == 1.5
    assert meter.measure(kernel.set(p1=(1.0, 0.75))) == 1.75  # the parent has waited for it
    assert (meter.lost_s, meter.ended) == (0.0, 1)
    assert meter.measure(kernel.set(p1=(1.0, 0.75), p3=(0.25, 0.0))) == 2.0
    assert meter.measure(kernel.set(p1=(1.5, 0.75))) == 2.5
    assert (meter.lost_s, meter.ended) == (0.25, 2)


def test_one_that_is_not_listed_for_a_moment_counts_on(monkeypatch):
    kernel, meter = Kernel(monkeypatch), CpuMeter()
    meter.measure(kernel.set(p1=(1.0, 0.0), p2=(0.5, 0.0)))
    assert meter.measure([1]) == 1.5 and meter.lost_s == 0.0


def test_another_process_with_the_same_id_is_another(monkeypatch):
    kernel, meter = Kernel(monkeypatch), CpuMeter()
    meter.measure(kernel.set(p1=(1.0, 0.0), p2=(0.5, 0.0)))
    kernel.times[2] = CpuTime(9.0, 0.0, started=8)
    assert meter.measure([1]) == 1.5 and meter.lost_s == 0.5


def test_of_a_sandboxs_first_process_only_what_it_has_waited_for_counts(monkeypatch):
    kernel, meter = Kernel(monkeypatch), CpuMeter()
    kernel.set(p1=(5.0, 0.25), p2=(0.5, 0.0))
    assert meter.measure([2], reaper=1) == 0.75
