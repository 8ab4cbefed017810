"""Slots that work at the same time, how late wake-ups are, and by which bounds that is fair."""

import dataclasses
import json
import os
import subprocess
import sys
import time

import pytest

from judge.machine.facts import Cores, State
from judge.machine.fairness import (
    BUSY,
    IDLE,
    MOST_SLOTS_PER_CORE,
    SLOT,
    TICK_S,
    Fairness,
    NotMeasured,
    Round,
    fairness_of,
    lateness,
    measure,
    started,
)
from judge.machine.slot import scheduled
from tests.judge.helpers.scripted import PATIENCE_S, processes_with

CORES = Cores(2, 2, None)
FAIR = Fairness(CORES, 2, 2, 1.0, 0.5, 0.0, 0.01, (0.0001, 0.001, 0.02), 0.99, 0.01)


class Clock:
    """A clock that only sleeping moves, by as much too long as is said for each sleep."""

    def __init__(self, late_s):
        self.now, self.late_s = 0.0, iter(late_s)

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds + next(self.late_s)


def test_lateness_is_by_how_much_each_sleep_was_too_long():
    clock = Clock([0.0, 0.001, 0.25, 0.0])
    found = lateness(0.255, clock, clock.sleep)
    assert found == pytest.approx([0.0, 0.001, 0.25])
    assert clock.now > 0.255


def test_nobody_is_woken_after_the_time_is_up():
    clock = Clock([])
    assert lateness(0.0, clock, clock.sleep) == []
    assert TICK_S > 0


def rounds(*speeds, waited_s=0.0):
    """Rounds of a second."""
    return [Round(speed, 1.0, 1.0 - waited_s, waited_s) for speed in speeds]


def fairness(*of_slots, late_s=(0.001,), **others):
    return fairness_of(of_slots, late_s, CORES, len(of_slots), 1.0, **others)


def test_slots_are_compared_round_by_round():
    """What slows all of them down at once, as another program does that comes and goes, is no difference of theirs."""
    found = fairness(rounds(100, 50, 80), rounds(90, 45, 72))
    assert found.slowest == pytest.approx(0.9)
    assert found.spread == pytest.approx(0.0)


def test_the_spread_is_that_from_round_to_round():
    found = fairness(rounds(110, 90), rounds(90, 110))
    assert (found.slowest, found.spread) == (pytest.approx(1.0), pytest.approx(0.1))


def test_one_slot_is_compared_with_itself():
    found = fairness(rounds(110, 90))
    assert (found.slowest, found.spread) == (1.0, pytest.approx(0.1))
    assert "one slot alone" in found.facts()[1].text


def test_the_longest_wait_is_told():
    assert fairness(rounds(1, 1, waited_s=0.1), rounds(1, 1, waited_s=0.3)).waited == pytest.approx(0.3)


def test_waits_that_the_system_does_not_tell_are_none_and_judge_nothing():
    found = fairness([Round(5, 1.0)], rounds(5))
    assert found.waited is None
    assert found.state == IDLE
    assert "is not counted here" in found.facts()[2].text


def test_a_slot_that_did_nothing_is_the_slowest():
    assert fairness([Round(0, 0.0)], rounds(5)).slowest == 0.0
    assert fairness([Round(0, 0.0)], [Round(0, 0.0)]).state == BUSY


def test_no_wake_up_is_none_late():
    assert fairness(rounds(5), late_s=()).late_s == (0.0, 0.0, 0.0)


def test_every_figure_has_a_bound():
    for change, faults in [
        ({}, []),
        ({"slowest": 0.95}, []),
        ({"slowest": 0.949}, ["speeds"]),
        ({"waited": 0.05}, []),
        ({"waited": 0.051}, ["waits"]),
        ({"late_s": (0.0, 0.01, 5.0)}, []),
        ({"late_s": (0.0, 0.011, 0.02)}, ["wake-ups"]),
        ({"steal": 0.021}, ["steal"]),
        ({"steal": None}, []),
        ({"jobs": 3}, ["cores"]),
        ({"slowest": 0.5, "waited": 0.5}, ["speeds", "waits"]),
    ]:
        found = dataclasses.replace(FAIR, **change)
        assert found.faults() == faults
        assert found.state == (BUSY if faults else IDLE)
        warned = [fact for fact in found.facts() if fact.state is State.WARNING]
        assert [fact.name for fact in warned] == faults
        assert all(fact.advice for fact in warned)


def test_the_figures_of_a_record_are_json():
    assert json.loads(json.dumps(FAIR.as_json(), allow_nan=False)) == {
        "state": "idle",
        "cores": 2,
        "jobs": 2,
        "slots": 2,
        "seconds": 1.0,
        "load": 0.5,
        "steal": 0.0,
        "waited": 0.01,
        "late_ms": {"p50": 0.1, "p99": 1.0, "max": 20.0},
        "slowest": 0.99,
        "spread": 0.01,
    }


def test_waits_are_read_from_the_scheduler(tmp_path):
    path = tmp_path / "schedstat"
    path.write_text("2000000000 500000000 17\n")
    assert scheduled(str(path)) == (pytest.approx(2.0), pytest.approx(0.5))
    path.write_text("0\n")
    assert scheduled(str(path)) is None
    assert scheduled(str(tmp_path / "none")) is None


def test_slots_work_at_the_same_time_and_none_is_left(monkeypatch):
    monkeypatch.setenv("DROPFOUR_TEST", f"fairness-{os.getpid()}")
    done = []
    found = measure(2, 3, 0.05, done.append)
    assert done == [1, 2, 3]
    assert (found.jobs, found.slots, found.seconds) == (2, 2, pytest.approx(0.15))
    assert 0 <= found.slowest <= 1  # 0: a slot that got no core
    assert 0 <= found.late_s[0] <= found.late_s[1] <= found.late_s[2]
    assert processes_with(f"DROPFOUR_TEST=fairness-{os.getpid()}") == []


def test_more_slots_than_tell_anything_are_not_started():
    found = measure(10**6, 1, 0.05)
    assert found.jobs == 10**6
    assert found.slots == MOST_SLOTS_PER_CORE * found.cores.jobs


def test_each_slot_tells_of_every_round():
    pieces, round_s = 0, 0.02
    while not pieces and round_s < 20:  # on a busy machine a short round may end before a piece is done
        with started(2, 4, round_s) as workers:
            workers.begin()
            told = workers.results()
        assert [len(entries) for entries in told] == [4, 4]
        assert all(entry.took_s >= 0 for entries in told for entry in entries)  # 0: no core during the whole round
        pieces, round_s = sum(entry.pieces for entries in told for entry in entries), 5 * round_s
    assert pieces > 0


def test_a_slot_that_cannot_be_started_or_ends_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("judge.machine.fairness.SLOT", tmp_path / "none.py")
    with pytest.raises(NotMeasured, match="ended before its time"):
        measure(1, 1, 0.01)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))
    with pytest.raises(NotMeasured, match="could not be started"):
        measure(1, 1, 0.01)


def test_a_slot_ends_with_the_process_that_started_it():
    """It would burn for an hour otherwise."""
    starter = (
        "import subprocess, sys, time\n"
        f"slot = subprocess.Popen([sys.executable, '-I', '-S', {str(SLOT)!r}, '72000', '0.05'],\n"
        "                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
        "slot.stdout.readline()\n"
        "slot.stdin.write(f'{time.monotonic()}\\n')\n"
        "slot.stdin.flush()\n"
        "print(slot.pid, flush=True)\n"
        "time.sleep(3600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())
        process.kill()
    give_up = time.monotonic() + PATIENCE_S
    while os.path.exists(f"/proc/{pid}") and not is_zombie(pid) and time.monotonic() < give_up:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{pid}") or is_zombie(pid)


def is_zombie(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
