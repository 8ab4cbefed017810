"""The UCT engine of dots and boxes: what it proves is true, its turns are whole and legal, its tree lasts a game.

Searches are counted, not timed, where that is possible: their results are the same on every machine.
"""

import random
import threading
import time
import types
import zlib

import pytest

from bot.games.dots import solver_engine, uct_engine
from bot.games.dots.board import edges_of
from bot.games.dots.config import DEFAULT
from bot.games.dots.plain import Position, start_position
from bot.games.dots.uct_engine import UctEngine
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.uct import engine as tree_engine
from tests.bot.games.dots.helpers.counts import Exact
from tests.bot.games.dots.helpers.positions import drawn_position
from tests.bot.helpers.engine_trials import on_processor_time

MEMORY_MB = PROCESS_MB + 16
EXACT = Exact()
UCT = DEFAULT._replace(engine="uct")
SETTINGS = {
    "default": (),
    "no solver": ("solver=off",),
    "leaves solved late": ("leaf_edges=12", "leaf_visits=3", "sim_max=5"),
    "no double-cross": ("solver=off", "double_cross=off", "one_of_equals=off"),
    "single edges": ("solver=off", "merged=off"),
    "single edges, random": ("solver=off", "merged=off", "chains=off", "keep_tree=off"),
    "amaf": ("solver=off", "alpha=0.5", "selection=ucb1", "sim_min=3", "sim_max=4"),
    "single edges, amaf": ("solver=off", "merged=off", "chains=off", "alpha=0.8", "sim_min=2"),
    "margin": ("margin_share=0.3",),
}


_kernels = types.SimpleNamespace(module=None)


@pytest.fixture(scope="module", autouse=True)
def dots_kernels(kernels_of):
    """The compiled kernels, for every engine of these tests."""
    _kernels.module = kernels_of("dots")


@pytest.fixture(autouse=True)
def processor_time(monkeypatch):
    """Budgets that are as good on a busy machine."""
    on_processor_time(monkeypatch, uct_engine, tree_engine, solver_engine)


def engine(changes=(), seed=1, settings=UCT, memory_mb=MEMORY_MB):
    return UctEngine(_kernels.module, settings.with_values(changes), memory_mb, seed)


def sign(number):
    return (number > 0) - (number < 0)


def positions(count, seed=5, most_free=10):
    """Positions on small boards with few enough free edges to be known exactly, the margin drawn too."""
    generator = random.Random(seed)
    for _ in range(count):
        size = generator.choice([(2, 2), (2, 3), (3, 3), (1, 4)])
        position = drawn_position(generator, *size, generator.randint(2, most_free))
        yield Position(*size, position.edges, generator.choice([position.margin, 0, -1, 1, 2]))


@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("changes", SETTINGS.values(), ids=SETTINGS)
def test_the_result_is_proven_and_the_turn_reaches_it(changes, count):
    # With single edges every order of them is a line of its own.
    for position in positions(count, most_free=7 if "merged=off" in changes else 10):
        decision = engine(changes).think(position, iterations=40_000)
        expected = sign(EXACT.value(position))
        if "double_cross=off" not in changes:
            assert decision.proven == {1: "win", 0: "draw", -1: "loss"}[expected]
            assert decision.value == expected
            assert sign(EXACT.value_after(position, decision.move)) == expected
        assert decision.proven is not None and position.allows(decision.move)


def test_with_a_clock_the_solver_answers_and_a_lost_position_is_lost_by_the_least():
    for position in positions(8, seed=6):
        decision = engine().think(position, budget_s=30)
        best = EXACT.value(position)
        assert decision.proven == {1: "win", 0: "draw", -1: "loss"}[sign(best)]
        assert decision.proven_by == "solver"
        reached = EXACT.value_after(position, decision.move)
        assert reached == best if best < 0 else sign(reached) == sign(best)


def test_the_solver_checks_what_the_tree_thinks_best(monkeypatch):
    monkeypatch.setattr(solver_engine, "_FIRST_SHARE", 0.0)  # so that the position itself is never asked about
    found = set()
    for position in positions(6, seed=6, most_free=12):
        decision = engine(("proofs=off",)).think(position, budget_s=0.2)
        value = EXACT.value(position)
        assert sign(EXACT.value_after(position, decision.move)) == sign(value), (position.edges, decision)
        if decision.proven_by == "solver":
            assert decision.proven == {1: "win", 0: "draw", -1: "loss"}[sign(value)]
            found.add(decision.proven)
    assert {"win", "loss"} <= found
    counted = engine(("proofs=off",)).think(start_position(3, 3), budget_s=60.0, iterations=200)
    assert (counted.iterations, counted.proven_by) == (200, None)


# Of decisions by each of SETTINGS: anything that changes a search changes this.
DECISIONS = "c5b6bad0"


def test_the_line_is_legal_and_what_it_has_always_been():
    found, generator = [], random.Random(3)
    for changes in SETTINGS.values():
        for size in ((4, 4), (3, 5)):
            position = drawn_position(generator, *size, generator.randint(10, 30))
            decision = engine(changes).think(position, iterations=3000)
            found.append((f"{decision.value:.6f}", *decision._replace(value=None, elapsed_s=None)))
            assert decision.pv[0] == decision.move
            for turn in decision.pv:
                assert position.allows(turn) or turn == decision.pv[-1]  # the last one may be cut off in its middle
                if position.allows(turn):
                    position = position.play(turn)
    assert f"{zlib.crc32(repr(found).encode()):08x}" == DECISIONS


def test_a_turn_of_single_edges_goes_on_until_it_is_complete():
    # 1 x 4 boxes, all horizontal edges drawn and a vertical one: whoever moves may take four boxes in four edges.
    start = start_position(1, 4)
    position = Position(1, 4, 0b1111 | 0b1111 << 8 | 1 << 64, 0)
    decision = engine(("merged=off", "solver=off")).think(position, iterations=500)
    assert len(edges_of(decision.move)) == start.free_edges() - position.plies()
    assert position.play(decision.move).is_over() and decision.proven == "win"


def test_the_tree_is_kept_after_the_turns_it_expected():
    position = start_position(4, 4)
    for keep, changes in ((True, ()), (False, ("keep_tree=off",))):
        player = engine(("solver=off", "sim_max=2", *changes))
        first = player.think(position, iterations=4000)
        player.think(position.play(first.pv[0]).play(first.pv[1]), iterations=1)
        assert (player.nodes_in_use() > 200) == keep


def test_the_tree_of_another_board_is_forgotten():
    player = engine(("solver=off",))
    player.think(start_position(4, 4), iterations=2000)
    player.think(start_position(3, 4), iterations=1)
    assert player.nodes_in_use() < 40
    assert start_position(5, 4).allows(player.think(start_position(5, 4), iterations=10).move)


def test_a_full_memory_still_plays():
    player, position = engine(("solver=off",), memory_mb=PROCESS_MB + SMALLEST_SEARCH_MB), start_position(6, 6)
    for _ in range(3):
        decision = player.think(position, iterations=30_000)
        position = position.play(decision.move)
    assert player.search_bytes() <= SMALLEST_SEARCH_MB << 20


@pytest.mark.parametrize("changes", [(), ("merged=off", "solver=off", "chains=off")])
def test_another_thread_may_ask_for_the_best_turn_so_far(changes):
    player = engine(changes)
    # Two boxes can be taken at once; with single edges the turn is thought over edge by edge.
    position = start_position(5, 5)
    for edge in (0, 8, 64, 1, 9):
        position, _ = position.draw(edge)
    assert player.best_so_far() is None
    decisions, answers = [], set()
    for budget_s in (0.3, 1.0, 3.0, 10.0):  # a busy machine may not run the one that asks in a short turn
        thinking = threading.Thread(target=lambda s=budget_s: decisions.append(player.think(position, budget_s=s)))
        thinking.start()
        while thinking.is_alive():
            answers.add(player.best_so_far())
            time.sleep(0.002)
        if answers - {None}:
            break
    assert len(answers - {None}) >= 1
    assert all(position.allows(turn) for turn in answers - {None})
    assert position.allows(decisions[-1].move)
    assert player.best_so_far() is None


def test_a_settled_turn_is_not_looked_at_again():
    player, position = engine(("solver=off",)), start_position(2, 3)
    first = player.think(position, iterations=50)
    player.prove_move(first.move, -1000)
    assert first.proven is None
    again = player.think(position, iterations=50)
    assert again.move != first.move
