"""`python -m judge check` in every game: a sound player passes, a misbehaving one fails what it should.

A misbehaving player has only those checks that it is to fail, sound ones and a few of the others have all. The checks
run side by side, as nearly all of their time is waiting; each test looks at one of them.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.checks import runs as check_runs
from judge.checks.effort import USUAL
from judge.checks.outcomes import LIMITS, Group, Result, names
from judge.games import DEFAULT_GAME
from judge.games import GAMES as ALL_GAMES
from judge.games.check_cases import Kind
from judge.games.connect_four import checks as connect_four_checks
from judge.processes import descendants
from tests.judge.helpers.checking import LEAST, LIMIT_S, checked
from tests.judge.helpers.scripted import GAMES, bot, command, run_judge, run_judge_process

LIMIT_OF_THE_BUSY_S = 1.0  # where no reply comes and somebody computes all the time
LIMIT_OF_THE_FLOODED_S = 15.0  # a megabyte of stderr a turn, through a pipe of 64 KB that the judge has to empty
EXIT_LIMIT_S = 8.0  # in place of the judge's own, which a sound player on a busy machine may break
MUCH_LATER_S = 4.0  # so late that no busy machine is to blame
CONCURRENT = 24

FIRST_GAME = "a whole game as first mover"  # of either game; each has its own names for its checks
TOP_CORNER = next(case.name for case in connect_four_checks.CASES if "top corner" in case.name)
SLOW_JUDGE, UNREAD, AFTER_REPLY = "slow judge", "stderr left unread", "end of input after a reply"
BEFORE_TURN = "end of input before the first turn"
LIMIT_CHECKS = {name for name, _ in LIMITS}

ILLEGAL, FRAME, CRASH = "ILLEGAL_MOVE: ", "BAD_FRAME: ", "CRASH: "
SILENT = "STALL: it said nothing for "
LATE = ("TIME_FORFEIT: it took ", SILENT)

# mode: what has to fail, each with how its reason begins. The newer games have few of the modes that know no game.
EXPECTED_IN_EVERY_GAME = {
    "off_board": {FIRST_GAME: ILLEGAL},
    "zero_length": {FIRST_GAME: FRAME},
    "extra_bytes": {FIRST_GAME: FRAME},
    "length_2049": {FIRST_GAME: "OUTPUT_LIMIT: ", "output limit": "a reply is longer than 2048 bytes"},
    "exit_0": {FIRST_GAME: CRASH + "it ended with status 0"},
    "leave_children": {AFTER_REPLY: "it ended but left"},
    "flood_stderr": {UNREAD: SILENT, "stderr limit": "1,048,704 bytes in one game"},
}
STILL_RUNS = f"it still runs {EXIT_LIMIT_S:g} s after the end of its input, as the platform's own main() does"
# mode: what is only warned of.
WARNED = {"never_read": {BEFORE_TURN: STILL_RUNS}, "close_stdin": {AFTER_REPLY: STILL_RUNS}}
EXPECTED = {
    (DEFAULT_GAME, 0): {
        **EXPECTED_IN_EVERY_GAME,
        "no_integers": {FIRST_GAME: FRAME},
        "one_integer": {FIRST_GAME: FRAME},
        "two_replies": {SLOW_JUDGE: FRAME},
        "out_of_turn": {SLOW_JUDGE: FRAME},
        "flood_out_of_turn": {SLOW_JUDGE: FRAME},
        "length_2gb": {FIRST_GAME: "OUTPUT_LIMIT: ", "output limit": "a reply is longer than 2048 bytes"},
        "flood_stdout": {FIRST_GAME: "OUTPUT_LIMIT: ", "output limit": "a reply is longer than 2048 bytes"},
        "close_stdout": {FIRST_GAME: CRASH + "it closed its stdout"},
        "reply_and_exit": {FIRST_GAME: CRASH + "it ended with status 0"},
        "exit_3": {FIRST_GAME: CRASH + "it ended with status 3"},
        "segfault": {FIRST_GAME: CRASH + "it was ended by signal 11"},
        "die_mid_frame": {FIRST_GAME: CRASH},
        "die_leaving_children": {FIRST_GAME: CRASH},
        "late": {FIRST_GAME: LATE, "time limit": "a move took over 3 s"},
        "late_and_illegal": {FIRST_GAME: LATE, "time limit": "a move took over 3 s"},
        "late_exit": {FIRST_GAME: LATE, "time limit": "a move took over 3 s"},
        "stop_itself": {FIRST_GAME: SILENT},
        "sleep_forever": {FIRST_GAME: SILENT, "start-up charged to the first move": "a first move did not come"},
        "busy_forever": {FIRST_GAME: SILENT},
        "ignore_sigterm": {FIRST_GAME: SILENT},
        "stop_mid_frame": {FIRST_GAME: SILENT},
        "never_read": {FIRST_GAME: SILENT},
        "close_stdin": {FIRST_GAME: SILENT},
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
        "asks_and_sleeps": {FIRST_GAME: SILENT},
        "asks_and_dies": {FIRST_GAME: CRASH + "it ended with status 3"},
        "asks_out_of_turn": {SLOW_JUDGE: FRAME},
    },
    ("dots", 0): {
        **EXPECTED_IN_EVERY_GAME,
        "no_integers": {FIRST_GAME: FRAME},
        "one_integer": {FIRST_GAME: FRAME},
        "die_mid_frame": {FIRST_GAME: CRASH},
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
HAVE_ALL_CHECKS = ("flood_stderr", "leave_children", "off_board")
# Not of the flooding player, whose limit is long: they take that long, and somebody else has them.
WAITS_FOR_THE_LIMIT = (SLOW_JUDGE, BEFORE_TURN)
KEEPS_A_PROCESSOR_BUSY = ("busy_forever", "asks_forever")
HARMFUL_CASES = [(game, mode, at) for (game, at), expected in EXPECTED.items() for mode in expected]
HARMLESS_CASES = [(game, mode, 0) for game in GAMES for mode in HARMLESS[game]]


def names_of(game, expected):
    """The names of the checks that are expected to fail, in the order of all."""
    return [name for name in names(game) if name in {own_name(game, name) for name in expected}]


def own_name(game, name):
    return ALL_GAMES[game].check_cases[0].name if name == FIRST_GAME else name


def has_all_checks(game, mode):
    return mode in HARMLESS[game] or mode in HAVE_ALL_CHECKS


def other_boards(game):
    """The names of all whole games but the first two."""
    return [case.name for case in ALL_GAMES[game].check_cases if case.kind is Kind.WHOLE_GAME][2:]


def names_of_case(game, mode, at):
    """The checks that a misbehaving or a harmless player has: all, or those that it is to fail."""
    if mode == "flood_stderr":
        return [name for name in names(game) if name not in (*WAITS_FOR_THE_LIMIT, *other_boards(game))]
    if mode == "legal":
        return names(game)
    if has_all_checks(game, mode):
        return [name for name in names(game) if name not in other_boards(game)]
    return names_of(game, {**EXPECTED[game, at][mode], **WARNED.get(mode, {})})


def checked_case(game, mode, at):
    """What comes of them."""
    limit_s = LIMIT_OF_THE_BUSY_S if mode in KEEPS_A_PROCESSOR_BUSY else LIMIT_S
    if mode == "flood_stderr":
        limit_s = LIMIT_OF_THE_FLOODED_S
    effort = LEAST if has_all_checks(game, mode) else USUAL
    told_s = limit_s + MUCH_LATER_S if mode.startswith("late") else limit_s
    player = bot("misbehave", mode, "--at", at, "--limit", told_s, game=game)
    return checked(player, limit_s, names_of_case(game, mode, at), game, effort)


@pytest.fixture(scope="module")
def checks():
    """{case: a future of its checks}; the longest begin first."""
    cases = sorted((*HARMLESS_CASES, *HARMFUL_CASES), key=lambda case: not has_all_checks(*case[:2]))
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(CONCURRENT) as pool:
        patch.setattr(check_runs, "EXIT_LIMIT_S", EXIT_LIMIT_S)
        games = {case: pool.submit(checked_case, *case) for case in cases}
        yield games
        for game in games.values():
            game.exception()


@pytest.fixture(scope="module")
def commands(checks, tmp_path_factory):
    """{a player's words: a future of the command that checks it}, beside the others."""
    with ThreadPoolExecutor() as pool:
        yield {
            words: pool.submit(
                run_judge_process,
                tmp_path_factory.mktemp("check"),
                "check",
                command(*words),
                "--limit",
                LIMIT_S,
                "--json",
            )
            for words in (("first_legal",), ("misbehave", "exit_3"))
        }


@pytest.mark.parametrize("game, mode, at", HARMFUL_CASES)
@pytest.mark.usefixtures("commands")
def test_a_misbehaving_player_fails_for_the_right_reason(checks, game, mode, at):
    found = checks[game, mode, at].result()
    expected = EXPECTED[game, at][mode]
    assert list(found) == names_of_case(game, mode, at)
    for name, reason in expected.items():
        outcome = found[own_name(game, name)]
        assert (outcome.passed, outcome.result) == (False, Result.FAILED)
        assert outcome.reason.startswith(reason)


@pytest.mark.parametrize("mode", WARNED)
def test_what_the_platform_puts_up_with_is_a_warning(checks, mode):
    found = checks[DEFAULT_GAME, mode, 0].result()
    for name, reason in WARNED[mode].items():
        assert (found[name].passed, found[name].result) == (True, Result.WARNING)
        assert found[name].reason.startswith(reason)


@pytest.mark.parametrize("game, mode, at", HARMLESS_CASES)
def test_a_sound_player_passes(checks, game, mode, at):
    assert list(checks[game, mode, at].result()) == names_of_case(game, mode, at)
    assert failed(checks[game, mode, at]) == set()


def failed(future):
    """The names of the checks that were not passed."""
    return {outcome.name for outcome in future.result().values() if outcome.result is not Result.PASSED}


@pytest.mark.parametrize("game", GAMES)
def test_a_fault_fails_nothing_that_it_has_nothing_to_do_with(checks, game):
    assert failed(checks[game, "flood_stderr", 0]) == {UNREAD, "stderr limit"}
    assert failed(checks[game, "leave_children", 0]) == {AFTER_REPLY}
    assert failed(checks[game, "off_board", 0]) & LIMIT_CHECKS == set()


def test_nothing_is_left_of_all_these_trials(checks):
    for found in checks.values():
        found.result()
    assert descendants.strays() == []


@pytest.mark.parametrize("game, of_game", [("reversi", DEFAULT_GAME), ("dots", "reversi")])
def test_a_player_of_another_game_fails(game, of_game):
    first = ALL_GAMES[game].check_cases[0].name
    assert not checked(bot("first_legal", game=of_game), only=[first], game=game)[first].passed


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_its_own_runs_and_the_limits(game):
    found = names(game)
    assert found == [case.name for case in ALL_GAMES[game].check_cases] + [name for name, _ in LIMITS]
    assert len(set(found)) == len(found)
    assert any("asked twice running" in name for name in found) == (game == "reversi")


def test_the_command_tells_a_table_and_json(commands):
    done = commands[("first_legal",)].result()
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["passed"] is True
    assert [entry["name"] for entry in outcome["checks"]] == names(DEFAULT_GAME)
    assert outcome["warnings"] == 0
    assert {entry["result"] for entry in outcome["checks"]} == {"passed"}
    total = len(names(DEFAULT_GAME))
    assert f"{total} of {total} checks passed" in done.stdout


def test_a_failed_check_is_exit_status_1(commands):
    done = commands["misbehave", "exit_3"].result()
    assert done.returncode == 1
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["passed"] is False
    assert outcome["checks"][0]["reason"] == "CRASH: it ended with status 3"
    assert "FAILED   first mover" in done.stderr


def test_a_command_that_cannot_start_fails_everything(tmp_path):
    done = run_judge(tmp_path, "check", "no-such-program", "--limit", 3, "--json")
    assert done.returncode == 1
    checks = json.loads(done.stdout.splitlines()[-1])["checks"]
    assert checks[0]["reason"] == "STARTUP_FAILURE: no-such-program: No such file or directory"


def test_no_player_is_a_bad_argument(tmp_path):
    done = run_judge(tmp_path, "check", "bot:no-such-preset")
    assert done.returncode == 2
    assert "no-such-preset" in done.stderr


def test_the_table_has_a_line_for_each_group_and_for_what_did_not_pass(commands):
    done = commands["misbehave", "exit_3"].result()
    table, outcome = done.stdout, json.loads(done.stdout.splitlines()[-1])
    failed = [entry for entry in outcome["checks"] if entry["result"] == "failed"]
    assert {entry["group"] for entry in outcome["checks"]} == {group.value for group in Group}
    assert re.search(r"^ +boards and opponents +FAILED +0 of 18 *$", table, re.MULTILINE)
    assert len(re.findall("FAILED", table)) == len(failed) + len({entry["group"] for entry in failed})


def test_a_passed_check_has_no_line_of_its_own_and_odds_are_told(commands):
    done = commands[("first_legal",)].result()
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert len(re.findall(" passed ", done.stdout.partition("\n\n")[0])) <= len(Group)
    assert outcome["odds"]["fault_in_moves"] == 200
    assert outcome["odds"]["probability"] == pytest.approx(1 - 0.995 ** outcome["moves"], abs=1e-6)
    assert f"{outcome['moves']} moves: a fault in 1 of 200 would have shown with a probability of" in done.stdout
    assert sum(entry["moves"] for entry in outcome["checks"]) == outcome["moves"]
    assert outcome["hurried_moves"] == 0
