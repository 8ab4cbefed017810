"""Native engines do what numba's kernels do: the same answers, and the same bytes in every search memory.

One engine more is built with numba's checks of array bounds: it shows that nothing reads or writes beside an array.
"""

import random
from functools import lru_cache

import pytest

from bot.backends import native
from bot.commands import bench
from bot.games.connect_four import adapter
from bot.games.connect_four import solver_engine as solver_layout
from bot.games.connect_four.alphabeta_engine import AlphaBetaEngine
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.plain import empty_position
from bot.games.connect_four.self_test import self_test
from bot.games.connect_four.solver_engine import SolverEngine
from bot.games.connect_four.uct_engine import UctEngine
from bot.search import alphabeta_engine as alphabeta_layout
from bot.search.uct import control as fields
from bot.search.uct.narrow_tree import layout
from tests.bot.games.connect_four.helpers.twin_searches import (
    MEMORY_MB,
    alphabeta_game,
    counted_steps,
    drawn_position,
    solver_questions,
    uct_drawn_game,
    uct_full_arena,
    uct_preset_game,
)
from tests.bot.helpers.native_builds import RUNNABLE

BEST = RUNNABLE[0]
CHECKED = "with bounds checks"
UCT_PRESETS = [name for name in adapter.PRESETS if adapter.preset(name).engine == "uct"]
ALPHABETA_PRESETS = [name for name in adapter.PRESETS if adapter.preset(name).engine == "alphabeta"]


def loaded(folder, name):
    return native.load(folder, self_test, name)


@pytest.fixture(scope="session")
def checked(engines, checked_engine):
    """The best engine of this CPU, compiled so that an index beyond an array's end raises an error."""
    assert checked_engine.name != engines.name
    return loaded(checked_engine, BEST)


OTHERS = [name for name in (*native.NAMES, CHECKED) if name != BEST]


@pytest.fixture(scope="session", params=[BEST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def engine_kernels(request):
    """Each engine that this CPU can run."""
    if request.param == CHECKED:
        return request.getfixturevalue("checked")
    if request.param not in RUNNABLE:
        pytest.skip(f"{request.param} is not for this CPU")
    return loaded(request.getfixturevalue("engines"), request.param)


@pytest.fixture(scope="session")
def by_numba(kernels):
    """by_numba(search, *arguments): what numba's kernels answer and leave; remembered."""
    return lru_cache(maxsize=None)(lambda search, *arguments: search(kernels, *arguments))


@pytest.fixture(scope="session")
def chosen(request):
    """chosen(few, many): so many seeds, more of them with --run-slow; of names, the few or all."""
    is_slow = request.config.getoption("--run-slow")

    def choose(few, many):
        found = many if is_slow else few
        return range(found) if isinstance(found, int) else found

    return choose


def test_the_tree_search_of_every_preset(engine_kernels, by_numba, chosen):
    for name in chosen(["default", "puct-basic"], UCT_PRESETS):
        for seed in chosen(2, 10):
            assert uct_preset_game(engine_kernels, name, seed) == by_numba(uct_preset_game, name, seed), (name, seed)


def test_the_tree_search_with_settings_drawn_at_random(engine_kernels, by_numba, chosen):
    for seed in chosen(8, 40):
        assert uct_drawn_game(engine_kernels, seed) == by_numba(uct_drawn_game, seed), seed


def test_a_tree_that_outgrows_its_memory(engine_kernels, by_numba):
    found = uct_full_arena(engine_kernels, 3)
    assert found == by_numba(uct_full_arena, 3)
    capacity = layout.plan_memory(6 << 20)[fields.NODE_CAPACITY]
    assert max(decision.nodes for decision in found[0][:3]) == capacity - 1


def test_alpha_beta(engine_kernels, by_numba, chosen):
    for name in chosen(ALPHABETA_PRESETS[:1], ALPHABETA_PRESETS):
        for seed in chosen(3, 20):
            assert alphabeta_game(engine_kernels, name, seed) == by_numba(alphabeta_game, name, seed), (name, seed)


def test_the_solver(engine_kernels, by_numba, chosen):
    for seed in chosen(8, 30):
        assert solver_questions(engine_kernels, seed) == by_numba(solver_questions, seed), seed


@pytest.mark.slow
def test_the_solver_is_asked_what_it_has_to_search_for(by_numba):
    """What the test before compares: endgames settled by search each way, and some that a limit leaves open."""
    solutions = [found[0] for seed in range(30) for found in by_numba(solver_questions, seed) if len(found) == 2]
    for outcome in ("win", "draw", "loss", None):
        assert sum(solution.outcome == outcome and solution.nodes > 100 for solution in solutions) >= 3, outcome


def test_the_calibration(engine_kernels, by_numba):
    assert counted_steps(engine_kernels, 1) == by_numba(counted_steps, 1)


def bench_signature(kernels):
    """What `bot bench` calls the search's signature."""
    solved = bench.solutions(adapter, kernels, DEFAULT, 300)
    return bench.signature(adapter, kernels, DEFAULT, 300, solved), [solution.nodes for solution in solved]


@pytest.mark.slow
def test_the_positions_of_bench(engine_kernels, by_numba):
    assert bench_signature(engine_kernels) == by_numba(bench_signature)


def uct_with_a_wild_child(kernels):
    """The tree's most visited edge leads to a node behind the arena's end."""
    engine = UctEngine(kernels, DEFAULT, MEMORY_MB, 1)
    engine.think(empty_position(9, 10), iterations=300)
    tree = engine._tree
    place = tree.root() * layout.NODE_WORDS + layout.CHILDREN + tree.best_move()
    tree._words[place] = engine._control[fields.NODE_CAPACITY]
    kernels.search(engine._address)


def uct_with_a_wild_root(kernels):
    engine = UctEngine(kernels, DEFAULT, MEMORY_MB, 1)
    engine.think(empty_position(9, 10), iterations=300)
    engine._control[fields.ROOT] = engine._control[fields.NODE_CAPACITY]
    kernels.search(engine._address)


def alphabeta_with_too_long_an_order(kernels):
    engine = AlphaBetaEngine(kernels, DEFAULT)
    engine._control[alphabeta_layout.ORDER_LENGTH] = alphabeta_layout.CONTROL_FIELDS
    engine._set_order = lambda columns: None
    engine.think(empty_position(9, 10), iterations=300)


def alphabeta_deeper_than_its_frames(kernels):
    engine = AlphaBetaEngine(kernels, DEFAULT)
    data = empty_position(12, 12).to_bytes()
    engine._memory.write(alphabeta_layout.POSITIONS_OFFSET, data)
    engine._set_order(range(12))
    control = engine._control
    control[alphabeta_layout.DEPTH] = alphabeta_layout.DEEPEST + 10
    control[alphabeta_layout.ALPHA], control[alphabeta_layout.BETA] = -1 << 40, 1 << 40
    control[alphabeta_layout.BUDGET_NS] = control[alphabeta_layout.MAX_NODES] = 1 << 62
    kernels.alphabeta(engine._memory.address)


def solver_with_a_table_of_no_power_of_two(kernels):
    """Its mask then leads behind the table's end."""
    solver = SolverEngine(kernels, table_mb=1)
    solver.ask(drawn_position(random.Random(1), 40, 50), 1, None)
    solver._control[solver_layout.TABLE_ENTRIES] = 3
    solver.go_on(1.0, 10_000)


@pytest.mark.slow
def test_an_index_beyond_an_array_is_an_error_where_it_is_checked(checked):
    for damaged_search in (
        uct_with_a_wild_child,
        uct_with_a_wild_root,
        alphabeta_with_too_long_an_order,
        alphabeta_deeper_than_its_frames,
        solver_with_a_table_of_no_power_of_two,
    ):
        with pytest.raises(native.NativeError, match=r"^(search|alphabeta|solve) ended with status \d+$"):
            damaged_search(checked)


@pytest.mark.slow
def test_an_error_leaves_the_engine_usable(checked, by_numba):
    with pytest.raises(native.NativeError):
        uct_with_a_wild_root(checked)
    assert uct_preset_game(checked, "default", 0) == by_numba(uct_preset_game, "default", 0)
