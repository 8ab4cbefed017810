"""The alpha-beta engine of dots and boxes: it finds what minimax finds, and exact values where it sees the end."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.dots.alphabeta.engine import AlphaBetaEngine, most_turns
from bot.games.dots.plain import safe_move, start_position
from bot.games.dots.presets import preset
from bot.games.dots.rules.board import BOXES, CHAINS, EVALUATIONS
from bot.search.random_engine import RandomEngine
from tests.bot.games.dots.helpers import probes as dots_probes
from tests.bot.games.dots.helpers.counts import SMALL_VALUES, Exact, drawn, drawn_position
from tests.bot.helpers.engine_trials import asked_while_it_thinks, overrun_s

TINY_VALUES = {**SMALL_VALUES, (3, 2): -2}


def make_engine(*changes):
    return AlphaBetaEngine(dots_probes, preset("alphabeta").with_values(changes))


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """No test's time goes into compiling."""
    make_engine().think(start_position(1, 1), iterations=1)


def slow_value(words, depth, evaluation):
    """Minimax over the turns that the kernels list, their leaf values at its end."""
    codes, after = np.zeros(128, np.int16), np.zeros(24, np.uint16)
    count = dots_probes.list_moves(words, codes) if depth else 0
    if count == 0:
        return dots_probes.leaf_value(words, evaluation)
    values = []
    for code in codes[:count].tolist():
        dots_probes.play(words, code, after)
        values.append(-slow_value(after.copy(), depth - 1, evaluation))
    return max(values)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from((BOXES, CHAINS)), st.integers(1, 3))
def test_alpha_beta_finds_what_minimax_finds(seed, evaluation, depth):
    position = drawn(seed, largest=4)
    engine = make_engine(f"depth={depth}", "evaluation=" + EVALUATIONS[evaluation])
    decision = engine.think(position)
    assert engine.raw_value == slow_value(dots_probes.as_words(position), decision.depth, evaluation)
    assert decision.depth == min(depth, most_turns(position))


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.sampled_from([(2, 3), (3, 3), (2, 5), (1, 7), (4, 2)]), st.sampled_from(EVALUATIONS))
def test_ends_are_played_right_whatever_the_evaluation(seed, size, evaluation):
    generator = random.Random(seed)
    position = drawn_position(generator, size, generator.randint(1, 11), generator.random() < 0.7)
    exact, engine = Exact(), make_engine("evaluation=" + evaluation)
    decision = engine.think(position)
    value = exact.value(position)
    assert engine.raw_value == value == exact.value_after(position, decision.move)
    assert decision.proven == ("win" if value > 0 else "loss" if value < 0 else "draw")
    assert decision.value == pytest.approx(value / (size[0] * size[1]))
    for move in decision.pv:
        assert position.allows(move)
        position = position.play(move)
    assert position.is_over() and position.margin in (value, -value)


@pytest.mark.parametrize("size, value", TINY_VALUES.items())
def test_the_small_boards_have_their_known_values(size, value):
    engine = make_engine()
    decision = engine.think(start_position(*size))
    assert (engine.raw_value, decision.proven_by) == (value, "search")


def test_the_static_value_counts_boxes_or_chains_too():
    """Two chains of three beside each other, nothing else: who opens the first loses it, and is left two of it."""
    position = start_position(2, 3)
    for edge in (0, 1, 2, 8, 9, 10, 16, 17, 18):
        position, _ = position.draw(edge)
    assert make_engine("evaluation=boxes").static_value(position) == 0
    assert make_engine("evaluation=chains").static_value(position) == Exact().rest(position) == -2
    behind, _ = position.draw(64)
    assert make_engine("evaluation=chains").static_value(behind) == Exact().rest(behind) == 2


@given(st.integers(0, 2**32))
def test_leaf_values_are_possible_margins(seed):
    position = drawn(seed)
    engine = make_engine()
    assert abs(engine.static_value(position)) <= position.rows * position.columns


def test_the_same_calls_give_the_same_decisions():
    def game():
        engine, position, seen = make_engine(), start_position(4, 5), []
        while not position.is_over():
            decision = engine.think(position, iterations=3_000)
            seen.append(decision._replace(elapsed_s=0))
            position = position.play(decision.move)
        return seen

    assert game() == game()


def test_the_last_finished_depth_decides():
    position = drawn_position(random.Random(3), (4, 4), 24, safely=True)
    whole = [make_engine(f"depth={depth}").think(position) for depth in range(1, 4)]
    for limit in range(whole[0].iterations, whole[2].iterations, max(1, whole[2].iterations // 40)):
        engine = make_engine("depth=3")
        decision = engine.think(position, iterations=limit)
        done = [search for search in whole if search.iterations <= limit]
        assert (decision.depth, decision.pv) == (len(done), done[-1].pv)
        assert decision.iterations <= limit + 1 and engine.nodes_in_use() == decision.nodes == decision.iterations


def test_a_turn_without_time_is_answered_safely():
    position = drawn_position(random.Random(5), (5, 5), 30)
    for limits in ({"budget_s": 0.0}, {"budget_s": -1.0}, {"iterations": 1}, {"iterations": 0}):
        decision = make_engine().think(position, **limits)
        assert (decision.move, decision.value, decision.depth) == (safe_move(position), 0, 0)
        assert decision.proven is None


@pytest.mark.parametrize(
    "changes, budget_s, spent_s",
    [
        ((), 0.1, 0.1),
        (("move_seconds=0.1",), 5.0, 0.1),
        (("move_seconds=5",), 0.1, 0.1),
    ],
)
def test_a_deadline_holds_at_any_depth(changes, budget_s, spent_s):
    engine = make_engine(*changes)
    overrun = []
    for _ in range(3):
        decision, over_s = overrun_s(lambda: engine.think(start_position(7, 7), budget_s=budget_s), spent_s)
        overrun.append(over_s)
        assert decision.elapsed_s >= 0.9 * spent_s and decision.depth >= 1
    assert min(overrun) < 0.02


def test_another_thread_can_ask_for_the_best_move():
    engine, position = make_engine(), start_position(6, 6)
    assert engine.best_so_far() is None
    assert position.allows(asked_while_it_thinks(engine, position))
    assert engine.best_so_far() is None and engine.nodes_in_use() > 0


@pytest.mark.parametrize("evaluation, games", [("boxes", 10), ("chains", 10)])
def test_every_evaluation_beats_chance(evaluation, games):
    engine, won = make_engine("evaluation=" + evaluation), 0
    for seed in range(games):
        position, ply, chance = start_position(4, 4), 0, RandomEngine(seed)
        while not position.is_over():
            mover = engine if ply % 2 == seed % 2 else chance
            position, ply = position.play(mover.think(position, iterations=20_000).move), ply + 1
        won += position.margin * (1 if ply % 2 == seed % 2 else -1) > 0
    assert won == games


def test_chains_are_worth_more_than_boxes_alone():
    """At the same few nodes, from safe openings, each side in turn."""
    points = 0
    for seed in range(20):
        position = drawn_position(random.Random(seed), (4, 4), 28, safely=True)
        sides, ply = ("chains", "boxes") if seed % 2 else ("boxes", "chains"), 0
        while not position.is_over():
            engine = make_engine("evaluation=" + sides[ply % 2])
            position, ply = position.play(engine.think(position, iterations=2_000).move), ply + 1
        margin = position.margin if sides[ply % 2] == "chains" else -position.margin
        points += (margin > 0) - (margin < 0)
    assert points > 0
