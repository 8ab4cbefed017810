"""The exact solver: right against trying everything, in every window; turns reach its values; it stops and goes on."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bot.games.dots.board import edge_count
from bot.games.dots.plain import start_position
from bot.games.dots.solver_engine import SYMMETRY_FROM_EMPTY, SolverEngine, SolverScheduler
from tests.bot.games.dots.helpers import solver_probes as probes
from tests.bot.games.dots.helpers.every_position import EveryPosition
from tests.bot.games.dots.helpers.solver_probes import WORD, drawn_at_random, safely_drawn
from tests.bot.helpers.engine_trials import overrun_s

TABLE_MB = 4
# Net boxes of the side that moves first, from the literature.
PUBLISHED = {
    (1, 1): -1,
    (1, 2): 0,
    (1, 3): -1,
    (1, 4): 0,
    (1, 5): -1,
    (2, 2): 2,
    (2, 3): -2,
    (2, 4): 2,
    (2, 5): -2,
    (3, 3): -3,
}


SIZES = [(1, 1), (1, 5), (2, 3), (3, 3), (6, 1)]


@pytest.fixture(scope="module")
def engine():
    return SolverEngine(probes, TABLE_MB)


def value_by_drawing(position):
    """Net boxes from here on, one edge at a time, on the plain rules."""
    best = None
    for edge in position.legal_edges():
        after, captured = position.draw(edge)
        gained = after.margin - position.margin if captured else 0
        value = gained + value_by_drawing(after) if captured else -value_by_drawing(after)
        best = value if best is None else max(best, value)
    return 0 if best is None else best


LONG = {(2, 5), (3, 3)}


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_published_values(engine, long):
    for size, value in PUBLISHED.items():
        if long or size not in LONG:
            solution = engine.solve(start_position(*size))
            assert solution.lower == solution.upper == value, size


@pytest.mark.slow
def test_twelve_boxes_are_a_draw():
    solution = SolverEngine(probes, 64, SYMMETRY_FROM_EMPTY).solve(start_position(3, 4))
    assert solution.lower == solution.upper == 0


@pytest.mark.parametrize("size", [(2, 3), pytest.param((3, 3), marks=pytest.mark.slow)])
def test_images_do_not_change_values(size):
    plain, symmetric = (
        SolverEngine(probes, TABLE_MB, symmetry_from).solve(start_position(*size)) for symmetry_from in (100, 0)
    )
    assert symmetric.lower == symmetric.upper == plain.lower == plain.upper
    assert symmetric.nodes < plain.nodes


@given(seed=some.integers(0, 2**32), size=some.sampled_from(SIZES), free=some.integers(1, 7))
@settings(max_examples=25, deadline=None)
def test_last_edges_agree_with_the_plain_rules(engine, seed, size, free):
    position = drawn_at_random(random.Random(seed), *size, min(free, edge_count(*size)))
    solution = engine.solve(position)
    assert solution.lower == solution.upper == value_by_drawing(position) == EveryPosition(position).value(position)


@pytest.mark.parametrize("count", [10, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", SIZES)
def test_every_kind_of_position_agrees_with_trying_everything(engine, size, count):
    generator = random.Random(str(size))
    everything = EveryPosition(drawn_at_random(generator, *size, min(edge_count(*size), 14 if count == 10 else 20)))
    for _ in range(count):
        position = everything.position
        for edge in generator.sample(everything.free, generator.randrange(len(everything.free))):
            position, _ = position.draw(edge)
        solution = engine.solve(position)
        value = everything.value(position)
        assert solution.lower == solution.upper == value
        assert everything.turn_value(position, solution.turn) == value


@pytest.mark.parametrize("count, free", [(1, 14), pytest.param(12, 17, marks=pytest.mark.slow)])
@pytest.mark.parametrize("drawing", [drawn_at_random, safely_drawn])
def test_ends_on_large_boards_agree_with_trying_everything(engine, drawing, count, free):
    generator = random.Random(count)
    for size in count * [(3, 4), (4, 4), (3, 5), (5, 5), (4, 6), (7, 7), (7, 2)]:
        position = drawing(generator, *size, free + 1)
        while position.free_edges() > free:  # something to take, and sometimes to leave
            position, _ = position.draw(generator.choice(position.legal_edges()))
        everything = EveryPosition(position)
        for _ in range(6):
            solution = engine.solve(position)
            assert solution.lower == solution.upper == everything.value(position)
            assert everything.turn_value(position, solution.turn) == solution.lower
            position = position.play(solution.turn)
            if position.is_over():
                break


@pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_windows_are_answered_on_the_right_side(engine, count):
    generator = random.Random(5)
    for _ in range(count):
        position = drawn_at_random(generator, 3, 4, 13)
        value = EveryPosition(position).value(position)
        engine.solve(position, nodes=0)
        for alpha, beta in ((-64, 64), (-1, 1), (value - 1, value + 1), (value, value + 1), (value - 1, value), (2, 5)):
            engine.forget()
            solution = engine.solve(position, window=(alpha, beta))
            assert solution.lower <= value <= solution.upper
            assert solution.lower == value == solution.upper or solution.lower >= beta or solution.upper <= alpha
            engine.forget()
            words = np.uint64(position.edges & WORD), np.uint64(position.edges >> 64)
            known, found = probes.solve_within(engine.address, *words, alpha, beta, 1 << 40)
            assert known
            assert found == value if alpha < value < beta else found <= alpha if value <= alpha else found >= beta


def test_a_turn_reaches_the_lower_bound_at_any_time(engine):
    generator = random.Random(6)
    stopped = 0
    for _ in range(40):
        position = safely_drawn(generator, 4, 4, 15)
        while position.free_edges() > 14:  # something to take, and sometimes to leave
            position, _ = position.draw(generator.choice(position.legal_edges()))
        everything = EveryPosition(position)
        engine.forget()
        solution = engine.solve(position, nodes=generator.choice([1, 2, 4]))
        value = everything.value(position)
        stopped += solution.lower < solution.upper
        assert solution.lower <= value <= solution.upper
        if solution.turn is not None:
            assert everything.turn_value(position, solution.turn) >= solution.lower
    assert stopped > 2


def test_a_search_in_pieces_is_the_same_search(engine):
    position = safely_drawn(random.Random(7), 4, 4, 28)
    engine.forget()
    whole = engine.solve(position)
    engine.forget()
    engine.ask(position)
    nodes = 0
    while not engine.is_done():
        nodes += engine.go_on(1.0, 13)
    pieces = engine.bounds(nodes, 0.0)
    assert nodes == whole.nodes > 1000
    assert (pieces.lower, pieces.upper, pieces.turn) == (whole.lower, whole.upper, whole.turn)
    assert engine.solve(position).nodes < whole.nodes / 10  # the table has it


def test_limits_are_kept(engine):
    position = safely_drawn(random.Random(8), 5, 5, 44)
    engine.forget()
    assert engine.solve(position, nodes=1000).nodes == 1000
    solution, over_s = overrun_s(lambda: engine.solve(position, budget_s=0.05), 0.05)
    assert over_s < 0.3 and solution.lower < solution.upper
    known, _ = probes.solve_within(
        engine.address, np.uint64(position.edges & WORD), np.uint64(position.edges >> 64), -64, 64, 100
    )
    assert not known


def test_who_wins_is_cheaper_than_by_how_much(engine):
    nodes = {}
    for window in ((-64, 64), (-1, 1)):
        generator = random.Random(9)
        nodes[window] = 0
        for _ in range(10):
            engine.forget()
            nodes[window] += engine.solve(safely_drawn(generator, 5, 5, 36), window=window).nodes
    assert nodes[-1, 1] < 0.7 * nodes[-64, 64]
    # 26,896; with keys by where chains lie, and moves that leave the fewest safe edges first, it was 75,513.
    assert nodes[-1, 1] < 40_000


def test_the_solver_is_asked_where_half_of_such_positions_take_less():
    scheduler, generator = SolverScheduler(probes, TABLE_MB), random.Random(10)
    position = safely_drawn(generator, 5, 5, 38)  # which takes 0.01 s; each edge more three times as long
    assert position.free_edges() == 38
    for budget_s, is_checked, is_tried in ((0.012, True, False), (0.00126, True, False), (0.00124, False, False)):
        scheduler.open(position)
        assert scheduler.can_check(position, budget_s) == is_checked
        scheduler.try_to_solve(position, budget_s)
        assert (scheduler.turn() is not None or scheduler.outcome() is not None) == is_tried
    scheduler.try_to_solve(position, 30.0)
    assert scheduler.outcome() in ("win", "draw", "loss")
    more = safely_drawn(generator, 5, 5, 39)
    assert more.free_edges() == 39
    assert (scheduler.can_check(more, 0.0038), scheduler.can_check(more, 0.0037)) == (True, False)
