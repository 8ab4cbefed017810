"""Reversi's alpha-beta engine: it plays what the seed's minimax plays, on every size of board and within its limits."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.reversi.alphabeta_engine import AlphaBetaEngine
from bot.games.reversi.board import EVALUATIONS, MAX_SIZE, MIN_SIZE, PASS, cell
from bot.games.reversi.config import preset
from bot.games.reversi.plain import Position, start_position
from tests.bot.games.reversi.helpers import probes as reversi_probes
from tests.bot.games.reversi.helpers.counts import drawn_position, minimax, position_from_picture, slow_value
from tests.bot.games.reversi.helpers.probes import as_words, evaluate

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


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.sampled_from(SIZES), st.sampled_from(EVALUATIONS), st.integers(1, 4))
def test_alpha_beta_finds_what_minimax_finds(seed, size, evaluation, depth):
    position = drawn(seed, size)
    engines = [make_engine(name % evaluation, f"depth={depth}") for name in (MINIMAX, ALPHABETA)]
    slow, fast = (engine.think(position) for engine in engines)
    assert (fast.move, fast.pv, fast.value) == (slow.move, slow.pv, slow.value)
    assert engines[0].raw_value == engines[1].raw_value
    assert fast.iterations <= slow.iterations


@settings(max_examples=30)
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


def test_the_static_value_is_the_evaluation():
    for evaluation in EVALUATIONS:
        engine = make_engine(MINIMAX % evaluation)
        for seed, size in enumerate(SIZES):
            position = drawn(seed, size)
            assert engine.static_value(position) == slow_value(position.own, position.opponent, size, evaluation)


def test_the_last_finished_depth_decides():
    position = drawn(3, 8)
    whole = [make_engine(MINIMAX % "combined", f"depth={depth}").think(position) for depth in range(1, 5)]
    for limit in range(whole[0].iterations, whole[3].iterations, 400):
        engine = make_engine(MINIMAX % "combined")
        decision = engine.think(position, iterations=limit)
        done = [search for search in whole if search.iterations <= limit]
        assert (decision.depth, decision.pv) == (len(done), done[-1].pv)
        assert decision.iterations <= limit + 1 and engine.nodes_in_use() == decision.nodes == decision.iterations


def fast_value(position, evaluation):
    return evaluate(as_words(position), EVALUATIONS.index(evaluation))


@settings(max_examples=50)
@given(st.integers(4, 10), st.integers(0, 2**32), st.sampled_from(EVALUATIONS))
def test_the_value_is_the_slow_counts(size, seed, evaluation):
    position = drawn_position(random.Random(seed), size)
    assert fast_value(position, evaluation) == slow_value(position.own, position.opponent, size, evaluation)


@settings(max_examples=50)
@given(st.integers(4, 10), st.integers(0, 2**32))
def test_only_restricting_is_not_the_others_loss(size, seed):
    position = drawn_position(random.Random(seed), size)
    other_way = Position(size, position.opponent, position.own)
    for evaluation in EVALUATIONS:
        both = fast_value(position, evaluation) + fast_value(other_way, evaluation)
        assert (both == 0) == (evaluation != "restricting" or not position.legal_cells() | other_way.legal_cells())


def test_what_a_place_is_worth():
    """One in the middle; at an edge the size more, whichever edge; again the size where a first and a last one meet."""
    for size in (4, 7, 10):
        last = size - 1
        for row in range(size):
            for column in range(size):
                edges = (row == 0 or column == 0) + (row == last or column == last)
                assert fast_value(Position(size, cell(row, column), 0), "stable") == 1 + size * edges
        assert fast_value(Position(size, 0, cell(0, last)), "stable") == -1 - 2 * size
        assert fast_value(Position(size, cell(0, 0) | cell(last, last), 0), "stable") == 2 + 2 * size


def test_drawn_boards():
    """x is to move; the values are those of discs, stable, mobility, restricting, combined."""
    for picture, values in (
        (".... .xo. .ox. ....", (0, 0, 0, -4, 0)),
        ("..... ..x.. .xxx. ..o.. .....", (3, 3, 0, -3, 3)),
        ("xo.. .... .... ....", (0, 0, 1, 1, 1)),
        ("xxo. .... .... o...", (0, -4, 1, 1, -3)),
        ("ooo. oxo. ooo. ....", (-7, -27, 3, 3, -24)),
    ):
        position = position_from_picture(picture)
        assert tuple(fast_value(position, evaluation) for evaluation in EVALUATIONS) == values, picture
