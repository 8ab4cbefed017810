"""The UCT engine: its tree and memory last a whole game; seed, iterations and the clock decide what it does.

Searches are counted, not timed, but for those that are about the clock.
"""

import random

import pytest

from bot.games.connect_four.plain import empty_position
from bot.games.connect_four.settings import DEFAULT
from bot.games.connect_four.uct.engine import UctEngine
from bot.search.process_memory import PROCESS_MB, SMALLEST_SEARCH_MB, check_memory
from tests.bot.helpers.engine_trials import overrun_s

MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB
ENOUGH = 20_000


@pytest.fixture
def make_engine(kernels):
    """Engines with these settings and this seed, in the smallest memory."""

    def make(*changes, seed=1):
        return UctEngine(kernels, DEFAULT.with_values(changes), MEMORY_MB, seed)

    return make


def test_the_tree_is_kept_from_turn_to_turn(make_engine):
    position = empty_position(9, 9, (4, 4))
    kept, fresh = make_engine(), make_engine("keep_tree=off")
    decision = kept.think(position, iterations=ENOUGH)
    assert fresh.think(position, iterations=ENOUGH).move == decision.move
    assert len(decision.pv) > 4
    nodes_before = kept.nodes_in_use()
    later = position.play(decision.pv[0]).play(decision.pv[1])
    known = kept.think(later, iterations=0)
    assert known.pv == decision.pv[2:]
    assert 1 < known.nodes < nodes_before
    assert known.nodes == kept.nodes_in_use()
    assert len(fresh.think(later, iterations=0).pv) == 1
    # Another board's tree is of no use, whatever its stones.
    assert kept.think(empty_position(9, 9, (4, 5)), iterations=0).nodes == 1


def test_another_board_does_not_inherit_the_same_stones(make_engine):
    engine = make_engine()
    assert engine.think(empty_position(9, 9, (4, 4)), iterations=ENOUGH).nodes > 1
    assert engine.think(empty_position(9, 9, (4, 5)), iterations=0).nodes == 1


def test_a_tree_without_shared_subtrees_is_kept_too(make_engine):
    engine = make_engine("share=off")
    position = empty_position(9, 9, (4, 4))
    decision = engine.think(position, iterations=ENOUGH)
    nodes_before = engine.nodes_in_use()
    later = position.play(decision.pv[0]).play(decision.pv[1])
    known = engine.think(later, iterations=0)
    assert known.pv == decision.pv[2:]
    assert 1 < known.nodes < nodes_before


def test_a_search_that_starts_too_late_still_looks(make_engine):
    engine = make_engine()
    decision, over_s = overrun_s(lambda: engine.think(empty_position(12, 12), budget_s=0.0), 0.0)
    assert decision.iterations >= 64
    assert over_s < 0.1


def test_a_full_arena_does_not_stop_the_search(make_engine):
    engine = make_engine()
    position = empty_position(12, 12, (3, 3))
    decision = engine.think(position, iterations=300_000)
    assert (decision.iterations, decision.proven) == (300_000, None)
    full = decision.nodes
    assert engine.think(position, iterations=50_000).iterations == 50_000
    later = position.play(decision.pv[0]).play(decision.pv[1])
    reclaimed = engine.think(later, iterations=0).nodes
    assert reclaimed < 0.7 * full
    decision = engine.think(later, iterations=300_000)
    assert decision.iterations == 300_000
    assert reclaimed < decision.nodes <= full
    assert engine.search_bytes() <= SMALLEST_SEARCH_MB << 20


def test_too_little_memory_is_refused(kernels):
    with pytest.raises(ValueError, match=f"at least {MEMORY_MB} MB, got 100"):
        check_memory(100)
    with pytest.raises(ValueError, match="at least"):
        UctEngine(kernels, DEFAULT, MEMORY_MB - 1, 1)


def test_seed_and_iterations_decide_everything(make_engine):
    def game(seed):
        engine = make_engine(seed=seed)
        generator = random.Random(2)
        position, decisions = empty_position(10, 9, (9, 0)), []
        for _ in range(4):
            decisions.append(engine.think(position, iterations=3000)._replace(elapsed_s=0))
            position = position.play(decisions[-1].move)
            position = position.play(generator.choice(position.legal_moves()))
        return decisions

    assert game(5) == game(5)
    assert game(5) != game(6)


def test_the_clock_ends_a_search(make_engine):
    engine = make_engine()
    decision, over_s = overrun_s(lambda: engine.think(empty_position(12, 12), budget_s=0.2), 0.2)
    assert decision.elapsed_s > 0.19 and over_s < 0.1
    assert decision.iterations > 100
