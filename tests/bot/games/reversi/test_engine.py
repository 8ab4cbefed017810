"""The strong engine of reversi as the bot uses it: exact ends, whatever was searched before, and time kept."""

import functools
import random

import pytest

from bot.games.reversi import adapter
from bot.games.reversi.plain import Position, start_position
from bot.games.reversi.rules.board import PASS
from tests.bot.helpers.engine_trials import overrun_s

MEMORY_MB = 230
# Endgames of the FFO test suite (numbers 40 and 41; side to move, board row by row, score of the best move).
FFO = (
    ("X", "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------", 38),
    ("X", "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O-", 0),
)


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


def best_score(position, known):
    """Exact final disc difference for the side to move."""
    moves = position.legal_moves()
    if not moves:
        return position.disc_difference()
    if position.key() not in known:
        known[position.key()] = max(-best_score(position.play(move), known) for move in moves)
    return known[position.key()]


def position_of(mover, drawn):
    own = opponent = 0
    for index, mark in enumerate(drawn):
        bit = 1 << 16 * (index // 8) + index % 8
        own |= bit * (mark == mover)
        opponent |= bit * (mark not in (mover, "-"))
    return Position(8, own, opponent)


@pytest.mark.parametrize(
    "size, free_cells, count",
    [
        (8, 7, 10),
        pytest.param(8, 7, 40, marks=pytest.mark.slow),
        (8, 1, 10),
        (7, 7, 6),
        pytest.param(7, 7, 15, marks=pytest.mark.slow),
        (6, 7, 6),
        pytest.param(6, 7, 15, marks=pytest.mark.slow),
        (5, 7, 6),
        pytest.param(5, 8, 15, marks=pytest.mark.slow),
        (4, 8, 15),
    ],
)
def test_ends_are_exact_on_every_board(engine, size, free_cells, count):
    generator = random.Random(size)
    for _ in range(count):
        position = random_position(generator, free_cells, size)
        known = {}
        solution = engine.solve(position, exact=True)
        expected = best_score(position, known)
        assert solution.score == expected
        assert solution.outcome == ("win" if expected > 0 else "loss" if expected < 0 else "draw")
        assert -best_score(position.play(solution.move), known) == expected


@pytest.mark.parametrize("games", [15, pytest.param(60, marks=pytest.mark.slow)])
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


@pytest.mark.parametrize("mover, drawn, score", [FFO[0], pytest.param(*FFO[1], marks=pytest.mark.slow)])
def test_published_endgames(engine, mover, drawn, score):
    assert engine.solve(position_of(mover, drawn), exact=True).score == score


def test_the_outcome_alone_is_found_sooner(engine):
    position = position_of(*FFO[0][:2])
    outcome = engine.solve(position)
    assert outcome.outcome == "win"


def test_decisions_are_legal_and_repeat(reversi_kernels):
    generator = random.Random(3)
    for free_cells in (58, 45, 30, 18, 10, 3, 1):
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


@pytest.mark.parametrize("budget_s", (0.05, 0.3))
def test_time_is_used_and_kept(engine, budget_s):
    position = start_position(8).play(16 * 2 + 3)
    late = []
    for _ in range(3):
        decision, over_s = overrun_s(functools.partial(engine.think, position, budget_s=budget_s), budget_s)
        assert decision.elapsed_s > 0.8 * budget_s and decision.iterations > 0
        late.append(over_s)
    assert min(late) < 0.02


def test_without_time_a_legal_move_is_chosen(engine):
    for budget_s in (0.0, 1e-9):
        position = random_position(random.Random(2), 30)
        assert engine.think(position, budget_s=budget_s).move in position.legal_moves()


@pytest.mark.parametrize("size", (9, 10))
def test_larger_boards_are_the_alphabetas(engine, reversi_kernels, size):
    position = random_position(random.Random(size), 50, size)
    assert not engine.knows(position)
    engine = adapter.make_engine(reversi_kernels, adapter.preset("default"), MEMORY_MB, 1, position)
    assert engine.knows(position)
    decision = engine.think(position, iterations=20_000)
    assert decision.move in position.legal_moves() and decision.depth > 2


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
