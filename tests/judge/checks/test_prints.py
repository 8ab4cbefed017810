"""What C++ bots print to stdout is named by `judge check`, whatever way it takes; the kit's endless loop is a warning.

One project is built twice, as a program and as a library; a variable tells it how to print.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.checks import checks as check_runs
from judge.checks.checks import Result
from judge.cli import check
from judge.games import DEFAULT_GAME, GAMES
from judge.games.check_cases import Kind
from judge.players import source_player
from judge.players.players import contestant
from tests.judge.helpers.checking import checked
from tests.judge.helpers.printing import ENDLESS, VARIABLE, in_mode, printing_library, printing_program
from tests.judge.helpers.projects import needs_compiler
from tests.judge.helpers.scripted import run_judge

pytestmark = needs_compiler

PRINTS = "nothing but replies on stdout"
WHOLE_GAME, BEFORE_TURN, AFTER_REPLY = (
    next(case.name for case in GAMES[DEFAULT_GAME].check_cases if case.kind is kind)
    for kind in (Kind.WHOLE_GAME, Kind.END_BEFORE_TURN, Kind.END_AFTER_REPLY)
)
LOOKED_AT = (WHOLE_GAME, AFTER_REPLY, PRINTS)
EXIT_LIMIT_S = 20.0  # in place of the judge's own, for programs that do end

LATE = "after its last reply"
ON_STDERR = "stdout is for replies alone, other text belongs on stderr"
WITH_MAIN = "when the player is built with the platform's main(), that text lands between the replies"
HARMLESS = (
    "the text is harmless here, but in an upload, which the platform's main() is part of, it lands between the replies"
)
# Who prints, and how: what comes of it, what of the text is quoted first, and why it matters.
EXPECTED = {
    ("program", "turn"): (Result.FAILED, r"\x1b[1mthinking...", ON_STDERR),
    ("program", "flood"): (Result.FAILED, "zzzzzzzz", ON_STDERR),
    ("program", "crash"): (Result.FAILED, "last words", ON_STDERR),
    ("program", "own buffer"): (Result.FAILED, "by stream", LATE),
    ("program", "exit"): (Result.FAILED, r"bye\n", LATE),
    ("project", "turn"): (Result.FAILED, r"\x1b[1mthinking...", WITH_MAIN),
    ("project", "child"): (Result.FAILED, r"from a child\n", WITH_MAIN),
    ("library", "turn"): (Result.WARNING, r"\x1b[1mthinking...", HARMLESS),
    ("library", "flood"): (Result.WARNING, "zzzzzzzz", HARMLESS),
    ("library", "crash"): (Result.WARNING, "last words", HARMLESS),
    ("library", "load"): (Result.WARNING, r"loading\n", HARMLESS),
    ("library", "clear"): (Result.WARNING, "cleared", HARMLESS),
    ("library", "own buffer"): (Result.WARNING, "by stream", HARMLESS),
}
SILENT = [("program", ""), ("library", "close"), ("library", "close file")]


@pytest.fixture(scope="module")
def players(tmp_path_factory):
    """{kind: the player}: with a main(), without, and the library that is built of the second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_player, "BUILDS", tmp_path_factory.mktemp("builds"))
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
    assert outcome.reason.startswith(f'the player printed "{text}')
    assert why in outcome.reason
    assert len(outcome.reason) < 220


@pytest.mark.parametrize("kind, mode", SILENT)
def test_a_silent_bot_passes(checks, kind, mode):
    found = checks[kind, mode].result()
    assert {outcome.result for outcome in found.values()} == {Result.PASSED}


def test_text_that_comes_last_is_the_only_failure(checks):
    for mode in ("own buffer", "exit"):
        found = checks["program", mode].result()
        assert [name for name, outcome in found.items() if not outcome.passed] == [PRINTS]


def test_a_printing_library_plays_on(checks):
    for mode in ("turn", "flood", "load", "clear", "own buffer"):
        found = checks["library", mode].result()
        assert [outcome.result for outcome in found.values()] == [Result.PASSED, Result.PASSED, Result.WARNING], mode


@pytest.fixture
def endless(players, monkeypatch):
    """A function from how to print to a program that does not end when its input does."""
    monkeypatch.setattr(check_runs, "EXIT_LIMIT_S", 0.5)
    return lambda mode: in_mode(players["program"], mode, **{ENDLESS: "1"})


def test_a_loop_at_the_end_of_the_input_is_a_warning(endless):
    """As the platform's own main() has it: it takes the same turn for ever, and its replies are no text."""
    expected = [Result.PASSED, Result.WARNING, Result.WARNING, Result.PASSED]

    def is_expected(found):
        return [outcome.result for outcome in found.values()] == expected

    found = checked(endless(""), 1.0, [BEFORE_TURN, *LOOKED_AT], until=is_expected)
    assert is_expected(found)
    for name in (BEFORE_TURN, AFTER_REPLY):
        assert found[name].reason.startswith("the player still runs 0.5 s after the end of its input")
        assert "but elsewhere it would run for ever" in found[name].reason


def test_a_loop_at_the_end_of_the_input_empties_buffers(endless):
    """It never exits, and fills them instead."""
    is_seen = lambda found: "by stream" in found[PRINTS].reason  # noqa: E731
    outcome = checked(endless("own buffer"), only=[AFTER_REPLY, PRINTS], until=is_seen)[PRINTS]
    assert outcome.result is Result.FAILED and "by stream" in outcome.reason


def test_the_command_exits_with_0_if_there_are_only_warnings(players, tmp_path, monkeypatch):
    checks = check.Checks
    monkeypatch.setattr(check, "Checks", lambda *of_player: checks(*of_player, LOOKED_AT))
    monkeypatch.setenv(VARIABLE, "turn")
    monkeypatch.setenv("COLUMNS", "80")
    library = players["library"].command
    # Without a sandbox, where the variable above reaches the player.
    done = run_judge(tmp_path, "check", library, "--limit", 20, "--json", "--sandbox", "off")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"warning  {PRINTS}" in done.stderr
    assert "2 of 3 checks passed; checks with a warning: 1\n" in done.stdout
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["passed"], outcome["warnings"]) == (True, 1)
    assert [(entry["passed"], entry["result"]) for entry in outcome["checks"]] == [
        (True, "passed"),
        (True, "passed"),
        (True, "warning"),
    ]
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
