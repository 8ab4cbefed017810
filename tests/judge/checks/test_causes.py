"""A fault that many checks show is reported once, with a game that shows it, its backtrace and its commands."""

import contextlib
import dataclasses
import json
import threading

import pytest

from judge.checks import builds, debugging, trial
from judge.checks.causes import causes
from judge.checks.checks import LIMITS, PRINTS, Checks, Result, in_order, outcomes
from judge.checks.trial import USUAL, CheckConditions, Effort
from judge.cli import check
from judge.games import DEFAULT_GAME
from judge.games import GAMES as ALL_GAMES
from judge.games.check_cases import Kind
from judge.language import as_data
from judge.play.backtraces import Source, backtrace_of
from judge.play.recheck import disagreements, sent_until
from judge.play.sandbox import AUTO, OFF, Sandbox
from judge.play.scoresheet import Conditions
from judge.players import source_player
from judge.players.players import Contestant, contestant
from judge.reasons import TOOK_TOO_LONG_BY_CLOCK, reason_of
from protocol.records.record import Termination, read_records
from tests.judge.helpers.projects import STRATEGY, library_project, needs_compiler, program_project
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.scripted import PATIENCE_S, command, run_judge
from tests.judge.helpers.virtual_table import Player, Table, ends, legal, logs, says
from tests.places import ENGINES, PYTHON, REPOSITORY
from tests.programs import needs

FEW_MOVES = Effort(float("inf"), 0, hurries=False)
CASES = {kind: [case.name for case in ALL_GAMES[DEFAULT_GAME].check_cases if case.kind is kind] for kind in Kind}
PLAYED = [CASES[Kind.WHOLE_GAME][0], CASES[Kind.WHOLE_GAME][1], *CASES[Kind.AGAINST_ITSELF], *CASES[Kind.MANY_GAMES]]
STDERR = next(name for name, _ in LIMITS if name == "stderr limit")
GAMES_OF_TURNS = (Kind.WHOLE_GAME, Kind.LONG_GAME, Kind.AGAINST_ITSELF, Kind.MANY_GAMES, Kind.LATE_POSITIONS)
AIR = says(lambda turn: turn.reply((turn.cells[turn.number % 5][0] - 1, turn.cells[turn.number % 5][1])), 1 / 64)
OVERFLOW = b"==1==ERROR: AddressSanitizer: heap-buffer-overflow on address\n    #0 0x1 in pick /v8/Strategy.cpp:%d\n"

TRIES = 5
needs_gdb = needs("gdb")


def checked(monkeypatch, player, only=None):
    """(the outcomes, their causes) of a scripted player, in no time."""
    table = Table(monkeypatch, A=player)
    conditions = table.conditions(1.0, effort=FEW_MOVES)
    found = in_order(list(outcomes(Contestant("A", "A"), conditions, only)), conditions.game)
    return found, causes(found)


def failing(acts, at=3, game=DEFAULT_GAME):
    return Player({at: acts}, usual=lambda turn: [says(legal, 1 / 64)], game=game)


def test_all_checks_that_crash_alike_are_one_cause_with_the_first_failed_game(monkeypatch):
    found, (cause,) = checked(monkeypatch, failing([ends(-11)]), [*CASES[Kind.LATE_POSITIONS], *PLAYED])
    assert {outcome.name for outcome in cause.outcomes} == {*CASES[Kind.LATE_POSITIONS], *PLAYED}
    assert (cause.first.name, cause.result) == (PLAYED[0], Result.FAILED)
    assert reason_of(cause.game) == "A was ended by signal 11 (SIGSEGV, Segmentation fault)"
    assert (cause.game.at_fault, cause.game.first, len(cause.game.moves)) == ("A", "A", 6)
    assert [len(outcome.game.moves) for outcome in found[:2]] == [6, 7]


@pytest.mark.parametrize("game", ["connect_four", "reversi"])
def test_the_game_of_every_check_is_sound_and_leads_to_the_question_that_failed(monkeypatch, game):
    wanted = [case.name for case in ALL_GAMES[game].check_cases if case.kind in GAMES_OF_TURNS]
    found, _causes = checked(monkeypatch, failing([ends(3)], 2, game), wanted)
    assert [outcome.name for outcome in found] == wanted
    for record in (outcome.game for outcome in found):
        assert disagreements(record) == []
        assert sent_until(record, "A")[0] == len(record.moves) + 1
        assert record.players[0].command == "A" and record.extra["limit_s"] == record.extra["player_limit_s"] == 1.0


def test_a_late_position_alone_is_a_warning(monkeypatch):
    (outcome,), (cause,) = checked(monkeypatch, failing([ends(3)], 0), CASES[Kind.LATE_POSITIONS])
    assert (cause.result, cause.first) == (Result.WARNING, outcome)
    assert len(cause.game.moves) > 20


@pytest.mark.parametrize(
    "first, second, number",
    [
        ([AIR], [AIR], 1),
        ([AIR], [says(lambda turn: turn.reply((0, 40)))], 2),
        ([], [], 1),  # silence, for times that differ
        ([ends(3)], [ends(4)], 2),
        ([says(b"column 4\n")], [says(b"column 5\n")], 1),
        ([says(b"column 4\n")], [says(legal, 1 / 64), says(b"done\n", 1 / 64)], 1),  # both print
        ([logs(OVERFLOW % 6, 0.0), ends(1)], [logs(OVERFLOW % 6, 0.0), ends(1)], 1),
        ([logs(OVERFLOW % 6, 0.0), ends(1)], [logs(OVERFLOW % 9, 0.0), ends(1)], 2),
    ],
)
def test_faults_are_alike_where_only_columns_times_and_texts_differ(monkeypatch, first, second, number):
    turns = iter([first, second])
    player = Player(usual=lambda turn: next(turns) if turn.number == 3 else [says(legal, 1 / 64)])
    found, grouped = checked(monkeypatch, player, PLAYED[:2])
    assert [len(cause.outcomes) for cause in grouped] == ([2] if number == 1 else [1, 1])
    assert [outcome.result for outcome in found] == [Result.FAILED] * 2


def test_what_a_failing_program_reports_is_no_rate_of_stderr(monkeypatch):
    report = failing([logs(b"x" * 3000, 0.0), ends(1)], at=1)
    found, _causes = checked(monkeypatch, report, [PLAYED[0], STDERR])
    assert [outcome.result for outcome in found] == [Result.FAILED, Result.PASSED]


# Real players. All of them fail at their fourth turn.
AT = "static int turn = 0;\n    if (++turn > 3) {body}\n    for (int column"
HANG = AT.replace("{body}", "\n    for (volatile int more = 1; more;)\n        more = 1;")
CRASH = AT.replace("{body}", "*(volatile int *)0 = 1;")
AIRY = AT.replace("{body}", "{ const int row = 0;\n    return new Point{row, 0}; }")
TEXT = AT.replace("{body}", '__builtin_printf("%d of %d columns\\n", 3, N);')
SHIFT = AT.replace("{body}", "{ volatile int by = 40; by = 1 << by; }")
LINE = 1 + STRATEGY.partition("for (int column")[0].count("\n") + 1  # of the fault
IN_PYTHON = """\
import sys

sys.path.insert(0, {engines!r})
from wires import open_game


def choose(turn):
    {body}


game = open_game("connect_four")
for turn in range(100):
    game.read_turn()
    if turn >= 3:
        choose(turn)
    game.reply(*game.legal_cells()[0])
"""


@pytest.fixture(scope="module")
def shared_builds(tmp_path_factory):
    return tmp_path_factory.mktemp("builds")


@pytest.fixture
def project(tmp_path, shared_builds, monkeypatch):
    """Makes a project whose getPoint has such a fault, with the platform's main() or without; returns its folder."""
    monkeypatch.setattr(source_player, "BUILDS", shared_builds)

    def make(fault, kind=program_project):
        return kind(tmp_path / "v8", {"Strategy.cpp": STRATEGY.replace("for (int column", fault, 1)})

    return make


def really_checked(text, limit_s, mode=AUTO):
    """(the player, the conditions, the cause) of a real player's first game."""
    player = contestant(text)
    conditions = CheckConditions(Conditions(limit_s, sandbox=Sandbox(mode)), 1, threading.Event(), effort=FEW_MOVES)
    for _ in range(TRIES):
        with contextlib.suppress(ValueError):  # no outcome: a busy machine says nothing of the player
            (cause,) = causes(outcomes(player, conditions, PLAYED[:1]))
            if cause.game.termination != "STALL" or len(cause.game.moves) == 6:  # where it hangs
                return player, conditions, cause
    raise AssertionError("the machine did not run the player")


@needs_compiler
@needs_gdb
@pytest.mark.parametrize(
    "kind, fault, limit_s, ending, mode",
    [
        (program_project, HANG, 2.0, "STALL", AUTO),
        (library_project, HANG, 2.0, "STALL", OFF),
        (program_project, CRASH, 20.0, "CRASH", OFF),
        (library_project, CRASH, 20.0, "CRASH", AUTO),
    ],
)
def test_gdb_shows_the_line_where_a_compiled_player_hangs_or_crashes(
    project, monkeypatch, mode, kind, fault, limit_s, ending
):
    monkeypatch.setattr(builds, "sanitized_build", lambda player, conditions: None)
    player, conditions, cause = really_checked(f"src:{project(fault, kind)}", limit_s, mode)
    assert cause.game.termination == ending and debugging.witness_of(player, cause.game) == debugging.GDB
    game = debugging.with_backtrace(player, cause.game, conditions, debugging.GDB)
    backtrace = backtrace_of(game, "A")
    lines = (LINE,) if fault == CRASH else (LINE + 1, LINE + 2)
    assert backtrace.source is Source.DEBUGGER and backtrace.place in [f"Strategy.cpp:{line}" for line in lines]
    loops = [line for line in backtrace.lines if line.startswith("#0  loop: for (volatile int more = 1; more;) at ")]
    assert [line.endswith(f"Strategy.cpp:{LINE + 1}") for line in loops] == [True] * (fault == HANG)
    assert "getPoint" in backtrace.lines[0] and len(backtrace.lines) == len(loops) + 1 + (kind is program_project)
    assert game.moves == cause.game.moves and debugging.witness_of(player, game) is None


@needs_compiler
@needs_gdb
@pytest.mark.parametrize(
    "kind, fault, ending, words, first",
    [
        (
            program_project,
            AIRY,
            "ILLEGAL_MOVE",
            f"the bot returned the illegal move at Strategy.cpp:{LINE + 1}",
            "return new Point{row, 0};",
        ),
        (
            library_project,
            AIRY,
            "ILLEGAL_MOVE",
            f"the bot returned the illegal move at Strategy.cpp:{LINE + 1}",
            "return new Point{row, 0};",
        ),
        (program_project, TEXT, "OUTPUT_LIMIT", f"in the bot's program at Strategy.cpp:{LINE}", "getPoint"),
    ],
)
def test_gdb_shows_the_line_that_returns_an_illegal_move_and_the_line_that_prints(
    project, kind, fault, ending, words, first
):
    player, conditions, cause = really_checked(f"src:{project(fault, kind)}", 20.0)
    assert cause.game.termination == ending and len(cause.game.moves) == 6
    backtrace = backtrace_of(debugging.with_backtrace(player, cause.game, conditions, debugging.GDB), "A")
    assert backtrace.in_words() == words and first in backtrace.lines[0]
    assert any("getPoint (" in line for line in backtrace.lines)


@needs_compiler
@needs_gdb
def test_a_build_for_gdb_repeats_no_note(project, capsys):
    player, conditions, cause = really_checked(f"src:{project(CRASH)}", 20.0)
    capsys.readouterr()
    debugging.with_backtrace(player, cause.game, conditions, debugging.GDB)
    assert "note: " not in capsys.readouterr().err


@needs_compiler
@needs_gdb
def test_a_game_in_which_the_fault_does_not_come_again_stays_as_it_is(project):
    _player, conditions, cause = really_checked(f"src:{project(CRASH)}", 20.0)
    sound = contestant(f"src:{project('for (int column')}")
    assert debugging.with_backtrace(sound, cause.game, conditions, debugging.GDB) is cause.game


@needs_compiler
@pytest.mark.parametrize("fault, what", [(CRASH, "store to null pointer"), (SHIFT, "shift exponent 40 is too large")])
def test_a_sanitizers_finding_ends_the_game_and_names_the_line(project, fault, what):
    _player, _conditions, cause = really_checked(f"src:{project(fault)} --sanitize", 20.0)
    backtrace = backtrace_of(cause.game, "A")
    assert (cause.game.termination, backtrace.source) == ("CRASH", Source.SANITIZER)
    assert backtrace.place.endswith(f"Strategy.cpp:{LINE}") and what in backtrace.what


@pytest.mark.parametrize(
    "body, limit_s, source, words",
    [
        ("while turn: pass", 2.0, Source.PYTHON, "in the bot's program at {path}:8"),
        ("return {}[turn]", 20.0, Source.TRACEBACK, "KeyError in the bot's program at {path}:8"),
    ],
)
def test_python_shows_the_line_where_it_hangs_or_raises(tmp_path, monkeypatch, body, limit_s, source, words):
    monkeypatch.setattr(trial, "BACKTRACE_WAIT_S", PATIENCE_S)
    path = tmp_path / "bot.py"
    path.write_text(IN_PYTHON.format(engines=str(ENGINES), body=body))
    player, _conditions, cause = really_checked(f"{PYTHON} -S -s {path}", limit_s)
    backtrace = backtrace_of(cause.game, "A")
    assert (backtrace.source, backtrace.in_words()) == (source, words.format(path=path))
    loops = [f"the loops in which the player hangs begin at {path}:8"] if source is Source.PYTHON else []
    assert check._loop_lines(cause.game) == loops
    assert debugging.witness_of(player, cause.game) is None


WATCHED = """\
import os, sys

LENGTH = 4


def think(turn):
    for column in range(99):
        {body}
    return 7 if turn < 3 else 40


def choose(turn):
    return think(turn)


def main():
    rows, columns, *forbidden = map(int, sys.stdin.readline().split())
    for turn, line in enumerate(sys.stdin):
        column = choose(turn)
        top = [int(word) for word in line.split()[2 : 2 + columns]]
        reply = f"{{top[column % columns] - 1}} {{column}}".encode()
        sys.stdout.buffer.write(len(reply).to_bytes(LENGTH, "big") + reply)
        sys.stdout.buffer.flush()


main()
"""


@pytest.mark.parametrize(
    "body, ending, first, line",
    [
        ("pass", "ILLEGAL_MOVE", 'File "bot.py", line 13, in choose, which returned 40', 13),
        ("turn > 1 and column == 9 and print('column', column, flush=True)", "OUTPUT_LIMIT", "in think", 8),
        ("turn > 1 and column == 9 and os.write(1, b'column 9')", "OUTPUT_LIMIT", "in think", 8),
    ],
)
@pytest.mark.parametrize("words", ["bot.py", "-u -m bot"])
def test_python_shows_who_chose_an_illegal_move_and_who_prints(tmp_path, monkeypatch, body, ending, first, line, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(WATCHED.format(body=body))
    player, conditions, cause = really_checked(f"{PYTHON} -S -s {words}", 20.0)
    assert cause.game.termination == ending and debugging.witness_of(player, cause.game) == debugging.PYTHON
    game = debugging.with_backtrace(player, cause.game, conditions, debugging.PYTHON)
    backtrace = backtrace_of(game, "A")
    assert backtrace.source is Source.PYTHON and backtrace.place.endswith(f"bot.py:{line}")
    assert first.rpartition('"')[2] in backtrace.lines[0]
    assert " in main" in backtrace.lines[-2] and " in <module>" in backtrace.lines[-1]
    between = [line.partition(", in main: ")[2] for line in backtrace.lines if ", in main: " in line]
    assert [line[:7] for line in between] == (["top = [", "reply ="] if ending == "ILLEGAL_MOVE" else [])


def test_a_text_that_ends_no_game_is_led_to_its_line_too(tmp_path, monkeypatch):
    """Python keeps it until the end, as the replies go past its buffer."""
    path = tmp_path / "bot.py"
    first = (REPOSITORY / "judge" / "templates" / "python" / "connect_four" / "main.py").read_text(encoding="utf-8")
    before, loop, after = first.partition("    best_column = None\n")
    path.write_text(f"{before}    print('thinking about', columns)\n{loop}{after}", encoding="utf-8")
    place = f"{path}:{before.count(chr(10)) + 1}"
    everything = check.Checks
    monkeypatch.setattr(check, "Checks", lambda *of_player: everything(*of_player, [PLAYED[0], PRINTS]))
    done = run_judge(tmp_path, "check", f"{PYTHON} -S -s {path}", "--limit", 20, "--json")
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["printed_at"] == place, done.stdout + done.stderr
    assert f"{PRINTS}: in the bot's program at {place}\nwhere it was in its program, from Python" in done.stdout
    assert (outcome["causes"], [entry["result"] for entry in outcome["checks"]]) == ([], ["passed", "failed"])


def test_a_player_that_hangs_is_not_tried_in_every_check(monkeypatch):
    """Each of them would take the limit, and show the same."""
    table = Table(monkeypatch, A=failing([]))
    some = [*PLAYED[:2], *CASES[Kind.WHOLE_GAME][2:5], *CASES[Kind.MANY_GAMES]]
    for effort, made in ((USUAL, 2), (FEW_MOVES, len(some))):
        checks = Checks(Contestant("A", "A"), table.conditions(1.0, effort=effort), some)
        found = list(checks.outcomes())
        assert sum(outcome.forfeit == "STALL" for outcome in found) == made
        assert checks.left_out == some[made:] and len(found) == made


def test_the_command_says_how_many_checks_it_left_out(tmp_path, monkeypatch):
    some = CASES[Kind.WHOLE_GAME][:5]
    everything = check.Checks
    monkeypatch.setattr(check, "Checks", lambda *of_player: everything(*of_player, some))
    done = run_judge(tmp_path, "check", command("misbehave", "stop_itself"), "--limit", 0.5, "--jobs", 1, "--json")
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["left_out"] == some[2:] and outcome["causes"][0]["count"] == 2, done.stdout + done.stderr
    assert (
        "3 checks were left out, because the player does not reply in time; --thorough makes these checks, too"
        in done.stdout
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command with a few of its checks; returns what it said, and its JSON."""
    everything = check.Checks
    monkeypatch.setattr(check, "Checks", lambda *of_player: everything(*of_player, [*PLAYED[:2], STDERR]))

    def run_check(*words):
        limit = () if "--limit" in words else ("--limit", 20)
        done = run_judge(tmp_path, "check", *words, *limit, "--json")
        return done, json.loads(done.stdout.splitlines()[-1])

    return run_check


def test_the_command_tells_a_fault_once_and_keeps_its_first_game(run, tmp_path):
    words = command("misbehave", "exit_3", "--at", 2)
    for number in (1, 2):  # the second run adds its game to the file
        done, outcome = run(words)
        (cause,) = outcome["causes"]
        assert (cause["count"], cause["total"], cause["checks"], cause["first"]) == (2, 3, PLAYED[:2], PLAYED[0])
        assert (cause["termination"], cause["reason_code"], cause["plies"]) == ("CRASH", "ended", 4)
        assert (cause["record"], cause["game"], cause["result"]) == ("records/check.jsonl", number, "failed")
        lines = done.stdout.splitlines()
        reason = "CRASH: it ended with status 3"
        (place,) = (place for place, line in enumerate(lines) if line == f"FAILED in 2 of 3 checks: {reason}")
        seen = f"this fault was first seen in the check {PLAYED[0]}, after 4 plies on the board 9 rows x 9 columns, "
        assert lines[place + 1].startswith(f"{seen}forbidden cell ")
        assert lines[place + 2].split() == [str(column) for column in range(9)]  # the board
        assert f"record: records/check.jsonl, game {number}" in lines
        assert cause["replay"] in done.stdout and f"to debug the player: {cause['repro']}" in done.stdout
        assert "\n".join(lines[:-1]).count(reason) == 1  # the last line is the JSON
    records = read_records(tmp_path / "records" / "check.jsonl")[0]
    assert len(records) == 2 and records[0].at_fault == "A"
    reproduced = run_judge(tmp_path, "repro", "records/check.jsonl", "--number", 1)
    assert "repro-1.txt contains what player A was sent until it was asked for ply 5" in reproduced.stdout
    assert (tmp_path / "repro-1.txt").read_bytes() == sent_until(records[0], "A")[1]


def test_checks_that_fail_in_their_games_are_told_from_those_that_fail_by_what_was_measured(monkeypatch):
    found, _causes = checked(monkeypatch, failing([ends(-11)]), PLAYED[:2])
    other = dataclasses.replace(found[0], game=None)
    words = "checks passed; checks that failed by a fault in a game: 2"
    assert check._totals_in_words(found) == f"0 of 2 {words}"
    assert check._totals_in_words([*found, other]) == f"0 of 3 {words}; checks that failed for a reason in the table: 1"


def test_a_sound_player_leaves_no_record(run, tmp_path):
    done, outcome = run(command("first_legal"), "--record", "faults.jsonl")
    assert (done.returncode, outcome["causes"]) == (0, [])
    assert not (tmp_path / "faults.jsonl").exists()


def test_a_command_that_cannot_start_is_one_cause_too(run):
    _done, outcome = run("no-such-program")
    (cause,) = outcome["causes"]
    assert (cause["termination"], cause["plies"], cause["backtrace"]) == ("STARTUP_FAILURE", 0, [])


@needs_compiler
def test_without_gdb_it_says_how_to_get_it(run, project, monkeypatch):
    monkeypatch.setattr(debugging, "GDB", "no-such-debugger")
    done, outcome = run(f"src:{project(CRASH)} --debug")
    assert "no-such-debugger can show where the player failed: install it" in done.stdout
    assert outcome["causes"][0]["backtrace"] == []


def test_a_slow_bot_is_told_from_one_that_hangs(run):
    done, outcome = run(command("misbehave", "late", "--at", 2, "--limit", 1), "--limit", 1)
    (cause,) = outcome["causes"]
    assert cause["termination"] in ("TIME_FORFEIT", "STALL")  # the latter if the machine holds it up
    (line,) = (
        line
        for line in done.stdout.splitlines()
        if line.startswith("the player is slow and does not hang: this move took ")
    )
    words = line.split()
    taken_s, over_s = float(words[11]), float(words[13])
    assert taken_s > 1 and over_s == pytest.approx(taken_s - 1, abs=0.02)
    assert (
        "\nread the clock often during the search, and end it after 0.8 s of 1 s: the rest is the safety margin\n"
        in done.stdout
    )


def test_what_the_machine_took_is_no_slowness(monkeypatch):
    reason = TOOK_TOO_LONG_BY_CLOCK.format(side="A", counted="1.1", limit="1", elapsed="8.0", kept="6.9")
    how = {"termination": Termination.TIME_FORFEIT, "winner": "B", "at_fault": "A"}
    game = recorded_game(DEFAULT_GAME).changed(extra={"reason": as_data(reason)}, **how)
    checks = Checks(Contestant("A", "A"), Table(monkeypatch).conditions(1.0))
    assert check._speed_lines(game, checks)[0].startswith(
        "the player is slow and does not hang: this move took 1.10 s, 0.10 s over"
    )


@needs_compiler
@pytest.mark.parametrize("option", ["", " --sanitize"])
def test_a_sanitizer_names_the_line_of_a_crash_without_gdb(run, project, monkeypatch, option):
    monkeypatch.setattr(debugging, "GDB", "no-such-debugger")
    done, outcome = run(f"src:{project(CRASH)}{option}")
    (cause,) = outcome["causes"]
    assert cause["place"].endswith(f"Strategy.cpp:{LINE}") and cause["backtrace"]
    assert "the sanitizer's report on A:" in done.stdout
    assert [entry["name"] for entry in outcome["checks"] if not entry["passed"]] == PLAYED[:2]
