"""What C++ bots print to stdout is named by `judge check`, whatever way it takes; the kit's endless loop is a warning.

One project is built twice, as a program and as a library; a variable tells it how to print.
"""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.checks import limits as check_limits
from judge.checks import runs as check_runs
from judge.checks.bench import Bench, Doubtful
from judge.checks.outcomes import Result
from judge.checks.trial import Conditions
from judge.commands.readiness import check
from judge.games import DEFAULT_GAME, GAMES
from judge.games.check_cases import CheckCase, Kind
from judge.games.connect_four.checks import PLAIN_BOARD
from judge.players import source_build
from judge.players.players import contestant
from tests.judge.helpers.checking import LIMIT_S, checked
from tests.judge.helpers.printing import ENDLESS, VARIABLE, in_mode, printing_library, printing_program
from tests.judge.helpers.projects import needs_compiler
from tests.judge.helpers.scripted import bot, run_judge

pytestmark = needs_compiler

PRINTS = "nothing but replies on stdout"
WHOLE_GAME, BEFORE_TURN, AFTER_REPLY = (
    next(case.name for case in GAMES[DEFAULT_GAME].check_cases if case.kind is kind)
    for kind in (Kind.WHOLE_GAME, Kind.END_BEFORE_TURN, Kind.END_AFTER_REPLY)
)
LOOKED_AT = (WHOLE_GAME, AFTER_REPLY, PRINTS)
MEMORY_LIMIT_BYTES = 10**8
EXIT_LIMIT_S = 20.0  # in place of the judge's own, for programs that do end

# How a bot prints: what of it is quoted first.
IN_TURN = {
    "turn": "thinking...",
    "third turn": r"\x1b[1mthird",
    "a byte": ".",
    "child": r"from a child\n",
    "flood": "zzzzzzzz",
    "clear": "cleared",
    "load": r"loading\n",
    "crash": "last words",
}
AT_THE_END = {
    "own buffer": "by stream",
    "own buffer, third turn": "third by stream",
    "exit": r"bye\n",
    "a byte at exit": ".",
}
LATE = "after its last reply"
ON_STDERR = "stdout is for replies alone, other text belongs on stderr"
WITH_MAIN = "built with the platform's main(), that text lands between the replies"
HARMLESS = "harmless here, but built with the platform's main() and uploaded, that text lands between the replies"
FOR_A_LIBRARY = {**IN_TURN, "own buffer": "by stream", "own buffer, third turn": "third by stream"}
EXPECTED = {
    **{("program", mode): (Result.FAILED, text, ON_STDERR) for mode, text in IN_TURN.items()},
    **{("program", mode): (Result.FAILED, text, LATE) for mode, text in AT_THE_END.items()},
    **{("project", mode): (Result.FAILED, text, WITH_MAIN) for mode, text in FOR_A_LIBRARY.items()},
    **{("library", mode): (Result.WARNING, text, HARMLESS) for mode, text in FOR_A_LIBRARY.items()},
}
SILENT = [("program", ""), ("project", ""), ("library", ""), ("library", "close"), ("library", "close file")]


@pytest.fixture(scope="module")
def players(tmp_path_factory):
    """{kind: the player}: with a main(), without, and the library that is built of the second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_build, "BUILDS", tmp_path_factory.mktemp("builds"))
        program = contestant(f"src:{printing_program(tmp_path_factory.mktemp('program'))}")
        project = contestant(f"src:{printing_library(tmp_path_factory.mktemp('project'))}")
        yield {"program": program, "project": project, "library": contestant(f"lib:{project.prepared.argv[-1]}")}


@pytest.fixture(scope="module")
def checks(players):
    """{(kind, mode): a future of its checks}."""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor() as pool:
        patch.setattr(check_runs, "EXIT_LIMIT_S", EXIT_LIMIT_S)
        yield {
            case: pool.submit(checked, in_mode(players[case[0]], case[1]), EXIT_LIMIT_S, LOOKED_AT)
            for case in (*EXPECTED, *SILENT)
        }


@pytest.mark.parametrize("kind, mode", EXPECTED)
def test_what_is_printed_is_named_and_quoted(checks, kind, mode):
    outcome = checks[kind, mode].result()[PRINTS]
    result, text, why = EXPECTED[kind, mode]
    assert (outcome.result, outcome.passed) == (result, result is Result.WARNING)
    assert outcome.reason.startswith(f'it printed "{text}')
    assert why in outcome.reason
    assert len(outcome.reason) < 220


@pytest.mark.parametrize("kind, mode", SILENT)
def test_a_silent_bot_passes(checks, kind, mode):
    found = checks[kind, mode].result()
    assert {outcome.result for outcome in found.values()} == {Result.PASSED}


@pytest.mark.parametrize("mode", AT_THE_END)
def test_text_that_comes_last_is_the_only_failure(checks, mode):
    found = checks["program", mode].result()
    assert [name for name, outcome in found.items() if not outcome.passed] == [PRINTS]


@pytest.mark.parametrize("mode", sorted(set(FOR_A_LIBRARY) - {"crash"}))
def test_a_printing_library_plays_on(checks, mode):
    found = checks["library", mode].result()
    assert [outcome.result for outcome in found.values()] == [Result.PASSED, Result.PASSED, Result.WARNING]


@pytest.mark.parametrize("mode", ["zero_length", "two_replies", "off_board", "die_mid_frame", "exit_3"])
def test_a_reply_that_goes_wrong_is_no_text(mode):
    assert checked(bot("misbehave", mode), only=[WHOLE_GAME, PRINTS])[PRINTS].result is Result.PASSED


@pytest.mark.parametrize(
    "mode, text", [("print_text", r"thinking...\n"), ("print_text_behind", r"done\n"), ("flood_out_of_turn", "zzzz")]
)
def test_any_command_is_listened_to(mode, text):
    outcome = checked(bot("misbehave", mode), only=[WHOLE_GAME, PRINTS])[PRINTS]
    assert outcome.result is Result.FAILED
    assert outcome.reason.startswith(f'it printed "{text}')


@pytest.fixture
def endless(players, monkeypatch):
    """A function from how to print to a program that does not end when its input does."""
    monkeypatch.setattr(check_runs, "EXIT_LIMIT_S", 1.0)
    return lambda mode: in_mode(players["program"], mode, **{ENDLESS: "1"})


def test_a_loop_at_the_end_of_the_input_is_a_warning(endless):
    """As the platform's own main() has it: it takes the same turn for ever, and its replies are no text."""
    found = checked(endless(""), only=[BEFORE_TURN, *LOOKED_AT])
    assert [outcome.result for outcome in found.values()] == [
        Result.PASSED,
        Result.WARNING,
        Result.WARNING,
        Result.PASSED,
    ]
    for name in (BEFORE_TURN, AFTER_REPLY):
        assert found[name].reason.startswith("it still runs 1 s after the end of its input")
        assert "the platform ends it, but elsewhere it would run for ever" in found[name].reason


@pytest.mark.parametrize("mode, text", [("own buffer", "by stream"), ("exit", None)])
def test_a_loop_at_the_end_of_the_input_empties_buffers(endless, mode, text):
    """It never exits, and fills them instead."""
    outcome = checked(endless(mode), only=[AFTER_REPLY, PRINTS])[PRINTS]
    assert outcome.result is (Result.FAILED if text else Result.PASSED)
    assert text is None or text in outcome.reason


@pytest.mark.parametrize("mode, limit", [("stderr", check_limits.stderr_limit), ("hoard", check_limits.memory_limit)])
def test_what_a_loop_at_the_end_costs_is_not_the_games(endless, mode, limit):
    """64 KB of stderr and 100 MB of memory are soon over where one turn comes a million times."""
    bench = Bench(endless(mode), Conditions(LIMIT_S, MEMORY_LIMIT_BYTES, 1, threading.Event()))
    with pytest.raises(Doubtful):
        check_runs.run(bench, CheckCase("it", Kind.END_AFTER_REPLY, PLAIN_BOARD))
    assert limit(bench)


def test_the_command_exits_with_0_if_there_are_only_warnings(players, tmp_path, monkeypatch):
    checks = check.Checks
    monkeypatch.setattr(check, "Checks", lambda *of_player: checks(*of_player, LOOKED_AT))
    monkeypatch.setenv(VARIABLE, "turn")
    monkeypatch.setenv("COLUMNS", "80")
    library = players["library"].command
    done = run_judge(tmp_path, "check", library, "--limit", 20, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"warning  {PRINTS}" in done.stderr
    assert "2 of 3 checks passed, 1 warning\n" in done.stdout
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["passed"], outcome["warnings"]) == (True, 1)
    assert [(entry["passed"], entry["result"]) for entry in outcome["checks"]] == [
        (True, "passed"),
        (True, "passed"),
        (True, "warning"),
    ]
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
