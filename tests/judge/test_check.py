"""`python -m judge check` in every game: a sound player passes, a misbehaving one fails what it should.

The checks run side by side, as nearly all of their time is waiting; each test looks at one of them.
"""

import dataclasses
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from scripted import ENGINES, GAMES, bot, command, run_judge

from judge import check, check_limits, check_runs, connect_four_checks, descendants
from judge.check_trial import Conditions, Costs
from judge.games import DEFAULT_GAME, checks_of
from judge.players import Contestant
from judge.rules.connect_four import ConnectFour
from protocol.record import Termination

LIMIT_S = 0.6
CONCURRENT = 12

FIRST_GAME = "a whole game as first mover"  # of either game; its own names for its checks stand in checks_of()
TOP_CORNER = next(name for name, _ in connect_four_checks.RUNS if "top corner" in name)
SLOW_JUDGE, UNREAD, AFTER_REPLY = "slow judge", "stderr left unread", "end of input after a reply"
LIMIT_CHECKS = {name for name, _ in check.LIMITS}

ILLEGAL, FRAME, CRASH, LATE = "ILLEGAL_MOVE: ", "BAD_FRAME: ", "CRASH: ", "TIME_FORFEIT: no reply within"

# mode: what has to fail, each with how its reason begins; where a game fails, all games do.
EXPECTED_IN_EVERY_GAME = {
    "off_board": {FIRST_GAME: ILLEGAL},
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
EXPECTED = {
    (DEFAULT_GAME, 0): {
        **EXPECTED_IN_EVERY_GAME,
        "wrong_row": {FIRST_GAME: ILLEGAL},
        "negative_column": {FIRST_GAME: ILLEGAL},
    },
    (DEFAULT_GAME, 6): {"full_column": {TOP_CORNER: ILLEGAL + "column 0 is full"}},
    ("reversi", 0): {
        **EXPECTED_IN_EVERY_GAME,
        "taken_cell": {FIRST_GAME: ILLEGAL},
        "turns_nothing": {FIRST_GAME: ILLEGAL},
        "a_pass": {FIRST_GAME: FRAME},
        "asks_forever": {FIRST_GAME: LATE},
        "asks_and_sleeps": {FIRST_GAME: LATE},
        "asks_and_dies": {FIRST_GAME: CRASH + "it ended with status 3"},
        "asks_out_of_turn": {SLOW_JUDGE: FRAME},
    },
    ("dots", 0): {
        **EXPECTED_IN_EVERY_GAME,
        "goes_on": {FIRST_GAME: ILLEGAL},
        "wrong_count": {FIRST_GAME: FRAME},
        "names_itself_again": {FIRST_GAME: FRAME},
        "names_itself_out_of_turn": {SLOW_JUDGE: FRAME},
    },
    ("dots", 6): {"drawn_edge": {FIRST_GAME: ILLEGAL}},
}
HARMLESS = {
    DEFAULT_GAME: ("legal", "close_stderr"),
    "reversi": ("legal", "close_stderr", "asks"),
    "dots": ("legal", "close_stderr", "without_count", "late_line_end"),
}
HARMFUL_CASES = [(game, mode, at) for (game, at), expected in EXPECTED.items() for mode in expected]
HARMLESS_CASES = [(game, mode, 0) for game in GAMES for mode in HARMLESS[game]]


def checked(game, contestant):
    """{check's name: Outcome} of a player of the game."""
    conditions = Conditions(LIMIT_S, 10**9, 1, threading.Event(), game)
    return {outcome.name: outcome for outcome in check.outcomes(contestant, conditions)}


@pytest.fixture(scope="module")
def checks():
    with ThreadPoolExecutor(CONCURRENT) as pool:
        yield {
            (game, mode, at): pool.submit(
                checked, game, bot("misbehave", mode, "--at", at, "--limit", LIMIT_S, game=game)
            )
            for game, mode, at in (*HARMFUL_CASES, *HARMLESS_CASES)
        }


@pytest.mark.parametrize("game, mode, at", HARMFUL_CASES)
def test_a_misbehaving_player_fails_for_the_right_reason(checks, game, mode, at):
    found = checks[game, mode, at].result()
    assert list(found) == check.names(game)
    for name, reason in EXPECTED[game, at][mode].items():
        outcome = found[checks_of(game).RUNS[0][0] if name == FIRST_GAME else name]
        assert not outcome.passed
        assert outcome.reason.startswith(reason)


@pytest.mark.parametrize("game, mode, at", HARMLESS_CASES)
def test_a_sound_player_passes(checks, game, mode, at):
    assert failed(checks[game, mode, at]) == set()


def failed(check):
    return {outcome.name for outcome in check.result().values() if not outcome.passed}


@pytest.mark.parametrize("game", GAMES)
def test_a_fault_fails_nothing_that_it_has_nothing_to_do_with(checks, game):
    assert failed(checks[game, "flood_stderr", 0]) == {UNREAD, "stderr limit"}
    assert failed(checks[game, "leave_children", 0]) == {AFTER_REPLY}
    assert failed(checks[game, "off_board", 0]) & LIMIT_CHECKS == set()


def test_nothing_is_left_of_all_these_trials(checks):
    for found in checks.values():
        found.result()
    assert descendants.strays() == []


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
            while time.process_time() < began + 0.15:
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
    return lambda children, megabytes: Contestant("hungry", f"{sys.executable} -S -s {path} {children} {megabytes}")


def new_bench(contestant, memory_limit_bytes=10**9, limit_s=3.0):
    return check_runs.Bench(contestant, Conditions(limit_s, memory_limit_bytes, 1, threading.Event()))


def test_the_work_of_children_is_counted(hungry):
    bench = new_bench(hungry(2, 1))
    check_runs.in_parts(connect_four_checks.PLAIN_BOARD)(bench)
    (costs,) = bench.costs
    assert len(costs.cpus_s) == check_runs.FEW_TURNS
    assert all(0.25 < cpu_s < 0.6 for cpu_s in costs.cpus_s)


def test_too_much_memory_is_named(hungry):
    bench = new_bench(hungry(0, 200), 10**8)
    with pytest.raises(check.Forfeit, match="over the limit of 100 MB"):
        check_runs.joined(connect_four_checks.PLAIN_BOARD)(bench)
    with pytest.raises(check_runs.Unfit, match="of 100 MB"):
        check_limits.memory_limit(bench)


def test_memory_within_the_limit_is_told(hungry):
    bench = new_bench(hungry(0, 200))
    check_runs.joined(connect_four_checks.PLAIN_BOARD)(bench)
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
    assert connect_four_checks.blocker(position, 3) == 3
    position.play(3)
    for column in (5, 0, 6):
        position.play(column)
    assert connect_four_checks.blocker(position, 6) != 0  # would be its own fourth there


def test_the_command_tells_a_table_and_json(tmp_path):
    done = run_judge(tmp_path, "check", command("first_legal"), "--limit", 0.5, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["passed"] is True
    assert [entry["name"] for entry in outcome["checks"]] == check.names(DEFAULT_GAME)
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
