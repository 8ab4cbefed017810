"""`analyze --deepen`: opinions in doubled times, by a clock that a scripted engine moves; and the command's lines."""

import itertools
import json

import pytest

from bot.commands.analyze import deepened, moments
from bot.search.engine import Decision, Engine, MoveValue
from tests.bot.commands.helpers.tool import run_tool

POSITION = object()
ROUNDING_S = 1e-9
TINY = {
    "connect_four": ("--rows", 9, "--cols", 9),
    "reversi": ("--size", 8),
    "dots": ("--size", "5x5"),
}


class Scripted(Engine):
    """Uses its time up on a clock of its own, unless it has nothing more to do; proves what it is told to.

    proven_from: seconds on the clock from which on the position is proven, its first move by it; moves_proven_from: the
    same of the other. After proven_from `think` takes no time, and move_values takes its own where it searches apart.
    """

    def __init__(self, proven_from=1e9, moves_proven_from=1e9, is_apart=False, is_lazy=False):
        self.SEARCHES_APART = is_apart
        self.now = 50.0
        self.asked = []
        self._began, self._proven, self._moves_proven = self.now, proven_from, moves_proven_from
        self._is_lazy = is_lazy

    def clock(self):
        return self.now

    def think(self, position, budget_s=None, iterations=None):
        assert position is POSITION and iterations is None
        self.asked.append(budget_s)
        if not self._is_lazy:
            self._take(min(budget_s, max(0.0, self._proven - self.spent())))
        proven = "win" if self._has_come(self._proven) else None
        return Decision(0, 0.5, proven, proven and "search", [0], 10, 1, 1, budget_s)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        if self.SEARCHES_APART:
            self._take(budget_s)
        others = "loss" if self._has_come(self._moves_proven) else None
        return [MoveValue(1, -0.5, False, None, others, 1), MoveValue(0, 0.5, False, None, decision.proven, 1)]

    def spent(self):
        return self.now - self._began

    def _has_come(self, moment):
        return self.spent() > moment - ROUNDING_S

    def _take(self, seconds):
        self.now += seconds


def opinions(engine, budget_s):
    return list(deepened(engine, POSITION, budget_s, engine.clock))


@pytest.mark.parametrize("budget_s", [0.05, 0.1, 0.19, 0.2, 1.0, 3.0, 10.0, 600.0])
def test_moments_double_from_a_tenth_of_a_second_on(budget_s):
    due = moments(budget_s)
    assert due[-1] == budget_s
    assert all(after == pytest.approx(2 * before) for before, after in itertools.pairwise(due))
    assert due[0] == budget_s if budget_s < 0.2 else 0.1 <= due[0] < 0.2


@pytest.mark.parametrize("is_apart", [False, True])
def test_an_opinion_each_time_the_time_has_doubled(is_apart):
    engine = Scripted(is_apart=is_apart)
    found = opinions(engine, 0.8)
    assert [told.elapsed_s for told in found] == pytest.approx([0.1, 0.2, 0.4, 0.8])
    assert [told.is_final for told in found] == [False, False, False, True]
    assert [told.iterations for told in found] == [10, 20, 30, 40]
    assert [known.move for known in found[0].values] == [0, 1]  # the decision's first
    share = 0.5 if is_apart else 1
    assert engine.asked == pytest.approx([share * seconds for seconds in (0.1, 0.1, 0.2, 0.4)])


def test_what_takes_too_long_leaves_less_to_the_next():
    engine = Scripted()
    told = deepened(engine, POSITION, 0.8, engine.clock)
    next(told)
    engine.now += 0.25  # whoever prints it
    assert next(told).elapsed_s == pytest.approx(0.35)  # at 0.2 it would have been due: no time is left for it
    assert next(told).elapsed_s == pytest.approx(0.4)
    assert engine.asked == pytest.approx([0.1, 0.0, 0.05])


def test_a_proof_of_every_move_ends_it():
    found = opinions(Scripted(proven_from=0.3, moves_proven_from=0.3), 12.8)
    assert [told.decision.proven for told in found] == [None, None, "win"]
    assert (found[-1].is_final, found[-1].elapsed_s) == (True, pytest.approx(0.3))


def test_a_proof_of_the_best_move_leaves_the_others_their_time():
    engine = Scripted(proven_from=0.3, moves_proven_from=1.5, is_apart=True)
    found = opinions(engine, 12.8)
    assert found[-1].is_final and found[-1].elapsed_s == pytest.approx(1.6)
    assert [known.proven for known in found[-1].values] == ["win", "loss"]


def test_a_proof_ends_it_where_no_more_is_to_be_found():
    """A tree that is proven is not searched on: the values of the other moves stay as they are."""
    found = opinions(Scripted(proven_from=0.21), 12.8)
    assert (len(found), found[-1].is_final, found[-1].elapsed_s) == (3, True, pytest.approx(0.21))
    late = opinions(Scripted(proven_from=0.39), 12.8)  # it has used its time, and is asked once more
    assert (len(late), late[-1].is_final, late[-1].elapsed_s) == (4, True, pytest.approx(0.39))


def test_an_engine_that_takes_no_time_ends_as_it_would_otherwise():
    found = opinions(Scripted(is_lazy=True), 0.8)
    assert [told.is_final for told in found] == [False, False, False, True]


class Hasty(Scripted):
    """Searches so deep, one time after the other; each move's value is its depth."""

    def __init__(self, depths):
        super().__init__(is_apart=True)
        self._depths = iter(depths)

    def think(self, position, budget_s=None, iterations=None):
        self._take(budget_s)
        best, self._other = next(self._depths)
        return Decision(0, best / 100, None, None, [0], 10, best, 1, budget_s)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        self._take(budget_s)
        return [
            MoveValue(move, depth / 100, False, None, None, depth)
            for move, depth in ((0, decision.depth), (1, self._other))
        ]


def test_what_was_searched_deeper_stays():
    """An engine that tries the end of the game in vain has less to say than before."""
    found = opinions(Hasty([(3, 2), (14, 9), (12, 10), (15, 4)]), 0.8)
    assert [(told.decision.depth, told.decision.value) for told in found] == [
        (3, 0.03),
        (14, 0.14),
        (14, 0.14),
        (15, 0.15),
    ]
    assert [[known.depth for known in told.values] for told in found] == [[3, 2], [14, 9], [14, 10], [15, 10]]


def lines_of(*words):
    done = run_tool("analyze", *words, "--json", "--deepen", "--seed", 1)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("game", ["connect_four", "reversi", pytest.param("dots", marks=pytest.mark.slow)])
def test_lines_of_an_open_position(game):
    """A tree keeps its visits from one line to the next."""
    found = lines_of("--game", game, *TINY[game], "--limit", 0.4, "--memory", 250)
    assert [line["final"] for line in found] == [False, False, True]
    times = [line["elapsed_s"] for line in found]
    assert times == sorted(times) and times[0] >= 0.1 and times[-1] >= 0.4
    assert all(line["moves"][0]["move"] == line["best"] for line in found)
    assert [len(line["moves"]) for line in found] == [len(found[0]["moves"])] * 3
    counts = [line["iterations"] for line in found]
    assert counts == sorted(counts) and counts[0] > 0
    if game == "connect_four":
        for before, after in itertools.pairwise(found):
            visits = sum(known["visits"] for known in after["moves"])
            assert visits > 0.9 * (after["iterations"] - before["iterations"])
            assert visits > sum(known["visits"] for known in before["moves"])


def test_a_won_position_takes_one_line():
    (line,) = lines_of("--rows", 6, "--cols", 7, "--moves", "0,6,1,6,2,5", "--limit", 60)
    assert (line["proven"], line["best"], line["final"]) == ("win", 3, True)


def test_reversis_moves_are_proven_one_by_one():
    found = lines_of("--game", "reversi", "--size", 4, "--moves", "b1", "--limit", 60)
    assert found[-1]["final"] and found[-1]["elapsed_s"] < 60
    assert {known["proven"] for known in found[-1]["moves"]} <= {"win", "draw", "loss"}


def test_what_does_not_go_with_it_is_named():
    for others in ((), ("--json", "--exact"), ("--json", "--iterations", 5)):
        done = run_tool("analyze", *TINY["connect_four"], "--deepen", *others)
        assert (done.returncode, done.stdout) == (2, ""), others
        assert "--deepen: with --json, and with neither --exact nor --iterations" in done.stderr
