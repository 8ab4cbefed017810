"""Reversi's alpha-beta engine: it plays what the seed's minimax plays, on every size of board and within its limits."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.reversi.alphabeta.engine import AlphaBetaEngine
from bot.games.reversi.plain import safe_move, start_position
from bot.games.reversi.presets import preset
from bot.games.reversi.rules.board import EVALUATIONS, MAX_SIZE, MIN_SIZE, PASS
from tests.bot.games.reversi.helpers import probes as reversi_probes
from tests.bot.games.reversi.helpers.counts import drawn_position, minimax, position_from_picture, slow_value
from tests.bot.helpers.engine_trials import asked_while_it_thinks, overrun_s

MINIMAX, ALPHABETA = "minimax-%s", "alphabeta-%s"
SIZES = range(MIN_SIZE, MAX_SIZE + 1)
# x, to move, has no move and o has one.
PASSED = position_from_picture("oxx. o... .... ....")


def make_engine(name, *changes):
    return AlphaBetaEngine(reversi_probes, preset(name).with_values(changes))


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """No test's time goes into compiling."""
    make_engine(ALPHABETA % "discs").think(start_position(4), iterations=1)


def drawn(seed, size):
    return drawn_position(random.Random(seed), size)


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from(SIZES), st.sampled_from(EVALUATIONS), st.integers(1, 4))
def test_alpha_beta_finds_what_minimax_finds(seed, size, evaluation, depth):
    position = drawn(seed, size)
    engines = [make_engine(name % evaluation, f"depth={depth}") for name in (MINIMAX, ALPHABETA)]
    slow, fast = (engine.think(position) for engine in engines)
    assert (fast.move, fast.pv, fast.value) == (slow.move, slow.pv, slow.value)
    assert engines[0].raw_value == engines[1].raw_value
    assert fast.iterations <= slow.iterations


@settings(max_examples=80)
@given(st.integers(0, 2**32), st.integers(4, 7), st.sampled_from(EVALUATIONS), st.integers(1, 3))
def test_both_find_what_the_documented_program_finds(seed, size, evaluation, depth):
    position = drawn(seed, size)
    value, line = minimax(position, depth, evaluation)
    engine = make_engine(ALPHABETA % evaluation, f"depth={depth}")
    decision = engine.think(position)
    assert (engine.raw_value, decision.pv, decision.move) == (value, line, line[0])
    assert decision.value == pytest.approx(value / (abs(value) + 20))
    assert (decision.proven, decision.depth) == (None, min(depth, position.free_cells()))


def test_eight_plies_from_the_start():
    for evaluation in EVALUATIONS:
        engine = make_engine(ALPHABETA % evaluation)
        decision = engine.think(start_position(8))
        assert (decision.depth, len(decision.pv)) == (8, 8)
        position = start_position(8)
        for move in decision.pv:
            position = position.play(move)
        assert engine.raw_value == slow_value(position.own, position.opponent, 8, evaluation)


def test_a_side_without_a_reply_ends_the_line():
    """The program stops there and evaluates, though the side would only pass."""
    position = position_from_picture(".oox .... .... ..ox")
    engine = make_engine(ALPHABETA % "discs")
    decision = engine.think(position)
    assert decision.depth == 8 and len(decision.pv) < 8
    for move in decision.pv:
        position = position.play(move)
    assert not position.legal_cells()


def test_a_pass_is_answered_at_once():
    assert PASSED.legal_moves() == [PASS]
    for evaluation in EVALUATIONS:
        engine = make_engine(ALPHABETA % evaluation)
        decision = engine.think(PASSED)
        assert (decision.move, decision.pv, decision.depth, decision.iterations) == (PASS, [PASS], 0, 0)
        assert engine.raw_value == slow_value(PASSED.own, PASSED.opponent, 4, evaluation)


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_the_static_value_is_the_evaluation(evaluation):
    engine = make_engine(MINIMAX % evaluation)
    for seed, size in enumerate(SIZES):
        position = drawn(seed, size)
        assert engine.static_value(position) == slow_value(position.own, position.opponent, size, evaluation)


def test_the_same_calls_give_the_same_decisions():
    def game():
        engine, position, seen = make_engine(ALPHABETA % "combined"), start_position(7), []
        while not position.is_over():
            decision = engine.think(position, iterations=5_000)
            seen.append(decision._replace(elapsed_s=0))
            position = position.play(decision.move)
        return seen

    assert game() == game()


def test_the_last_finished_depth_decides():
    position = drawn(3, 8)
    whole = [make_engine(MINIMAX % "combined", f"depth={depth}").think(position) for depth in range(1, 5)]
    for limit in range(whole[0].iterations, whole[3].iterations, 97):
        engine = make_engine(MINIMAX % "combined")
        decision = engine.think(position, iterations=limit)
        done = [search for search in whole if search.iterations <= limit]
        assert (decision.depth, decision.pv) == (len(done), done[-1].pv)
        assert decision.iterations <= limit + 1 and engine.nodes_in_use() == decision.nodes == decision.iterations


def test_a_turn_without_time_is_answered_safely():
    position = drawn(5, 8)
    for limits in ({"budget_s": 0.0}, {"budget_s": -1.0}, {"iterations": 1}, {"iterations": 0}):
        decision = make_engine(MINIMAX % "discs").think(position, **limits)
        assert (decision.move, decision.value, decision.depth) == (safe_move(position), 0, 0)


@pytest.mark.parametrize(
    "changes, budget_s, spent_s",
    [
        ((), 0.1, 0.1),
        (("move_seconds=0.1",), 5.0, 0.1),
        (("move_seconds=5",), 0.1, 0.1),
    ],
)
def test_a_deadline_holds_at_any_depth(changes, budget_s, spent_s):
    engine = make_engine(MINIMAX % "mobility", "depth=60", *changes)
    overrun = []
    for _ in range(3):
        decision, over_s = overrun_s(lambda: engine.think(start_position(10), budget_s=budget_s), spent_s)
        overrun.append(over_s)
        assert decision.elapsed_s >= 0.9 * spent_s and decision.depth >= 1
    assert min(overrun) < 0.02


def test_move_seconds_are_nothing_to_a_counted_search():
    engine = make_engine(ALPHABETA % "discs", "move_seconds=0.0001", "depth=6")
    assert engine.think(start_position(8), iterations=10**9).depth == 6


def test_another_thread_can_ask_for_the_best_move():
    engine, position = make_engine(MINIMAX % "combined", "depth=60"), start_position(10)
    assert engine.best_so_far() is None
    assert asked_while_it_thinks(engine, position) in position.legal_moves()
    assert engine.best_so_far() is None and engine.nodes_in_use() > 0
