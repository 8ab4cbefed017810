"""The alpha-beta engine of dots and boxes: it finds what minimax finds, and exact values where it sees the end."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.dots.alphabeta_engine import AlphaBetaEngine, most_turns
from bot.games.dots.board import BOXES, CHAINS, EVALUATIONS
from bot.games.dots.config import preset
from bot.games.dots.plain import start_position
from tests.bot.games.dots.helpers import probes as dots_probes
from tests.bot.games.dots.helpers.counts import SMALL_VALUES, TINY_VALUES, Exact, drawn, drawn_position


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


@settings(max_examples=12)
@given(st.integers(0, 2**32), st.sampled_from((BOXES, CHAINS)), st.integers(1, 3))
def test_alpha_beta_finds_what_minimax_finds(seed, evaluation, depth):
    position = drawn(seed, largest=4)
    engine = make_engine(f"depth={depth}", "evaluation=" + EVALUATIONS[evaluation])
    decision = engine.think(position)
    assert engine.raw_value == slow_value(dots_probes.as_words(position), decision.depth, evaluation)
    assert decision.depth == min(depth, most_turns(position))


@settings(max_examples=25)
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


@pytest.mark.parametrize("values", [TINY_VALUES, pytest.param(SMALL_VALUES, marks=pytest.mark.slow)])
def test_the_small_boards_have_their_known_values(values):
    for size, value in values.items():
        engine = make_engine()
        decision = engine.think(start_position(*size))
        assert (engine.raw_value, decision.proven_by) == (value, "search"), size


def test_the_static_value_counts_boxes_or_chains_too():
    """Two chains of three beside each other, nothing else: who opens the first loses it, and is left two of it."""
    position = start_position(2, 3)
    for edge in (0, 1, 2, 8, 9, 10, 16, 17, 18):
        position, _ = position.draw(edge)
    assert make_engine("evaluation=boxes").static_value(position) == 0
    assert make_engine("evaluation=chains").static_value(position) == Exact().rest(position) == -2
    behind, _ = position.draw(64)
    assert make_engine("evaluation=chains").static_value(behind) == Exact().rest(behind) == 2


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_leaf_values_are_possible_margins(seed):
    position = drawn(seed)
    engine = make_engine()
    assert abs(engine.static_value(position)) <= position.rows * position.columns


def test_the_last_finished_depth_decides():
    position = drawn_position(random.Random(3), (4, 4), 24, safely=True)
    whole = [make_engine(f"depth={depth}").think(position) for depth in range(1, 4)]
    for limit in range(whole[0].iterations, whole[2].iterations, max(1, whole[2].iterations // 12)):
        engine = make_engine("depth=3")
        decision = engine.think(position, iterations=limit)
        done = [search for search in whole if search.iterations <= limit]
        assert (decision.depth, decision.pv) == (len(done), done[-1].pv)
        assert decision.iterations <= limit + 1 and engine.nodes_in_use() == decision.nodes == decision.iterations


@pytest.mark.slow
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
