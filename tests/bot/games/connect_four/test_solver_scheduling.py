"""The solver beside the tree: its share of the clock, what it tells the tree, and the moves it answers for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.connect_four import solver_engine
from bot.games.connect_four import uct_engine as uct
from bot.games.connect_four.adapter import solver_bench_positions
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.plain import empty_position, tactical_columns
from bot.games.connect_four.solver_engine import (
    FIRST_DEPTH,
    GREATEST_SHARE,
    THREAT_SEARCH_SHARE,
    SolverScheduler,
    ThreatSearch,
    chance_to_settle,
)
from bot.games.connect_four.uct_engine import UctEngine
from bot.search.limits import PROCESS_MB
from bot.search.scores import outcome
from bot.search.uct import engine as tree_engine
from tests.bot.games.connect_four.helpers.exhaustive import Solver, plies_to_end, random_positions
from tests.bot.helpers.engine_trials import on_processor_time, overrun_s

MEMORY_MB = PROCESS_MB + 100
SIZES = ((5, 4, 6), (4, 6, 10), (6, 4, 10), (5, 5, 12))


@pytest.fixture(autouse=True)
def processor_time(monkeypatch):
    """Budgets that are as good on a busy machine."""
    on_processor_time(monkeypatch, uct, tree_engine, solver_engine)


@pytest.fixture
def make_engine(kernels):
    """Engines with these settings and this seed."""

    def make(*changes, seed=1):
        return UctEngine(kernels, DEFAULT.with_values(changes), MEMORY_MB, seed)

    return make


@given(st.integers(3, 140), st.floats(0, 1e9), st.floats(1, 1e8))
def test_the_chance_is_a_chance_and_falls_with_the_free_cells(free, visited, more):
    chance = chance_to_settle(free, visited, more)
    assert 0 <= chance <= 1
    assert chance_to_settle(free + 6, 0, more) <= chance_to_settle(free, 0, more)
    assert chance_to_settle(free, visited, 2 * more) >= chance - 1e-9


def test_the_chance_is_the_one_that_games_have_shown():
    for known, chance in (
        ((46, 0, 1000), 0.460504),
        ((46, 100, 1e6), 0.801377),
        ((60, 0, 2e6), 0.664125),
        ((78, 0, 4e6), 0.294699),
        ((20, 1e9, 1e9), 0.339101),
    ):
        assert chance_to_settle(*known) == pytest.approx(chance, abs=1e-6)


def test_the_share_follows_the_chance(kernels):
    scheduler = SolverScheduler(kernels, table_mb=1)
    scheduler.open(empty_position(12, 12, (0, 0)))
    assert scheduler.share(2.6) == THREAT_SEARCH_SHARE
    scheduler.open(solver_bench_positions()[0])
    assert scheduler.share(1e-2) == pytest.approx(0.1 + chance_to_settle(51, 0, 2e4))
    assert 0.3 < scheduler.share(2.6) <= GREATEST_SHARE + THREAT_SEARCH_SHARE == pytest.approx(0.7)
    assert scheduler.share(0) == 0


def test_what_it_has_settled_it_settles_first_a_turn_later(kernels):
    position = solver_bench_positions()[1]
    scheduler = SolverScheduler(kernels, table_mb=16)
    scheduler.open(position)
    scheduler.work(10, share=0.7, hint=position.legal_moves()[0], expect_win=False)
    assert scheduler.outcome() == "loss"
    assert scheduler.share(1) == 0
    answers = [column for column in position.legal_moves() if tactical_columns(position.play(column))[0] is None]
    scheduler.open(position.play(answers[0]))
    scheduler.work(10, share=0.7, hint=None, expect_win=True)
    assert scheduler.outcome() == "win"
    won = position.play(answers[0]).play(scheduler.column())
    scheduler.open(
        won.play(next(column for column in won.legal_moves() if tactical_columns(won.play(column))[0] is None))
    )
    assert scheduler.share(1) > GREATEST_SHARE + THREAT_SEARCH_SHARE


def test_the_engine_answers_for_what_the_solver_has_proven(make_engine, monkeypatch):
    resist = SolverScheduler.resist
    monkeypatch.setattr(SolverScheduler, "resist", lambda self, seconds, hint: resist(self, min(seconds, 0.2), hint))
    position = solver_bench_positions()[1]
    engine = make_engine()
    lost = engine.think(position, budget_s=60)
    assert (lost.proven, lost.proven_by, lost.value) == ("loss", "solver", -1.0)
    won = engine.think(position.play(lost.move), budget_s=60)
    assert (won.proven, won.proven_by, won.value) == ("win", "solver", 1.0)
    assert won.elapsed_s < 50
    unsolved = make_engine("solver=off").think(position, iterations=5000)
    assert unsolved.proven_by != "solver"


def test_a_proven_loss_is_put_off_as_long_as_it_can_be(make_engine):
    """The engine's move in a lost position loses no sooner than the longest defence, found by trying everything."""
    everything = Solver()
    losses = 0
    for position in random_positions(5, 300, SIZES):
        scores = everything.move_scores(position)
        best = max(scores.values())
        if outcome(best) != "loss" or plies_to_end(best) < 4:
            continue
        losses += 1
        decision = make_engine().think(position, budget_s=0.3)
        assert decision.proven == "loss"
        assert scores[decision.move] == best
        if losses == 2:
            break
    assert losses == 2


@pytest.mark.parametrize("begun", [False, True])
def test_what_is_known_to_be_lost_is_not_proven_lost_again(kernels, monkeypatch, begun):
    """The tree has found it out: of the solver only the longest defence is asked, whether it has begun or not."""
    asked, ask = [], solver_engine.SolverEngine.ask
    monkeypatch.setattr(
        solver_engine.SolverEngine,
        "ask",
        lambda self, position, beta, hint: asked.append(beta) or ask(self, position, beta, hint),
    )
    position = solver_bench_positions()[0]
    scheduler = SolverScheduler(kernels, table_mb=1)
    scheduler.open(position)
    if begun:
        scheduler.work(0, share=0.7, hint=None, expect_win=False)
        assert scheduler.outcome() is None
    scheduler.resist(0.01, hint=None)
    assert asked and max(asked) < 0


def test_decisions_with_a_solver_are_right(make_engine):
    everything = Solver()
    by_solver = 0
    for position in random_positions(77, 16, SIZES):
        scores = everything.move_scores(position)
        decision = make_engine().think(position, budget_s=0.1)
        assert decision.proven in (None, outcome(max(scores.values())))
        if decision.proven:
            assert outcome(scores[decision.move]) == decision.proven
        by_solver += decision.proven_by == "solver"
    assert by_solver


def test_the_clock_is_kept_while_the_solver_cannot_settle(make_engine):
    position = empty_position(10, 10, (3, 3))
    for column in (4, 5, 4, 5, 5, 4, 3, 6, 6, 3, 2, 7, 7, 2, 1, 8, 8, 1, 0, 9, 9, 0, 3, 6, 2, 7, 4, 5):
        position = position.play(column)
    engine = make_engine()
    for _ in range(3):
        _, over_s = overrun_s(lambda: engine.think(position, budget_s=0.3), 0.3)
        assert over_s < 0.15


def test_without_a_clock_the_solver_does_not_run(make_engine):
    position = solver_bench_positions()[0]
    first, second = (make_engine(change).think(position, iterations=3000) for change in ("solver=on", "solver=off"))
    assert (first.move, first.value, first.pv) == (second.move, second.value, second.pv)
    assert first.proven_by != "solver"


TRAP_SIZES = ((4, 4, 2), (4, 5, 8), (5, 4, 8), (5, 5, 12), (4, 6, 11))
# A game that was lost: 10 rows, 12 columns, the forbidden cell in row 4 from the bottom and column 3. Column 5 is next
# to lose.
TRAP = (4, 8, 4, 4, 3, 5, 7, 5, 1, 2, 2, 5, 5, 4, 1, 3, 1, 1, 2, 4, 4)
INTO_THE_TRAP = 5
PATIENCE_S = 120.0


def free_cells(position):
    return position.rows * position.columns - (position.forbidden != 0) - position.plies()


@pytest.fixture
def threat_search(kernels):
    return ThreatSearch(kernels, table_mb=1)


def trap():
    position = empty_position(10, 12, (4, 3))
    for column in TRAP:
        position = position.play(column)
    return position


@pytest.mark.parametrize("count", [24, pytest.param(250, marks=pytest.mark.slow)])
def test_what_it_says_is_so(threat_search, count):
    everything = Solver()
    safe = lost = won = 0
    for position in random_positions(31, count, TRAP_SIZES):
        if tactical_columns(position)[0] is not None:
            continue
        scores = everything.move_scores(position)
        best = max(scores, key=scores.get)
        threat_search.open(position)
        for seconds in (0.0005, 0.002, 0.01):
            threat_search.work(seconds, best)
            for column in position.legal_moves():
                depth = threat_search.depth(column)
                if depth > FIRST_DEPTH:
                    safe += 1
                    assert outcome(scores[column]) != "loss" or plies_to_end(scores[column]) > depth
            for column, bound in threat_search.lost.items():
                lost += 1
                assert outcome(scores[column]) == "loss"
                assert plies_to_end(scores[column]) <= free_cells(position) + 1 + bound
            if threat_search.column is not None:
                won += 1
                assert outcome(scores[threat_search.column]) == "win"
                assert plies_to_end(scores[threat_search.column]) <= free_cells(position) + 1 - threat_search.lower
            if threat_search.upper < 0:
                assert outcome(scores[best]) == "loss"
    assert min(safe, lost, won) > count / 8


def test_it_finds_the_trap(threat_search):
    position = trap()
    threat_search.open(position)
    started = time.monotonic()
    while INTO_THE_TRAP not in threat_search.lost:
        assert time.monotonic() - started < PATIENCE_S
        threat_search.work(0.02, INTO_THE_TRAP)
    assert threat_search.column is None and threat_search.upper >= 0


@pytest.mark.slow
def test_the_engine_keeps_out_of_it(kernels):
    threat_search = ThreatSearch(kernels, table_mb=16)
    threat_search.open(trap())
    column = UctEngine(kernels, DEFAULT, PROCESS_MB + 100, seed=3).think(trap(), budget_s=2.5).move
    started = time.monotonic()
    while threat_search.depth(column) < 10:
        assert column not in threat_search.lost
        assert time.monotonic() - started < PATIENCE_S
        threat_search.work(0.05, column)


def test_it_keeps_to_its_time_and_to_nothing_where_tactics_decide(threat_search):
    threat_search.open(empty_position(12, 12, (0, 0)))
    began = time.monotonic()
    _, over_s = overrun_s(lambda: threat_search.work(0.1, 6), 0.1)
    assert time.monotonic() - began > 0.09 and over_s < 0.2
    decided = empty_position(6, 7)
    for column in (3, 0, 3, 0, 3, 0):
        decided = decided.play(column)
    threat_search.open(decided)
    threat_search.work(10, 3)
    assert threat_search.lost == {} and threat_search.column is None
