"""The further builds of a `src:` player in a check: warnings, reports of sanitizers, and what memory is allocated."""

import shutil
import threading

import pytest

from judge.checks import builds, debugging
from judge.checks.causes import causes, is_slow
from judge.checks.checks import BUILD_CHECKS, Checks, Result, outcomes
from judge.checks.games import Bench, CheckFailed, CheckWarning
from judge.checks.trial import QUICK, CheckConditions
from judge.play.backtraces import Source, backtrace_of
from judge.play.scoresheet import Conditions
from judge.play.seat import Seat
from judge.players import source_player
from judge.players.launch import PlayerError
from judge.players.players import contestant
from judge.processes.start import JudgeFailure
from tests.judge.helpers.projects import STRATEGY, library_project, needs_compiler

pytestmark = needs_compiler
BEFORE, LINE = "for (int column", 5
OVERFLOW = "static int seen[9];\n    for (int i = 0; i <= 9; ++i) seen[i] = M;\n    "
UNSET = "int *place; int zero = 0; if (M < 9) place = &zero;\n    *place = 1;\n    "
UNDEFINED = "int large = 2147483647 - (M < 9);\n    large += M;\n    "
GROWS = (
    "static char *kept, *table = new char[300 << 20]();\n    "
    "char *more = new char[50 << 20](); more[0] = kept == more; kept = more;\n    table[0] = 1;\n    "
)
ASSIGNED = "int x = M;\n    if (x = N) x = 0;\n    "


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A function: the Bench of a player whose getPoint does something before it looks for a column."""
    monkeypatch.setattr(source_player, "BUILDS", tmp_path / "builds")

    def bench_of(fault):
        folder = library_project(tmp_path / "v8", {"Strategy.cpp": STRATEGY.replace(BEFORE, fault + BEFORE, 1)})
        conditions = CheckConditions(Conditions(20.0, memory_limit_bytes=10**9), 1, threading.Event(), effort=QUICK)
        return Bench(contestant(f"src:{folder}"), conditions)

    return bench_of


@pytest.mark.parametrize("fault, what", [(OVERFLOW, "index 9 out of bounds"), (UNSET, "SEGV")])
def test_a_report_on_a_line_of_the_project_fails_it(bench, fault, what):
    with pytest.raises(CheckFailed, match=f"Strategy.cpp:{LINE}: {what}"):
        builds.sanitizer_reports(bench(fault))


def test_a_warning_that_is_hardly_ever_wrong_is_one(bench):
    with pytest.raises(CheckWarning, match=f"Strategy.cpp:{LINE}: suggest parentheses around assignment"):
        builds.compiler_warnings(bench(ASSIGNED))


def test_a_sound_player_gets_neither(bench):
    """Nor does one with an unused parameter and an overflow that every machine computes alike."""
    sound = bench(UNDEFINED)
    assert builds.compiler_warnings(sound) == "g++ warns of no serious fault in the player's own lines"
    assert "signed integer overflow" in builds.sanitizer_reports(sound)


def test_where_there_are_no_sanitizers_it_is_said(bench, monkeypatch):
    monkeypatch.setattr(source_player, "rebuilt", lambda *words: None)
    assert builds.sanitizer_reports(bench("")) == "no game was played with sanitizers: g++ has none on this machine"


def test_a_machine_that_cannot_build_or_start_it_says_nothing_of_the_player(bench, monkeypatch):
    def fails(*_words):
        raise JudgeFailure("no process")

    def takes_long(*_words):
        raise PlayerError("the build takes over 120 s")

    monkeypatch.setattr(source_player, "warnings", takes_long)
    monkeypatch.setattr(Seat, "start", fails)
    made, warned, sanitized_build = (name for name, _check in BUILD_CHECKS)
    checks = Checks(bench("").contestant, bench("").conditions, [made, warned, sanitized_build])
    found = {outcome.name: outcome.reason for outcome in checks.outcomes()}
    assert found.keys() == {made, sanitized_build} and found[sanitized_build].endswith(" 0 moves")
    assert checks.not_made == {warned: "the build takes over 120 s"}


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_the_call_whose_memory_grows_is_named(bench):
    player, conditions = bench(GROWS).contestant, bench(GROWS).conditions
    (cause,) = causes(outcomes(player, conditions, ["first mover, a game as long as possible"]))
    assert (cause.result, cause.game.termination) == (Result.FAILED, "MEMORY_LIMIT")
    assert cause.game.extra["growth_bytes"] >= 0 and not is_slow(cause.game)
    backtrace = backtrace_of(debugging.with_backtrace(player, cause.game, conditions, debugging.GDB), "A")
    assert (backtrace.source, backtrace.place) == (Source.ALLOCATED, f"Strategy.cpp:{LINE}")
