"""The 8x8 search and its engine: the value of plain minimax, honest limits, the same in pieces, every size up to 8."""

import functools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.reversi.board import PASS
from bot.games.reversi.config import DEFAULT
from bot.games.reversi.plain import Position, start_position
from bot.games.reversi.pvs_engine import EXACT, ReversiEngine
from bot.games.reversi.weights import UNIQUE_WEIGHTS, pack_weights
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from tests.bot.games.reversi.helpers import pvs_probes
from tests.bot.games.reversi.helpers import slow_rules as slow_reversi
from tests.bot.games.reversi.helpers.counts import position_from_picture
from tests.bot.games.reversi.helpers.pvs_probes import words
from tests.bot.helpers.engine_trials import overrun_s

# x, to move, has no move and o has one.
PASSED = position_from_picture("oxx. o... .... ....")


@pytest.fixture(scope="module")
def random_weights():
    """Weights with which every position is worth something else."""
    generator = np.random.default_rng(9)
    return pack_weights((4, 64), generator.normal(0, 30, (2, UNIQUE_WEIGHTS)).astype(int), 16)


@pytest.fixture(scope="module", params=["untrained", "trained"])
def memory(request, random_weights):
    return pvs_probes.Memory(weights=random_weights if request.param == "trained" else None)


def make_engine(*changes, weights=b"", megabytes=SMALLEST_SEARCH_MB):
    return ReversiEngine(pvs_probes, DEFAULT.with_values(changes), PROCESS_MB + megabytes, seed=1, weights=weights)


def drawn(seed, size, empty):
    """A position of a random game on a board of that size with so many free cells, or the first fewer of them."""
    generator = random.Random(seed)
    while True:
        position = start_position(size)
        while position.free_cells() > empty and position.legal_moves():
            position = position.play(generator.choice(position.legal_moves()))
        if position.legal_cells():
            return position


def slow_score(position):
    """The score by trying everything."""
    if position.is_over():
        return position.disc_difference()
    return max(-slow_score(position.play(move)) for move in position.legal_moves())


def answer(memory, own, opponent, depth, alpha=-64, beta=64, pieces=None):
    """(score, nodes) of a whole search."""
    memory.ask(own, opponent, depth, EXACT, alpha, beta)
    score, nodes = None, 0
    while score is None:
        score, visited = memory.go_on(1.0, 1 << 62 if pieces is None else pieces())
        nodes += visited
    return score, nodes


@settings(max_examples=12)
@given(st.integers(0, 2**32), st.integers(1, 3), st.data())
def test_a_search_finds_the_value_of_minimax(memory, seed, depth, data):
    """Without probes the table, the windows and the order of moves change nothing."""
    own, opponent = slow_reversi.drawn_position(random.Random(seed), data.draw(st.sampled_from([6, 9, 14, 50, 58])))

    def judge(own, opponent):
        return pvs_probes.search_leaf(memory.address, *words(own, opponent), -64, 64, 0)

    expected = slow_reversi.best_score(own, opponent, depth, judge)
    memory.forget()
    assert answer(memory, own, opponent, depth)[0] == expected
    square = memory.best_square()
    assert square in slow_reversi.legal_squares(own, opponent)
    assert -slow_reversi.best_score(*slow_reversi.play(own, opponent, square), depth - 1, judge) == expected
    alpha = data.draw(st.integers(-64, 63))
    beta = data.draw(st.integers(alpha + 1, 64))
    found, _ = answer(memory, own, opponent, depth, alpha, beta)
    assert found == expected if alpha < expected < beta else found <= alpha if expected <= alpha else found >= beta


@pytest.mark.parametrize("depth", [5, *[pytest.param(depth, marks=pytest.mark.slow) for depth in (6, 7)]])
def test_deeper_searches_agree_with_their_own_leaves(memory, depth):
    """A search of a position is the best of the searches of what its moves lead to, each in a fresh table."""
    generator = random.Random(depth)
    for _ in range(3):
        own, opponent = slow_reversi.drawn_position(generator, generator.randrange(15, 40))
        replies = []
        for square in slow_reversi.legal_squares(own, opponent):
            memory.forget()
            own_next, opponent_next = slow_reversi.play(own, opponent, square)
            if slow_reversi.legal_squares(own_next, opponent_next):
                replies.append(-answer(memory, own_next, opponent_next, depth - 1)[0])
            else:
                replies.append(answer(memory, opponent_next, own_next, depth - 1)[0])
        memory.forget()
        assert answer(memory, own, opponent, depth)[0] == max(replies)


def test_work_in_pieces_is_the_same_work(memory):
    own, opponent = slow_reversi.drawn_position(random.Random(1), 30)
    memory.forget()
    whole = answer(memory, own, opponent, 9)
    memory.forget()
    generator = random.Random(4)
    assert answer(memory, own, opponent, 9, pieces=lambda: generator.randint(1, 2000)) == whole


def cases_to_try_out():
    """(size of the board, free cells, positions): some that are quick to try out, and more and longer ones."""
    yield from ((4, 9, 2), (5, 6, 2), (6, 6, 2), (7, 6, 2), (8, 6, 2))
    for case in ((4, 11, 12), (5, 9, 12), (6, 9, 12), (7, 8, 12), (8, 8, 12)):
        yield pytest.param(*case, marks=pytest.mark.slow)


@pytest.mark.parametrize(("size", "empty", "count"), list(cases_to_try_out()))
def test_the_score_is_that_of_trying_everything_on_every_size(size, empty, count):
    engine = make_engine()
    for seed in range(count):
        position = drawn(seed, size, empty)
        expected = slow_score(position)
        found, quick = engine.solve(position, exact=True), engine.solve(position)
        assert (found.score, found.outcome) == (expected, ("draw", "win", "loss")[(expected > 0) - (expected < 0)])
        assert quick.outcome == found.outcome and found.plies is None
        assert -slow_score(position.play(found.move)) == expected
        decision = engine.think(position)
        assert (decision.value, decision.proven, decision.proven_by) == (expected / 64, found.outcome, "solver")
        assert -slow_score(position.play(decision.move)) == expected


def test_a_line_can_be_played(random_weights):
    engine = make_engine(weights=random_weights)
    for seed in range(2):
        position = drawn(seed, 8, 40)
        decision = engine.think(position, iterations=200_000)
        assert decision.pv[0] == decision.move and 2 < len(decision.pv) <= decision.depth
        for move in decision.pv:
            if position.must_pass():
                position = position.play(PASS)
            position = position.play(move)


@pytest.mark.parametrize("size", [5, 8, *[pytest.param(size, marks=pytest.mark.slow) for size in (4, 6, 7)]])
def test_a_whole_game_is_legal_and_the_same_again(size):
    def game():
        engine, position, seen = make_engine(), start_position(size), []
        while not position.is_over():
            decision = engine.think(position, iterations=3000)
            seen.append(decision._replace(elapsed_s=0))
            position = position.play(decision.move)
        assert engine.nodes_in_use() > 0 and engine.search_bytes() > 16 * engine.nodes_in_use()
        return seen

    assert game() == game()


def test_what_is_known_of_one_size_is_not_believed_of_another():
    engine = make_engine()
    small = start_position(4)
    same_discs = Position(6, small.own, small.opponent)
    assert engine.solve(small, exact=True).score == -10
    engine.solve(same_discs, nodes=1000)
    assert engine.solve(small, exact=True).score == -10


def test_a_pass_is_answered_at_once():
    decision = make_engine().think(PASSED)
    assert (decision.move, decision.pv, decision.depth, decision.iterations) == (PASS, [PASS], 0, 0)


def test_without_a_choice_a_look_is_enough():
    position = next(
        position for position in (drawn(seed, 8, 24) for seed in range(10**6)) if len(position.legal_moves()) == 1
    )
    decision = make_engine().think(position, budget_s=100.0)
    assert decision.move == position.legal_moves()[0] and decision.elapsed_s < 50.0


def test_limits_hold_and_leave_the_outcome_open():
    engine, position = make_engine(), start_position(8)
    for nodes in (1, 500, 20_000):
        solution = engine.solve(position, nodes=nodes)
        assert (solution.outcome, solution.move, solution.score) == (None, None, None)
        assert solution.nodes < nodes + 20_000
    solution, over_s = overrun_s(lambda: engine.solve(position, budget_s=0.1), 0.1)
    assert solution.elapsed_s >= 0.09 and over_s < 0.2


@pytest.mark.parametrize("empty", [26, *[pytest.param(empty, marks=pytest.mark.slow) for empty in (54, 20)]])
def test_a_deadline_holds(random_weights, empty):
    """In the middle game and where ends are in sight."""
    overrun = []
    for seed in range(3):
        engine, position = make_engine(weights=random_weights), drawn(seed, 8, empty)
        decision, over_s = overrun_s(functools.partial(engine.think, position, budget_s=0.05), 0.05)
        overrun.append(over_s)
        assert decision.elapsed_s >= 0.045 or decision.proven or len(position.legal_moves()) == 1
    assert min(overrun) < 0.05


def test_a_side_without_discs_has_lost_every_square():
    position = position_from_picture("........ ........ ........ ..xo.... ........ ........ ........ ........")
    assert make_engine().solve(position, exact=True).score == 64
    won = position.play(position.legal_moves()[0])
    assert won.is_over() and won.disc_difference() == -64


def test_memory_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match="at least"):
        ReversiEngine(pvs_probes, DEFAULT, 20, seed=1)
