"""The limits that `python -m judge check` judges from what its runs have cost: children's work, memory, stderr."""

import dataclasses
import re
import threading
import time

import pytest

from judge.checks import checks as check_runs
from judge.checks import limits as check_limits
from judge.checks.games import Bench, CheckFailed
from judge.checks.trial import CheckConditions, Trial
from judge.games.check_cases import CheckCase, Kind
from judge.games.connect_four import checks as connect_four_checks
from judge.play.driver import Costs, demand_s
from judge.play.scoresheet import Conditions
from judge.play.seat import Forfeit
from judge.players.players import Contestant
from protocol.records.record import Termination
from tests.judge.helpers.scripted import ENGINES, WIDE_LIMIT_S, bot
from tests.places import PYTHON

HUNGRY = """
import os, sys, time
sys.path.insert(0, {engines!r})
from wires import open_game
hoard = bytearray(int(sys.argv[2]) * 10**6)
game = open_game("connect_four")
while True:
    game.read_turn()
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            began = time.process_time()
            while time.process_time() < began + 0.08:
                pass
            os._exit(0)
    for _ in range(int(sys.argv[1])):
        os.wait()
    game.reply(*game.legal_cells()[0])
"""


@pytest.fixture
def hungry(tmp_path):
    """A function from a number of busy children per move and megabytes to a player that uses them."""
    path = tmp_path / "hungry.py"
    path.write_text(HUNGRY.format(engines=str(ENGINES)))
    return lambda children, megabytes: Contestant("hungry", f"{PYTHON} -S -s {path} {children} {megabytes}")


def new_bench(contestant, memory_limit_bytes=10**9, limit_s=WIDE_LIMIT_S):
    return Bench(
        contestant, CheckConditions(Conditions(limit_s, memory_limit_bytes=memory_limit_bytes), 1, threading.Event())
    )


def test_the_work_of_children_is_counted(hungry):
    bench = new_bench(hungry(2, 1))
    check_runs.run_case(bench, CheckCase("it", Kind.IN_PARTS, connect_four_checks.PLAIN_BOARD))
    (costs,) = bench.costs
    assert len(costs.cpus_s) == check_runs.FEW_TURNS
    assert all(0.14 < cpu_s < 1.5 for cpu_s in costs.cpus_s)


def test_too_much_memory_is_named(hungry):
    bench = new_bench(hungry(0, 200), 10**8)
    with pytest.raises(Forfeit, match="over the limit of 100 MB"):
        check_runs.run_case(bench, CheckCase("it", Kind.JOINED, connect_four_checks.PLAIN_BOARD))
    with pytest.raises(CheckFailed, match="the limit is 100 MB"):
        check_limits.memory_limit(bench)


def test_memory_within_the_limit_is_told(hungry):
    bench = new_bench(hungry(0, 200))
    check_runs.run_case(bench, CheckCase("it", Kind.JOINED, connect_four_checks.PLAIN_BOARD))
    (peak,) = re.findall(r"at most (\d+) MB", check_limits.memory_limit(bench))
    assert 200 < int(peak) < 300


def bench_that_cost(**costs):
    bench = new_bench(bot("first_legal"))
    bench.costs.append(dataclasses.replace(Costs(walls_s=[0.1] * 10, cpus_s=[0.1] * 10, spans_s=[0.1] * 10), **costs))
    return bench


def test_more_cpu_time_than_wall_time_is_more_than_one_thread():
    used = "the player used at most 1.00 s of CPU time in a game, in which its turns took 1.00 s"
    assert check_limits.one_thread(bench_that_cost()) == used
    with pytest.raises(
        CheckFailed, match="the player used 1.50 s of CPU time in turns of 1.00 s: more than one thread"
    ):
        check_limits.one_thread(bench_that_cost(cpus_s=[0.15] * 10))


def test_a_judge_that_begins_its_clock_late_takes_nobody_for_more_than_one_thread(hungry, monkeypatch):
    """Its thread loses its core when it has sent the turn, and the player has replied before the clock begins."""
    bytewise = Trial.send_bytewise

    def send_and_sleep(trial, data):
        bytewise(trial, data)
        time.sleep(0.3)

    monkeypatch.setattr(Trial, "send_bytewise", send_and_sleep)
    bench = new_bench(hungry(1, 1))
    check_runs.run_case(bench, CheckCase("it", Kind.BYTE_BY_BYTE, connect_four_checks.PLAIN_BOARD))
    assert check_limits.one_thread(bench)


def test_stderr_is_judged_for_the_longest_game():
    fine = bench_that_cost(stderr_bytes=8600, stderr_bytes_at_first_reply=5000)
    assert check_limits.stderr_limit(fine).startswith(
        "the player would write at most 33,400 bytes to stderr in the longest"
    )
    chatty = bench_that_cost(stderr_bytes=9500, stderr_bytes_at_first_reply=500)
    with pytest.raises(CheckFailed, match="the player writes 71,500 bytes to stderr in 72 moves"):
        check_limits.stderr_limit(chatty)


def test_a_player_without_a_move_in_time_is_within_no_time_limit():
    with pytest.raises(CheckFailed, match="the player made no move in time"):
        check_limits.time_limit(bench_that_cost(walls_s=[], fault=Termination.CRASH))


def test_threads_at_work_have_asked_for_what_they_waited_for():
    """Two that share a core, one that woke up and waited, one that has been there before."""
    before = {(1, 4): (5.0, 6.0)}
    after = {(1, 1): (0.5, 0.5), (1, 2): (0.5, 0.5), (1, 3): (0.01, 0.9), (1, 4): (5.0, 6.0)}
    assert demand_s(before, after) == pytest.approx(2.01)


def test_a_turn_in_which_threads_asked_for_more_than_its_time_is_more_than_one_thread():
    assert check_limits.one_thread(bench_that_cost(demands=[(1.0, 1.0), (1.19, 1.0)]))
    with pytest.raises(
        CheckFailed,
        match="the player's threads wanted 1.90 s of CPU time in a turn of 1.00 s: more than one thread was",
    ):
        check_limits.one_thread(bench_that_cost(demands=[(0.1, 0.1), (1.9, 1.0)]))


def test_moves_that_the_machine_delayed_are_told():
    late = check_limits.time_limit(bench_that_cost(walls_s=[WIDE_LIMIT_S + 1, 0.1]))
    assert late.endswith("; moves that were late only because the machine did not run the player: 1")


def test_a_first_move_that_went_wrong_in_another_way_is_no_slow_start():
    bench = bench_that_cost(charged_start=True)
    bench.costs.append(Costs(charged_start=True, fault=Termination.CRASH))
    assert check_limits.start_up(bench) == "the player's slowest first move came 0.100 s after its process had started"
    bench.costs.append(Costs(charged_start=True, fault=Termination.STALL))
    with pytest.raises(CheckFailed, match="no first move came in time"):
        check_limits.start_up(bench)
