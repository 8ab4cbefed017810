"""The exact solver: right against trying everything, the same in pieces as in one go, and honest about limits."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.connect_four.adapter import solver_bench_positions
from bot.games.connect_four.plain import Position, empty_position, tactical_columns
from bot.games.connect_four.solver_engine import SolverEngine, table_entries
from bot.search.scores import outcome
from tests.bot.games.connect_four.helpers.exhaustive import Solver, plies_to_end, quiet_positions, random_positions
from tests.bot.helpers.engine_trials import overrun_s

SIZES = ((4, 4, 3), (4, 5, 9), (5, 4, 9), (4, 6, 12), (6, 4, 12), (5, 5, 13))


@pytest.fixture(scope="module")
def everything():
    return Solver()


@pytest.fixture
def solver(kernels):
    return SolverEngine(kernels, table_mb=8)


@pytest.mark.parametrize("count", [50, pytest.param(600, marks=pytest.mark.slow)])
def test_outcome_distance_and_column_are_those_of_trying_everything(solver, everything, count):
    settled_by_search = 0
    for position in random_positions(3, count, SIZES):
        scores = everything.move_scores(position)
        best = max(scores.values())
        quick, exact = solver.solve(position), solver.solve(position, exact=True)
        assert quick.outcome == exact.outcome == outcome(best)
        assert exact.plies == plies_to_end(best)
        assert quick.plies is None
        assert outcome(scores[quick.move]) == outcome(best)
        assert scores[exact.move] == best or exact.outcome == "draw" == outcome(scores[exact.move])
        settled_by_search += quick.nodes > 0
    assert settled_by_search > count / 3.5


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_outcomes_are_right_where_winning_cells_wait(solver, everything, count):
    """One table for all positions of a board: nothing in it is wrong for another one."""
    seen = dict.fromkeys(("win", "draw", "loss"), 0)
    for position in sorted(quiet_positions(10, count), key=Position.cells_and_forbidden):
        found = solver.solve(position).outcome
        assert found == outcome(everything.score(position))
        seen[found] += 1
    assert min(seen.values()) > count / 40


@pytest.mark.parametrize("entries", [1024, pytest.param(1 << 20, marks=pytest.mark.slow)])
def test_a_table_that_overflows_changes_nothing_but_the_work(kernels, entries):
    solver = SolverEngine(kernels, table_mb=entries * 8 / 2**20)
    found = solver.solve(empty_position(5, 4), exact=True)
    assert (found.outcome, found.plies) == ("draw", None)
    assert solver.solve(empty_position(4, 6).play(1), nodes=300_000).outcome in ("win", "draw", None)


def test_work_in_pieces_is_the_same_work(kernels):
    position = solver_bench_positions()[0]
    whole = SolverEngine(kernels, table_mb=64).solve(position)
    assert whole.outcome is not None
    task = SolverEngine(kernels, table_mb=64).begin(position)
    generator = random.Random(4)
    pieces = 0
    while not task.is_settled():
        task.work(nodes=generator.randint(1, 20_000))
        pieces += 1
    assert pieces > 10
    assert task.solution()[:4] == whole[:4]


def test_what_is_learnt_stays_until_it_is_forgotten(solver):
    position = empty_position(5, 5)
    first = solver.solve(position)
    assert solver.solve(position).nodes < first.nodes / 100
    solver.forget()
    assert solver.solve(position).nodes == first.nodes


def test_another_board_does_not_believe_what_was_learnt_of_the_first(solver):
    """The same stones on boards that differ in their forbidden cell or their height are different positions."""
    for forbidden_cell, expected in (
        (None, "draw"),
        ((3, 1), "win"),
        ((3, 0), "draw"),
        ((2, 2), "win"),
        ((1, 1), "draw"),
        ((0, 0), "win"),
        (None, "draw"),
    ):
        assert solver.solve(empty_position(4, 4, forbidden_cell)).outcome == expected, forbidden_cell


def test_limits_hold_and_leave_the_outcome_open(solver):
    position = empty_position(9, 9, (4, 4))
    stopped = solver.solve(position, nodes=5000)
    assert (stopped.outcome, stopped.plies, stopped.move, stopped.nodes) == (None, None, None, 5000)
    solution, over_s = overrun_s(lambda: solver.solve(position, budget_s=0.05), 0.05)
    assert solution.elapsed_s >= 0.05 and over_s < 0.2


def test_moves_known_to_lose_do_lose(kernels, everything):
    found = 0
    for position in random_positions(11, 40, SIZES):
        task = SolverEngine(kernels, table_mb=1).begin(position, expect_win=False)
        while not task.is_settled():
            task.work(nodes=50)
            scores = everything.move_scores(position)
            free = position.rows * position.columns - (position.forbidden != 0) - position.plies()
            for column, bound in task.lost.items():
                assert outcome(scores[column]) == "loss"
                assert plies_to_end(scores[column]) <= free + 1 + bound
                found += 1
    assert found > 10


@given(st.data())
@settings(max_examples=20)
def test_a_hint_or_an_expectation_only_changes_the_way(kernels, data):
    position = next(random_positions(data.draw(st.integers(0, 10**6)), 1, ((5, 4, 8),)))
    solver = SolverEngine(kernels, table_mb=1)
    plain = solver.solve(position, exact=True)
    solver.forget()
    hint = data.draw(st.sampled_from(position.legal_moves()))
    task = solver.begin(position, exact=True, hint=hint, expect_win=data.draw(st.booleans()))
    task.work()
    assert (task.outcome(), task.solution().plies) == (plain.outcome, plain.plies)


def test_a_win_or_loss_at_sight_needs_no_search(solver):
    position = empty_position(6, 7)
    for column in (3, 0, 3, 0, 3, 0):
        position = position.play(column)
    assert tactical_columns(position) == ("win", [3])
    win = solver.solve(position, exact=True)
    assert (win.outcome, win.plies, win.move, win.nodes) == ("win", 1, 3, 0)
    position = empty_position(6, 7)
    for column in (3, 3, 2, 2, 4):
        position = position.play(column)
    loss = solver.solve(position, exact=True)
    assert (loss.outcome, loss.plies, loss.nodes) == ("loss", 2, 0)
    assert loss.move in (1, 5)


def test_the_table_takes_a_power_of_two_of_entries():
    assert table_entries(1) == table_entries(1.9) == 1 << 17
    with pytest.raises(ValueError, match="at least 0.01 MB, got 0.001"):
        table_entries(0.001)
