"""`python -m judge check`: a sound player passes, every misbehaviour fails the checks that it should.

The checks run side by side, as nearly all of their time is waiting; each test looks at one of them.
"""

import dataclasses
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from scripted import ENGINES, bot, command, run_judge

from judge import check, check_limits, check_runs, descendants
from judge.check_trial import Conditions, Costs
from judge.players import Contestant
from judge.rules.connect_four import ConnectFour
from protocol.record import Termination

LIMIT_S = 0.6
CONCURRENT = 12

FIRST_GAME = check.RUNS[0][0]
TOP_CORNER = next(name for name, _ in check.RUNS if "top corner" in name)
SLOW_JUDGE, UNREAD, AFTER_REPLY = "slow judge", "stderr left unread", "end of input after a reply"
LIMIT_CHECKS = {name for name, _ in check.LIMITS}

ILLEGAL, FRAME, CRASH, LATE = "ILLEGAL_MOVE: ", "BAD_FRAME: ", "CRASH: ", "TIME_FORFEIT: no reply within"

# mode: what has to fail, each with how its reason begins; where a game fails, all games do.
EXPECTED = {
    "wrong_row": {FIRST_GAME: ILLEGAL},
    "off_board": {FIRST_GAME: ILLEGAL},
    "negative_column": {FIRST_GAME: ILLEGAL},
    "zero_length": {FIRST_GAME: FRAME},
    "no_integers": {FIRST_GAME: FRAME},
    "one_integer": {FIRST_GAME: FRAME},
    "extra_bytes": {FIRST_GAME: FRAME},
    "two_replies": {SLOW_JUDGE: FRAME},
    "out_of_turn": {SLOW_JUDGE: FRAME},
    "flood_out_of_turn": {SLOW_JUDGE: FRAME},
    "length_2gb": {FIRST_GAME: "OUTPUT_LIMIT: ", "output limit": "a reply is longer than 2048 bytes"},
    "length_2049": {FIRST_GAME: "OUTPUT_LIMIT: ", "output limit": "a reply is longer than 2048 bytes"},
    "flood_stdout": {FIRST_GAME: "OUTPUT_LIMIT: ", "output limit": "a reply is longer than 2048 bytes"},
    "close_stdout": {FIRST_GAME: CRASH + "it closed its stdout"},
    "exit_0": {FIRST_GAME: CRASH + "it ended with status 0"},
    "reply_and_exit": {FIRST_GAME: CRASH + "it ended with status 0"},
    "exit_3": {FIRST_GAME: CRASH + "it ended with status 3"},
    "segfault": {FIRST_GAME: CRASH + "it was ended by signal 11"},
    "die_mid_frame": {FIRST_GAME: CRASH},
    "die_leaving_children": {FIRST_GAME: CRASH},
    "late": {FIRST_GAME: LATE, "time limit": "a move took over 0.6 s"},
    "late_and_illegal": {FIRST_GAME: LATE, "time limit": "a move took over 0.6 s"},
    "late_exit": {FIRST_GAME: LATE, "time limit": "a move took over 0.6 s"},
    "stop_itself": {FIRST_GAME: LATE},
    "sleep_forever": {FIRST_GAME: LATE, "start-up charged to the first move": "a first move did not come"},
    "busy_forever": {FIRST_GAME: LATE},
    "ignore_sigterm": {FIRST_GAME: LATE},
    "stop_mid_frame": {FIRST_GAME: LATE},
    "never_read": {FIRST_GAME: LATE, "end of input before the first turn": "it still runs 1 s after"},
    "close_stdin": {FIRST_GAME: LATE, AFTER_REPLY: "it still runs 1 s after"},
    "leave_children": {AFTER_REPLY: "it ended but left"},
    "flood_stderr": {UNREAD: LATE, "stderr limit": "1,048,704 bytes in one game"},
}
HARMLESS = ("legal", "close_stderr")
AT_LATER_MOVE = {"full_column": {TOP_CORNER: ILLEGAL + "column 0 is full"}}
CASES = [(mode, 0) for mode in (*EXPECTED, *HARMLESS)] + [(mode, 6) for mode in AT_LATER_MOVE]


def checked(contestant, limit_s=LIMIT_S, memory_limit_bytes=10**9):
    """{check's name: Outcome} of a player."""
    conditions = Conditions(limit_s, memory_limit_bytes, 1, threading.Event())
    return {outcome.name: outcome for outcome in check.outcomes(contestant, conditions)}


@pytest.fixture(scope="module")
def checks():
    with ThreadPoolExecutor(CONCURRENT) as pool:
        yield {
            (mode, at): pool.submit(checked, bot("misbehave", mode, "--at", at, "--limit", LIMIT_S))
            for mode, at in CASES
        }


@pytest.mark.parametrize("mode, at", [case for case in CASES if case[0] not in HARMLESS])
def test_a_misbehaving_player_fails_for_the_right_reason(checks, mode, at):
    found = checks[mode, at].result()
    assert set(found) == {name for name, _ in (*check.RUNS, *check.LIMITS)}
    for name, reason in {**EXPECTED, **AT_LATER_MOVE}[mode].items():
        assert not found[name].passed
        assert found[name].reason.startswith(reason)


@pytest.mark.parametrize("mode", HARMLESS)
def test_a_sound_player_passes(checks, mode):
    assert [outcome for outcome in checks[mode, 0].result().values() if not outcome.passed] == []


def test_a_fault_fails_nothing_that_it_has_nothing_to_do_with(checks):
    failed = {outcome.name for outcome in checks["flood_stderr", 0].result().values() if not outcome.passed}
    assert failed == {UNREAD, "stderr limit"}
    failed = {outcome.name for outcome in checks["leave_children", 0].result().values() if not outcome.passed}
    assert failed == {AFTER_REPLY}
    failed = {outcome.name for outcome in checks["wrong_row", 0].result().values() if not outcome.passed}
    assert failed & LIMIT_CHECKS == set()


def test_nothing_is_left_of_all_these_trials(checks):
    for found in checks.values():
        found.result()
    assert descendants.strays() == []


HUNGRY = """
import os, sys, time
sys.path.insert(0, {engines!r})
from text_wire import legal_moves, read_opening, read_turn, reply
hoard = bytearray(int(sys.argv[2]) * 10**6)
rows, cols = read_opening()
while True:
    tops = read_turn(rows, cols)
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            began = time.process_time()
            while time.process_time() < began + 0.15:
                pass
            os._exit(0)
    for _ in range(int(sys.argv[1])):
        os.wait()
    column = legal_moves(tops)[0]
    reply(tops[column] - 1, column)
"""


@pytest.fixture
def hungry(tmp_path):
    """A function from a number of busy children per move and megabytes to a player that uses them."""
    path = tmp_path / "hungry.py"
    path.write_text(HUNGRY.format(engines=str(ENGINES)))
    return lambda children, megabytes: Contestant(
        "hungry", f"{sys.executable} -S -s {path} {children} {megabytes}"
    )


def new_bench(contestant, memory_limit_bytes=10**9, limit_s=3.0):
    return check_runs.Bench(contestant, Conditions(limit_s, memory_limit_bytes, 1, threading.Event()))


def test_the_work_of_children_is_counted(hungry):
    bench = new_bench(hungry(2, 1))
    check_runs.in_parts(bench)
    (costs,) = bench.costs
    assert len(costs.cpus_s) == check_runs.FEW_TURNS
    assert all(0.25 < cpu_s < 0.6 for cpu_s in costs.cpus_s)


def test_too_much_memory_is_named(hungry):
    bench = new_bench(hungry(0, 200), 10**8)
    with pytest.raises(check.Forfeit, match="over the limit of 100 MB"):
        check_runs.joined(bench)
    with pytest.raises(check_runs.Unfit, match="of 100 MB"):
        check_limits.memory_limit(bench)


def test_memory_within_the_limit_is_told(hungry):
    bench = new_bench(hungry(0, 200))
    check_runs.joined(bench)
    assert 200 < float(check_limits.memory_limit(bench).split()[1]) < 300


def bench_that_cost(**costs):
    bench = new_bench(bot("first_legal"))
    bench.costs.append(dataclasses.replace(Costs(walls_s=[0.1] * 10, cpus_s=[0.1] * 10), **costs))
    return bench


def test_more_cpu_time_than_wall_time_is_more_than_one_thread():
    assert check_limits.one_thread(bench_that_cost()) == "1.00 s of CPU time in 1.00 s"
    with pytest.raises(check_runs.Unfit, match="1.50 s of CPU time in 1.00 s: more than one thread"):
        check_limits.one_thread(bench_that_cost(cpus_s=[0.15] * 10))


def test_stderr_is_judged_for_the_longest_game():
    fine = bench_that_cost(stderr_bytes=8600, stderr_bytes_at_first_reply=5000)
    assert check_limits.stderr_limit(fine) == "at most 33,400 bytes in the longest game of 65,536"
    chatty = bench_that_cost(stderr_bytes=9500, stderr_bytes_at_first_reply=500)
    with pytest.raises(check_runs.Unfit, match="at this rate 71,500 bytes in a game of 72 moves"):
        check_limits.stderr_limit(chatty)


def test_a_player_without_a_move_in_time_is_within_no_time_limit():
    with pytest.raises(check_runs.Unfit, match="it made no move in time"):
        check_limits.time_limit(bench_that_cost(walls_s=[], fault=Termination.CRASH))


def test_the_blocker_blocks_and_does_not_win():
    position = ConnectFour(9, 9, (0, 0))
    for column in (3, 0, 3, 0, 3):
        position.play(column)
    assert check_runs.blocker(position, 3) == 3
    position.play(3)
    for column in (5, 0, 6):
        position.play(column)
    assert check_runs.blocker(position, 6) != 0  # would be its own fourth there


def test_the_command_tells_a_table_and_json(tmp_path):
    done = run_judge(tmp_path, "check", command("first_legal"), "--limit", 0.5, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["passed"] is True
    assert [entry["name"] for entry in outcome["checks"]] == [
        name for name, _ in (*check.RUNS, *check.LIMITS)
    ]
    assert "20 of 20 checks passed" in done.stdout


def test_a_failed_check_is_exit_status_1(tmp_path):
    done = run_judge(tmp_path, "check", command("misbehave", "exit_3"), "--limit", 0.5, "--json")
    assert done.returncode == 1
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["passed"] is False
    assert outcome["checks"][0]["reason"] == "CRASH: it ended with status 3"
    assert "FAILED  first mover" in done.stderr


def test_a_command_that_cannot_start_fails_everything(tmp_path):
    done = run_judge(tmp_path, "check", "no-such-program", "--limit", 0.5, "--json")
    assert done.returncode == 1
    checks = json.loads(done.stdout.splitlines()[-1])["checks"]
    assert checks[0]["reason"] == "STARTUP_FAILURE: no-such-program: No such file or directory"


def test_no_player_is_a_bad_argument(tmp_path):
    done = run_judge(tmp_path, "check", "bot:no-such-preset")
    assert done.returncode == 2
    assert "no-such-preset" in done.stderr
