"""An engine at the positions of recorded games, as a real process, in all three games; and engines that fail."""

import collections
import threading

import pytest

from judge.play.sandbox import OFF, Sandbox
from judge.players.players import Contestant
from judge.review.asking import (
    EngineError,
    ReviewConditions,
    StatesNoValue,
    Task,
    ask_all,
    ask_side,
    open_tasks,
    read_answer,
)
from judge.review.marks import ReviewAnswers, ReviewedGame
from protocol.records.review import Answer
from tests.contracts.games import GAMES
from tests.judge.helpers.reviewing import ENGINE, free_in, said_of, valuer
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command
from tests.judge.web.view.helpers import samples


def conditions(engine, patience_s=WIDE_LIMIT_S):
    """ReviewConditions for a command line as the engine of every game."""
    players = dict.fromkeys(GAMES, Contestant("engine", engine))
    return ReviewConditions(players, 1.0, patience_s, 10**9, Sandbox(OFF), threading.Event())


def asked(engine, game, plies=None, side="A", patience_s=WIDE_LIMIT_S):
    """{ply: Answer or None} of what a process says at one side of a game, at these plies or all."""
    own = tuple(ply for ply, mover in enumerate(game.movers, start=1) if mover == side)
    answers = {}
    ask_side(conditions(engine, patience_s), Task(game, side, plies or own), answers.__setitem__)
    return answers


@pytest.mark.parametrize("name", GAMES)
def test_every_position_of_a_game_is_answered_for_itself(name):
    """Though the engine would have played otherwise, in dots and boxes whole turns too."""
    record = samples.game_of(name)
    game = ReviewedGame(1, record)
    found = {}
    for side in "AB":
        found |= asked(valuer(name), game, side=side)
    expected = said_of(record)
    assert sorted(found) == sorted(expected)
    assert {ply: (answer.value, answer.best) for ply, answer in found.items()} == {
        ply: (pytest.approx(value, abs=1e-4), best) for ply, (value, best) in expected.items()
    }
    assert any(answer.best != str(record.moves[ply - 1].move) for ply, answer in found.items() if ply <= game.plies)
    assert all(answer.pv == (answer.best,) and answer.elapsed_s >= 0 for answer in found.values())


def test_a_process_may_begin_anywhere_and_leave_positions_out():
    name = "dots"  # whose turns are the longest
    record = samples.game_of(name)
    game = ReviewedGame(1, record)
    own = [ply for ply, mover in enumerate(game.movers, start=1) if mover == "B"]
    plies = tuple(own[3::2])
    found = asked(valuer(name), game, plies, "B")
    expected = said_of(record)
    assert {ply: answer.best for ply, answer in found.items()} == {ply: expected[ply][1] for ply in plies}


def test_the_position_that_a_cut_off_game_ended_in_is_asked_about():
    record = samples.forfeited(samples.game_of("connect_four"), plies=8)
    game = ReviewedGame(1, record)
    assert len(game.movers) == 9
    assert list(asked(valuer("connect_four"), game, (9,), game.movers[8])) == [9]


def test_a_position_without_a_value_is_asked_again_of_another_process(tmp_path):
    game = ReviewedGame(1, samples.game_of("connect_four"))
    own = [ply for ply, mover in enumerate(game.movers, start=1) if mover == "A"]
    without, log = own[2], tmp_path / "log"
    free = free_before(game.record, without)
    found = asked(valuer("connect_four", "--no-value-at", free, f"--log={log}"), game)
    assert [ply for ply, answer in found.items() if answer is None] == [without]
    assert sorted(found) == own
    questions = [line.split() for line in log.read_text().splitlines()]
    # The first process is asked twice at the first position; the second at the one without a value, which it has no
    # word for at the first time either: that is another's guard, and no value; then a third goes on.
    assert len({process for process, _ in questions}) == 3
    assert collections.Counter(number for _, number in questions)[str(free)] == 3


def free_before(record, ply):
    position = next(position for number, position in samples.positions(record) if number == ply - 1)
    return free_in(position)


def test_an_engine_that_states_no_values_is_told_at_once():
    game = ReviewedGame(1, samples.game_of("connect_four"))
    with pytest.raises(StatesNoValue, match='does not state the values of positions: expected .* {"value": 0.31}'):
        asked(command("first_legal"), game)


def test_an_engine_that_fails_is_named_with_place_and_last_words():
    game = ReviewedGame(4, samples.game_of("connect_four"))
    engine = valuer("connect_four", "--crash-at", free_before(game.record, 5))
    with pytest.raises(EngineError) as error:
        asked(engine, game)
    assert str(error.value) == (
        "the engine failed when it was asked about game 4, ply 5: it ended with status 1; it wrote to stderr: "
        "no more of this"
    )


def test_an_engine_that_does_not_reply_is_given_up():
    game = ReviewedGame(1, samples.game_of("connect_four"))
    with pytest.raises(EngineError, match="ply 1: it said nothing for .* over the limit of 0.4 s"):
        asked(valuer("connect_four", "--delay", 60), game, patience_s=0.4)


def test_an_engine_that_cannot_be_started_or_plays_wrongly_has_failed():
    game = ReviewedGame(1, samples.game_of("connect_four"))
    with pytest.raises(EngineError, match="asked about game 1, ply 1: no-such-program: No such file"):
        asked("no-such-program", game)
    with pytest.raises(EngineError, match="asked about game 1, ply 1: "):
        asked(command("misbehave", "off_board", "--at", 0), game)


def test_what_is_kept_of_a_report():
    for report, expected in [
        ({"value": 0.25}, Answer(0.25, None, "4")),
        ({"value": 7, "proven": "win", "depth": 12, "iterations": 10**6}, Answer(1.0, "win", "4", (), 12, 10**6)),
        ({"value": -1.5, "proven": "surely", "depth": "deep", "pv": [4, "5"]}, Answer(-1.0, None, "4", ("4", "5"))),
        ({"value": 0, "pv": [[4]], "iterations": 10**40}, Answer(0.0, None, "4")),
        ({"value": 0, "pv": "4 5"}, Answer(0.0, None, "4")),
        ({"value": None, "guard": True}, None),
        ({"value": "0.5"}, None),
        ({"value": True}, None),
        (None, None),
    ]:
        assert read_answer(report, "4", 0.0) == expected, report


def test_a_long_line_of_moves_is_cut():
    answer = read_answer({"value": 0, "pv": [*range(30), {}]}, "4", 0.5)
    assert (len(answer.pv), answer.elapsed_s) == (24, 0.5)


class Asking:
    """In place of an engine: answers each ply, or does what `acts` says of a game's number."""

    def __init__(self, acts=None):
        self.acts, self.tasks = acts or {}, []

    def __call__(self, conditions, task, on_answer):
        self.tasks.append((task.game.number, task.side))
        if task.game.number in self.acts:
            self.acts[task.game.number](conditions)
        for ply in task.plies:
            on_answer(ply, Answer(0.0, None, "x"))


def two_games():
    return [ReviewedGame(number, samples.game_of("dots", seed=number)) for number in (1, 2)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_all_that_is_left_is_asked_for_once(jobs):
    games = two_games()
    kept, asking, found = ReviewAnswers(), Asking(), []
    tasks = open_tasks([*games, games[0]], ENGINE, kept)
    ask_all(conditions(""), tasks, jobs, lambda asked: found.append((asked.task.game.number, asked.ply)), asking)
    assert sorted(asking.tasks) == [(1, "A"), (1, "B"), (2, "A"), (2, "B")]
    assert sorted(found) == [(game.number, ply) for game in games for ply in range(1, len(game.movers) + 1)]


def test_a_failure_ends_all_and_loses_no_answer():
    def fail(conditions):
        raise EngineError("broken")

    found, asking = [], Asking({2: fail})
    tasks = open_tasks(two_games(), ENGINE, ReviewAnswers())
    with pytest.raises(EngineError, match="broken"):
        ask_all(conditions(""), tasks, 1, found.append, asking)
    assert asking.tasks == [(1, "A"), (1, "B"), (2, "A")]
    assert len(found) == sum(len(task.plies) for task in tasks[:2])


def test_what_is_told_to_stop_asks_no_more():
    asking, own = Asking(), conditions("")
    ask_all(own, open_tasks(two_games(), ENGINE, ReviewAnswers()), 1, lambda asked: own.stop.set(), asking)
    assert asking.tasks == [(1, "A")]


def test_a_disk_that_is_full_ends_all():
    def full(asked):
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        ask_all(conditions(""), open_tasks(two_games(), ENGINE, ReviewAnswers()), 2, full, Asking())
