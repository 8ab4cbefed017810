"""`python -m judge check` with real players, for each thing that only a process can show, and what the command says.

test_findings.py has every case and limit with scripted players. The checks run side by side, as nearly all of their
time is waiting; each test looks at one of them.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.checks import checks as check_runs
from judge.checks.checks import BUILD, Group, Result, names
from judge.cli import check
from judge.games import DEFAULT_GAME
from judge.games import GAMES as ALL_GAMES
from judge.games.check_cases import Kind
from judge.play.sandbox import OFF, Sandbox
from judge.players import source_player
from judge.players.players import contestant
from tests.contracts.games import GAMES
from tests.judge.helpers.checking import LEAST, checked
from tests.judge.helpers.projects import MAIN, needs_compiler, program_project
from tests.judge.helpers.scripted import bot, command, run_judge, running_bots

LIMIT_S = 2.0  # a sound player on a busy machine keeps it
SHORT_LIMIT_S = 0.75  # where no reply comes
EXIT_LIMIT_S = 4.0  # in place of the judge's own, which a sound player on a busy machine may break
CONCURRENT = 16

FIRST_GAME = "a whole game as first mover"  # of any game; each has its own names for its checks
SLOW_JUDGE, UNREAD, AFTER_REPLY = "slow judge", "stderr left unread", "end of input after a reply"
BEFORE_TURN = "end of input before the first turn"
REST, THREADS = "at rest while the opponent is to move", "few threads and processes"
STILL_RUNS = f"the player still runs {EXIT_LIMIT_S:g} s after the end of its input, as the platform's own main() does"
FAILED, WARNING = Result.FAILED, Result.WARNING

# A game and a player's words: the check that it does not pass, what that is, and how the reason begins.
FINDINGS = {
    (DEFAULT_GAME, ("misbehave", "exit_3")): (FIRST_GAME, FAILED, "CRASH: it ended with status 3"),
    (DEFAULT_GAME, ("misbehave", "segfault")): (FIRST_GAME, FAILED, "CRASH: it was ended by signal 11"),
    (DEFAULT_GAME, ("misbehave", "die_leaving_children")): (FIRST_GAME, FAILED, "CRASH: "),
    (DEFAULT_GAME, ("misbehave", "flood_stdout")): (FIRST_GAME, FAILED, "OUTPUT_LIMIT: "),
    (DEFAULT_GAME, ("misbehave", "stop_itself")): (FIRST_GAME, FAILED, "STALL: it said nothing for "),
    (DEFAULT_GAME, ("misbehave", "flood_out_of_turn")): (SLOW_JUDGE, FAILED, "BAD_FRAME: "),
    (DEFAULT_GAME, ("misbehave", "leave_children")): (
        AFTER_REPLY,
        FAILED,
        "the player ended but left 2 of its processes running: end them before the player ends",
    ),
    (DEFAULT_GAME, ("misbehave", "flood_stderr")): (UNREAD, FAILED, "STALL: it said nothing for "),
    (DEFAULT_GAME, ("misbehave", "never_read")): (BEFORE_TURN, WARNING, STILL_RUNS),
    (DEFAULT_GAME, ("misbehave", "close_stdin")): (AFTER_REPLY, WARNING, STILL_RUNS),
    (DEFAULT_GAME, ("rarely", "--abort-at", 12)): ("first mover, a game as long as possible", FAILED, "CRASH: it was"),
    ("reversi", ("misbehave", "asks_and_dies")): (FIRST_GAME, FAILED, "CRASH: it ended with status 3"),
    ("dots", ("misbehave", "goes_on")): (FIRST_GAME, FAILED, "ILLEGAL_MOVE: "),
}
SOUND = {
    (DEFAULT_GAME, ("misbehave", "close_stderr")),
    ("reversi", ("misbehave", "asks")),
    ("dots", ("misbehave", "late_line_end")),
}
IS_SILENT = ("stop_itself", "flood_stderr", "never_read", "flood_out_of_turn")


def own_name(game, name):
    return ALL_GAMES[game].check_cases[0].name if name == FIRST_GAME else name


def checked_case(game, words):
    """What comes of the check that a player is not to pass, or of all but the games on further boards."""
    whole_games = [case.name for case in ALL_GAMES[game].check_cases if case.kind is Kind.WHOLE_GAME]
    if (game, words) in SOUND:
        only = [name for name in names(game) if name not in whole_games[2:]]
        return checked(bot(*words, game=game), LIMIT_S, only, game, LEAST, until=lambda found: not troubles(found))
    limit_s = SHORT_LIMIT_S if words[1] in IS_SILENT else 20.0
    name, _, reason = FINDINGS[game, words]
    only = [own_name(game, name)]
    return checked(
        bot(*words, game=game), limit_s, only, game, until=lambda found: found[only[0]].reason.startswith(reason)
    )


def troubles(found):
    """{name: reason} of the checks that were not passed."""
    return {outcome.name: outcome.reason for outcome in found.values() if outcome.result is not Result.PASSED}


@pytest.fixture(scope="module")
def checks():
    """{case: a future of its checks}; the longest begin first."""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(CONCURRENT) as pool:
        patch.setattr(check_runs, "EXIT_LIMIT_S", EXIT_LIMIT_S)
        games = {case: pool.submit(checked_case, *case) for case in (*SOUND, *FINDINGS)}
        yield games
        for game in games.values():
            game.exception()


@pytest.mark.parametrize("game, words", FINDINGS)
def test_a_misbehaving_player_does_not_pass_for_the_right_reason(checks, game, words):
    name, result, reason = FINDINGS[game, words]
    found = checks[game, words].result()
    assert list(found) == [own_name(game, name)]
    assert found[own_name(game, name)].result is result
    assert found[own_name(game, name)].reason.startswith(reason)


@pytest.mark.parametrize("game", GAMES)
def test_a_sound_player_passes(checks, game):
    (words,) = (words for of_game, words in SOUND if of_game == game)
    found = checks[game, words].result()
    assert troubles(found) == {}
    assert {outcome.group for outcome in found.values()} == set(Group) - {Group.BUILD}


def test_nothing_is_left_of_all_these_trials(checks):
    for found in checks.values():
        found.result()
    assert running_bots() == []


def test_children_that_are_left_without_a_wall_are_found():
    (outcome,) = checked(
        bot("misbehave", "leave_children"), 20.0, [AFTER_REPLY], effort=LEAST, sandbox=Sandbox(OFF)
    ).values()
    assert outcome.result is FAILED and outcome.reason.startswith(
        "the player ended but left 2 of its processes running"
    )


def test_what_the_platform_may_put_up_with_is_a_warning():
    player = bot("rarely", "--busy-after", 0.1, "--threads", 9)
    only = [SLOW_JUDGE, REST, THREADS]
    found = checked(
        player, SHORT_LIMIT_S, only, effort=LEAST, until=lambda found: {*troubles(found)} == {REST, THREADS}
    )
    assert {name: outcome.result for name, outcome in found.items()} == {
        SLOW_JUDGE: Result.PASSED,
        THREADS: WARNING,
        REST: WARNING,
    }
    assert found[REST].reason.startswith("the player's threads wanted ")
    assert found[THREADS].reason.startswith("the player had 10 threads at a time")


def test_a_player_of_another_game_fails():
    first = ALL_GAMES["dots"].check_cases[0].name
    assert not checked(bot("first_legal", game="reversi"), SHORT_LIMIT_S, [first], "dots")[first].passed


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command with a few of its checks; returns what it said, and its JSON."""
    chosen = [BUILD, FIRST_GAME, AFTER_REPLY, "output limit", "stderr limit"]

    everything = check.Checks
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(check_runs, "EXIT_LIMIT_S", EXIT_LIMIT_S)

    def run_check(*words):
        wanted = [own_name(DEFAULT_GAME, name) for name in chosen]
        monkeypatch.setattr(check, "Checks", lambda *of_player: everything(*of_player, wanted))
        done = run_judge(tmp_path, "check", *words, "--limit", 20, "--json")
        return done, json.loads(done.stdout.splitlines()[-1])

    return run_check


def test_the_command_tells_a_table_and_json(run):
    done, outcome = run(command("first_legal"))
    assert (done.returncode, outcome["passed"], outcome["warnings"]) == (0, True, 0), done.stdout + done.stderr
    assert len(outcome["checks"]) == 4 and {entry["result"] for entry in outcome["checks"]} == {"passed"}
    assert "4 of 4 checks passed" in done.stdout
    # A passed check has no line of its own, and odds are told.
    assert len(re.findall(r" passed +\d", done.stdout.partition("\n\n")[0])) == 3
    assert outcome["odds"]["fault_in_moves"] == 200
    assert outcome["odds"]["probability"] == pytest.approx(1 - 0.995 ** outcome["moves"], abs=1e-6)
    assert f"the player lost no game in {outcome['moves']} moves: a fault that occurs once in 200 moves" in done.stdout
    assert sum(entry["moves"] for entry in outcome["checks"]) == outcome["moves"] > 10
    assert outcome["hurried_moves"] == 0


def test_a_failed_check_is_exit_status_1(run):
    done, outcome = run(command("misbehave", "exit_3"))
    assert (done.returncode, outcome["passed"]) == (1, False)
    assert outcome["checks"][0]["reason"] == "CRASH: it ended with status 3"
    assert "FAILED   first mover" in done.stderr
    failed = [entry for entry in outcome["checks"] if entry["result"] == "failed"]
    assert {entry["group"] for entry in outcome["checks"]} == {"games", "end_of_input", "limits"}
    assert re.search(r"^boards and opponents +FAILED +0 of 1 passed *$", done.stdout, re.MULTILINE)
    assert outcome["causes"][0]["checks"] == [entry["name"] for entry in failed]  # one fault, with one line of its own
    assert len(re.findall("FAILED", done.stdout)) == 1 + len({entry["group"] for entry in failed})


@needs_compiler
def test_what_the_platforms_compiler_refuses_fails_though_it_plays_here(run, tmp_path, monkeypatch):
    monkeypatch.setattr(source_player, "BUILDS", tmp_path / "builds")
    done, outcome = run(f"src:{program_project(tmp_path / 'v8')}")
    assert (done.returncode, outcome["checks"][0]["reason"]) == (
        0,
        "g++ -O2 -std=c++17 -DONLINE_JUDGE builds the player",
    )
    assert re.search(r"^the platform's compiler +passed +1 of 1 passed *$", done.stdout, re.MULTILINE)
    program_project(tmp_path / "v8", {"main.cpp": "#include <windows.h>\n" + MAIN})
    done, outcome = run(f"src:{tmp_path / 'v8'}")
    failed = [entry for entry in outcome["checks"] if not entry["passed"]]
    assert (done.returncode, [entry["group"] for entry in failed]) == (1, ["build"])
    assert failed[0]["reason"].endswith(
        " does not build the player: main.cpp:1:10: fatal error: windows.h: No such file or directory"
    )
    assert "main.cpp:1:10:" in done.stdout


@needs_compiler
def test_a_suffix_that_the_platform_may_not_compile_is_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(source_player, "BUILDS", tmp_path / "builds")
    project = program_project(tmp_path / "v8", {"other.cc": "int other;\n"})
    (outcome,) = checked(contestant(f"src:{project}"), only=[BUILD]).values()
    assert (outcome.result, outcome.reason) == (
        WARNING,
        "the platform may refuse other.cc: it is known to compile only .c, .cpp; rename the file",
    )


def test_a_command_that_cannot_start_fails(run):
    done, outcome = run("no-such-program")
    assert done.returncode == 1
    assert outcome["checks"][0]["reason"] == "STARTUP_FAILURE: no-such-program: No such file or directory"


def test_no_player_is_a_bad_argument(tmp_path):
    done = run_judge(tmp_path, "check", "bot:no-such-preset")
    assert done.returncode == 2
    assert "no-such-preset" in done.stderr
