"""When the guard answers and when it does not, to the instant, with a clock that only the tests move."""

import pytest

from bot.shell import guard
from tests.bot.helpers.stage import Stage
from tests.contracts.games import GAMES

in_every_game = pytest.mark.parametrize("name", GAMES)
LIMIT_S, MARGIN_S = 1.0, 0.2
SOFT_S, HARD_S = LIMIT_S - MARGIN_S, LIMIT_S - MARGIN_S / 2
LATE = f"dropfour: turn %d: the guard answered, the engine had not by {HARD_S:.2f} s"


def staged(name, think, **others):
    return Stage(name, think, LIMIT_S, MARGIN_S, MARGIN_S, **others)


def turns_of(name, think, count):
    """Play so many turns; (the stage, what was said but for which engine plays, the reports)."""
    stage = staged(name, think)
    stage.start()
    stage.send(stage.game.opening())
    for _ in range(count):
        stage.send(stage.game.turn())
        stage.take_reply()
    status, said, reports = stage.end()
    assert (status, said[0]) == (0, "dropfour: engine scripted (for a test)")
    return stage, said[1:], reports


def first_legal(stage, position, budget_s):
    return position.legal_moves()[0]


def in_order(reports, guarded):
    """Whether there is one report for each turn, and those of the guard's moves, and no others, say so."""
    turns = [report["turn"] for report in reports]
    return (
        turns == list(range(1, len(turns) + 1))
        and [report["turn"] for report in reports if report.get("guard")] == guarded
    )


@in_every_game
def test_an_engine_in_time_is_left_alone(name):
    def think(stage, position, budget_s):
        assert stage.watch() == pytest.approx(HARD_S)
        stage.pass_s(budget_s)
        assert stage.watch() == pytest.approx(HARD_S - SOFT_S)
        return first_legal(stage, position, budget_s)

    stage, said, reports = turns_of(name, think, 3)
    assert stage.budgets[1:] == pytest.approx([SOFT_S] * 2)
    assert (said, in_order(reports, [])) == ([], True)
    assert all(report["iterations"] == 1 and report["elapsed_s"] == pytest.approx(SOFT_S) for report in reports[1:])


@in_every_game
def test_a_late_engine_is_answered_for_once_and_its_own_answer_is_refused(name):
    def think(stage, position, budget_s):
        if len(stage.budgets) == 2:
            stage.pass_s(HARD_S - 0.001)
            assert stage.watch() == pytest.approx(0.001)
            stage.pass_s(0.001)
            assert stage.watch() == 0
            assert stage.watch() >= 0  # there is nothing left to answer
            return position.legal_moves()[-1]
        return first_legal(stage, position, budget_s)

    _, said, reports = turns_of(name, think, 3)
    assert (said, in_order(reports, [2])) == ([LATE % 2], True)
    assert reports[1]["elapsed_s"] == pytest.approx(HARD_S)
    assert (reports[1]["value"], reports[1]["depth"], reports[1]["pv"]) == (None, 0, [reports[1]["move"]])


@in_every_game
def test_turns_that_come_while_the_engine_is_stuck(name):
    """Each has its full time from the moment when its bytes were seen; then the guard reads and answers it."""

    def think(stage, position, budget_s):
        if len(stage.budgets) == 2:
            stage.pass_s(HARD_S)
            stage.watch()
            for _ in range(2):
                stage.wait_for_bytes()
                stage.pass_s(0.3)
                assert stage.watch() == 0  # seen now
                stage.pass_s(HARD_S - 0.001)
                assert stage.watch() == pytest.approx(0.001)
                stage.pass_s(0.001)
                stage.watch()
        return first_legal(stage, position, budget_s)

    _, said, reports = turns_of(name, think, 5)
    stuck = [f"dropfour: turn {turn}: the guard answered, the engine is still busy" for turn in (3, 4)]
    assert (said, in_order(reports, [2, 3, 4])) == ([LATE % 2, *stuck], True)
    assert [report["elapsed_s"] for report in reports[2:4]] == pytest.approx([HARD_S] * 2)


@in_every_game
def test_the_last_turn_is_reported_though_the_input_has_ended(name, monkeypatch):
    """The guard sees the end before the main thread has reported; it leaves it two seconds."""
    exits, looks = [], []
    monkeypatch.setattr(guard.os, "_exit", exits.append)
    stage = staged(name, first_legal)
    report = stage.session._report

    def report_late(*arguments):
        stage.close_input()
        stage.pass_s(1.9)
        looks.append((stage.watch(), list(exits)))
        report(*arguments)
        stage.pass_s(0.2)  # stuck, if it were still there
        looks.append((stage.watch(), list(exits)))

    stage.session._report = report_late
    stage.start()
    stage.send(stage.game.opening() + stage.game.turn())
    stage.take_reply()
    status, _, reports = stage.end()
    assert (status, len(reports)) == (0, 1)
    assert looks[0][0] > 0 and [seen for _, seen in looks] == [[], [0]]


@in_every_game
@pytest.mark.parametrize("what", ["an error", "a move that is none"])
def test_the_plain_search_takes_over_from_an_engine_that_fails(name, what):
    def think(stage, position, budget_s):
        if len(stage.budgets) == 2:
            stage.pass_s(SOFT_S)  # the plain search stops at once
            if what == "an error":
                raise FloatingPointError("no number")
            return -7
        return first_legal(stage, position, budget_s)

    _, said, reports = turns_of(name, think, 2)
    complaint = {
        "an error": "dropfour: engine error: FloatingPointError: no number",
        "a move that is none": "dropfour: the engine chose -7, which is no legal move",
    }[what]
    assert said[0] == complaint and in_order(reports, [])


@in_every_game
def test_a_thread_that_was_refused_is_started_once_the_engine_is_loaded(name):
    """Before the first search, though the turn waited, so that there was no time between the turns."""
    stage = staged(name, lambda *words: seen.append(stage.session._guarded) or first_legal(*words))
    seen, is_loaded = [], lambda: stage.session._player._engine is not None
    stage.session._guard.start = is_loaded
    stage.send(stage.game.opening() + stage.game.turn())
    stage.start()
    stage.take_reply()
    status, said, _ = stage.end()
    assert (status, said, seen) == (0, ["dropfour: engine scripted (for a test)"], [True])


@in_every_game
def test_a_first_turn_that_waited_is_charged_with_the_start(name):
    stage = staged(name, first_legal)
    stage.send(stage.game.opening() + stage.game.turn())
    stage.pass_s(0.35)  # the process began so long before its first look at stdin
    stage.start()
    stage.take_reply()
    assert stage.end()[0] == 0
    assert stage.budgets == pytest.approx([SOFT_S - 0.35])


def test_a_first_turn_that_comes_later_has_its_full_time():
    stage = staged("connect_four", first_legal, first=False)
    stage.send(stage.game.opening())
    stage.start()
    stage.wait_until_read()
    stage.pass_s(0.35)
    stage.send(stage.game.turn())
    stage.take_reply()
    assert stage.end()[0] == 0
    assert stage.budgets == pytest.approx([SOFT_S])


@in_every_game
def test_the_first_margin_is_the_first_turns_alone(name):
    stage = Stage(name, first_legal, limit_s=2.0, margin_s=0.4, first_margin_s=0.1)
    stage.start()
    stage.send(stage.game.opening())
    for _ in range(3):
        stage.send(stage.game.turn())
        stage.take_reply()
    assert stage.end()[0] == 0
    assert stage.budgets == pytest.approx([1.9, 1.6, 1.6])
