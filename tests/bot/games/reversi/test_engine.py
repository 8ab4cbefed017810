"""The strong engine of reversi as the bot uses it: exact ends, whatever was searched before, and time kept."""

import random

import pytest

from bot.games.reversi import adapter
from bot.games.reversi.board import PASS
from bot.games.reversi.plain import start_position

MEMORY_MB = 230


@pytest.fixture(scope="module")
def reversi_kernels(kernels_of):
    return kernels_of(adapter.GAME)


@pytest.fixture
def engine(reversi_kernels):
    return adapter.make_engine(reversi_kernels, adapter.preset("default"), MEMORY_MB, 1)


def random_position(generator, free_cells, size=8):
    """A position with a move and so many free cells, from random play."""
    while True:
        position = start_position(size)
        while position.free_cells() > free_cells and not position.is_over():
            position = position.play(generator.choice(position.legal_moves()))
        if position.legal_cells():
            return position


@pytest.mark.parametrize("games", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_what_the_midgame_left_in_the_table_does_not_pass_for_exact(reversi_kernels, games):
    """The same ends by an engine that has played towards them and by one that knows nothing."""
    generator = random.Random(5)
    playing, fresh = (adapter.make_engine(reversi_kernels, adapter.preset("default"), MEMORY_MB, 1) for _ in range(2))
    for game in range(games):
        position = random_position(generator, 17)
        while position.free_cells() > 13 and not position.is_over():
            position = position.play(playing.think(position, iterations=50_000).move)
        if position.legal_cells():
            assert playing.solve(position, exact=True).score == fresh.solve(position, exact=True).score, game


def test_decisions_are_legal_and_repeat(reversi_kernels):
    generator = random.Random(3)
    for free_cells in (58, 30, 10, 1):
        for size in (8, 6):
            position = random_position(generator, min(free_cells, size * size - 6), size)
            decisions = []
            for _ in range(2):
                engine = adapter.make_engine(reversi_kernels, adapter.preset("default"), MEMORY_MB, 1)
                decisions.append(engine.think(position, iterations=20_000)._replace(elapsed_s=0))
            assert decisions[0] == decisions[1]
            assert decisions[0].move in position.legal_moves() and -1 <= decisions[0].value <= 1


def test_a_pass_is_answered_at_once(engine):
    generator = random.Random(1)
    while True:
        position = random_position(generator, generator.randrange(4, 40))
        for move in position.legal_moves():
            after = position.play(move)
            if after.must_pass():
                assert engine.think(after, budget_s=5).move == PASS
                return


@pytest.mark.parametrize("size", (9, pytest.param(10, marks=pytest.mark.slow)))
def test_larger_boards_are_the_alphabetas(engine, reversi_kernels, size):
    position = random_position(random.Random(size), 50, size)
    assert not engine.knows(position)
    engine = adapter.make_engine(reversi_kernels, adapter.preset("default"), MEMORY_MB, 1, position)
    assert engine.knows(position)
    decision = engine.think(position, iterations=20_000)
    assert decision.move in position.legal_moves() and decision.depth > 2


@pytest.mark.slow
def test_the_strong_engine_beats_the_plain_rules_of_thumb(reversi_kernels):
    """Twelve games against the seed's best evaluation four plies deep, with a thousand nodes a move."""
    generator, won = random.Random(8), 0
    strong = adapter.make_engine(reversi_kernels, adapter.preset("default"), MEMORY_MB, 1)
    weak = adapter.make_engine(
        reversi_kernels, adapter.preset("alphabeta-combined").with_values(["depth=4"]), MEMORY_MB, 1
    )
    for game in range(12):
        position, side = random_position(generator, 52), 1
        strong_side = 1 if game % 2 else -1
        while not position.is_over():
            decision = strong.think(position, iterations=1000) if side == strong_side else weak.think(position)
            position, side = position.play(decision.move), -side
        won += position.disc_difference() * side * strong_side > 0
    assert won >= 10
