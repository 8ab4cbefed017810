"""What every game's adapter, searches and sessions do, whatever the game.

What differs is in tests/bot/games/NAME/examples.py, and what fixed searches come to, by which any change of a search is
seen: a change that is meant is written down there (a failure says what was found), any other one is a mistake.
"""

import argparse
import ast
import collections
import functools
import inspect
import itertools
import random
import zlib

import pytest

from bot.backends import native, native_build
from bot.backends.sources import entry_points
from bot.games import adapter_of, part_of
from bot.search.engine import RandomEngine
from protocol.preset_names import RENAMED
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.engine_trials import asked_while_it_thinks, overrun_s
from tests.bot.helpers.loaded_kernels import jit_kernels
from tests.contracts.games import GAMES, examples
from tests.places import REPOSITORY

LOOKS = 300  # at the clock, in a turn of the plain search
ITERATIONS, MORE_ITERATIONS = 20_000, 5_000
NODES = 100_000
BUDGET_S = 0.05
LATE_S = 0.05

examples_of = functools.partial(examples, "tests.bot.games")
ADAPTERS = {game: adapter_of(game) for game in GAMES}
every_game = pytest.mark.parametrize("game", GAMES)
every_engine = pytest.mark.parametrize(
    "game, engine", [(game, engine) for game in GAMES for engine in ADAPTERS[game].ENGINES if engine != "random"]
)
every_wire = pytest.mark.parametrize(
    "game, wire", [(game, wire) for game in GAMES for wire in ADAPTERS[game].WIRES if wire != "auto"]
)


@pytest.fixture(autouse=True)
def compiled(game):
    """The game's kernels are compiled here if they are not yet: no test's time limit counts that of its fixtures."""
    jit_kernels(game)


@pytest.fixture
def native_kernels(game):
    """Those of this processor's best native engine, built if it is not yet."""
    reason = native_build.why_impossible()
    if reason is not None:
        pytest.skip(reason)
    folder = native_build.build(native.runnable()[:1], game)
    return native.load(folder, part_of(game, "self_test").self_test)


def make_engine(game, settings, position=None, kernels=None):
    adapter = ADAPTERS[game]
    return adapter.make_engine(kernels or jit_kernels(game), settings, adapter.DEFAULT_MEMORY_MB, 1, position)


def settings_of(game, engine, *changes):
    """The default settings with another engine."""
    return ADAPTERS[game].preset("default").with_values([f"engine={engine}", *changes])


def endless(game, engine, *changes):
    """(engine, position) of a search that only a limit ends."""
    own, position = examples_of(game).ENDLESS[engine]
    return make_engine(game, settings_of(game, engine, *own, *changes), position), position


def digest(found):
    """Eight digits that stand for a value."""
    return f"{zlib.crc32(repr(found).encode()):08x}"


def told(decision):
    """A decision without its time, its value as it is told."""
    return (f"{decision.value:.6f}", *decision._replace(value=None, elapsed_s=None))


# The adapter


@every_game
def test_the_adapter_has_every_name_that_the_shell_and_the_commands_ask_for(game):
    tree = ast.parse((REPOSITORY / "bot" / "games" / "interface.py").read_text("utf-8"))
    (adapter,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Adapter"]
    asked = {node.name for node in adapter.body if isinstance(node, ast.FunctionDef)}
    assert {"GAME", "make_engine", "Dialogue", "bench_positions"} <= asked <= set(vars(ADAPTERS[game]))
    assert game == ADAPTERS[game].GAME


@every_game
def test_the_entry_points_are_what_the_kernels_define(game):
    kernels = jit_kernels(game)
    found = {
        name: len(inspect.signature(function.py_func).parameters)
        for name, function in vars(kernels).items()
        if hasattr(function, "py_func") and function.py_func.__module__ == kernels.__name__
    }
    assert found == entry_points(game)


@every_game
def test_the_benchs_positions_are_played_on(game):
    adapter = ADAPTERS[game]
    for position in [*adapter.bench_positions(), *adapter.solver_bench_positions()]:
        move = adapter.safe_move(position)
        assert position.allows(move) and move in position.legal_moves()
        assert not position.allows(-7)


# Settings and presets


@every_game
def test_settings_are_read_and_what_is_wrong_with_them_is_named(game):
    adapter, default = ADAPTERS[game], ADAPTERS[game].preset("default")
    for text, words in {**examples_of(game).WRONG_SETTINGS, "depth": "setting 'depth': expected KEY=VALUE"}.items():
        with pytest.raises(adapter.SettingsError) as refused:
            default.with_values([text])
        assert words in str(refused.value), text
    with pytest.raises(adapter.SettingsError, match=examples_of(game).UNKNOWN_PRESET):
        adapter.preset("fastest")
    assert all(adapter.preset(old) == adapter.preset(new) for old, new in RENAMED[game].items())


@every_game
def test_every_field_takes_what_its_table_allows_and_no_more(game):
    module = part_of(game, "config")
    for field in module.FIELDS:
        if isinstance(field.default, str) or field.allowed is None:
            continue
        lowest, highest = field.allowed
        for value in (lowest, highest):
            changed = module.DEFAULT.with_values([f"{field.name}={value}"])
            assert getattr(changed, field.name) == value and type(getattr(changed, field.name)) is type(field.default)
            assert changed._replace(**{field.name: field.default}) == module.DEFAULT
        for value in (lowest - 1, highest + 1, "nan", "inf", ""):
            with pytest.raises(module.SettingsError, match=f"from {lowest} to {highest}, got"):
                module.DEFAULT.with_values([f"{field.name}={value}"])
    table = [(field.name, field.default, field.allowed) for field in module.FIELDS]
    assert digest(table) == examples_of(game).SETTINGS_TABLE


@every_game
def test_presets_stay_what_they_are(game):
    adapter, found = ADAPTERS[game], {}
    assert adapter.preset("default") == part_of(game, "config").DEFAULT
    assert adapter.preset("default").engine == adapter.ENGINES[0]
    for name, settings in adapter.PRESETS.items():
        assert adapter.preset(name) == settings
        values = [f"{field}={value}" for field, value in settings._asdict().items()]
        assert adapter.preset("default").with_values(values) == settings
        found[name] = digest(values)
    assert found == {name: values for name, (values, _) in examples_of(game).PRESETS.items()}


# Searches


def searched(game, name, kernels=None):
    """What a preset's engine makes of the bench's positions and of those that it expects after them."""
    found = []
    for position in ADAPTERS[game].bench_positions():
        engine = make_engine(game, ADAPTERS[game].preset(name), position, kernels=kernels)
        decision = engine.think(position, iterations=ITERATIONS)
        assert decision.pv[0] == decision.move and position.allows(decision.move) and -1 <= decision.value <= 1
        later = position.play(decision.move)
        found.append(told(decision))
        if not examples_of(game).is_over(later):
            found.append(told(engine.think(later, iterations=MORE_ITERATIONS)))
    return found


@every_game
def test_presets_play_what_they_have_always_played(game):
    found = {name: digest(searched(game, name)) for name in ADAPTERS[game].PRESETS}
    assert found == {name: played for name, (_, played) in examples_of(game).PRESETS.items()}


@every_game
def test_the_native_engine_plays_the_same(game, native_kernels):
    """tests/bot/backends has every other one."""
    assert digest(searched(game, "default", native_kernels)) == examples_of(game).PRESETS["default"][1]


@every_engine
def test_of_every_move_an_engine_tells_what_it_has_always_told(game, engine):
    found = []
    for position in ADAPTERS[game].bench_positions():
        searching = make_engine(game, settings_of(game, engine), position)
        decision = searching.think(position, iterations=MORE_ITERATIONS)
        values = searching.move_values(position, decision, iterations=MORE_ITERATIONS)
        found.append([(f"{known.value}"[:8], *known._replace(value=None)) for known in values])
        static = searching.static_values(position)
        found.append(static and (f"{static[0]:.5f}", [(move, f"{value:.5f}") for move, value in static[1].items()]))
        found.append((searching.nodes_in_use(), searching.search_bytes()))
    assert digest(found) == examples_of(game).OPINIONS[engine]


@every_game
def test_the_solver_settles_what_it_has_always_settled_in_so_many_nodes(game):
    adapter, found = ADAPTERS[game], []
    engine = make_engine(game, adapter.preset("default"))
    for position in adapter.solver_bench_positions():
        for exact in (False, True):
            found.append(engine.solve(position, nodes=NODES, exact=exact)._replace(elapsed_s=None))
    assert digest(found) == examples_of(game).SOLUTIONS


@every_game
def test_the_self_test_finds_what_it_has_always_found(game):
    assert part_of(game, "self_test").self_test(jit_kernels(game)) == examples_of(game).SELF_TEST


@every_game
def test_the_self_test_runs_every_entry_point(game):
    called = set()

    class Watched:
        def __getattr__(self, name):
            called.add(name)
            return getattr(jit_kernels(game), name)

    part_of(game, "self_test").self_test(Watched())
    assert set(entry_points(game)) <= called


@every_game
def test_rollouts_are_timed_and_play_to_the_end(game):
    position = ADAPTERS[game].bench_positions()[0]
    seconds, plies = make_engine(game, ADAPTERS[game].preset("default")).time_rollouts(position, 10)
    least, most = examples_of(game).ROLLOUT_PLIES
    assert least <= plies <= most and (seconds > 0) == (most > 0)


@every_engine
def test_time_is_used_and_kept(game, engine):
    for changes, budget_s in (((), BUDGET_S), ((f"move_seconds={BUDGET_S}",), 100.0), (("move_seconds=5",), BUDGET_S)):
        late = []
        for _ in range(3):
            searching, position = endless(game, engine, *changes)
            decision, over_s = overrun_s(functools.partial(searching.think, position, budget_s=budget_s), BUDGET_S)
            late.append(over_s)
            assert decision.elapsed_s >= 0.9 * BUDGET_S and decision.iterations > 0
            assert position.allows(decision.move) and decision.proven is None
            if over_s < LATE_S:
                break
        assert min(late) < LATE_S, changes


@every_engine
def test_a_counted_search_looks_at_no_clock(game, engine):
    searching, position = endless(game, engine, "move_seconds=0.0001")
    assert searching.think(position, iterations=3000).iterations >= 2000


@every_engine
def test_without_time_some_move_is_played(game, engine):
    position = examples_of(game).NO_TIME
    for limits in ({"budget_s": 0.0}, {"budget_s": -1.0}, {"iterations": 1}, {"iterations": 0}):
        searching = make_engine(game, settings_of(game, engine), position)
        decision = searching.think(position, **limits)
        assert position.allows(decision.move), limits
        if engine != "uct" and limits != {"iterations": 1}:
            found = (decision.move, decision.value, decision.depth, decision.proven)
            assert found == (ADAPTERS[game].safe_move(position), 0, 0, None), limits


@every_engine
def test_another_thread_may_ask_for_the_best_move_so_far(game, engine):
    searching, position = endless(game, engine)
    assert searching.best_so_far() is None
    assert position.allows(asked_while_it_thinks(searching, position))
    assert searching.best_so_far() is None and searching.nodes_in_use() > 0
    assert searching.search_bytes() > 0 or engine == "alphabeta"


@every_game
def test_chance_takes_every_move_as_often_and_a_seed_repeats_it(game):
    position = examples_of(game).START
    moves, engine = position.legal_moves(), RandomEngine(seed=1)
    decisions = [engine.think(position) for _ in range(100 * len(moves))]
    taken = collections.Counter(decision.move for decision in decisions)
    assert sorted(taken) == sorted(moves) and min(taken.values()) > 60
    again = RandomEngine(seed=1)
    assert [again.think(position, budget_s=1.0, iterations=9) for _ in decisions] == decisions
    assert (engine.best_so_far(), engine.nodes_in_use()) == (None, 0)
    assert all(decision.pv == [decision.move] and decision.proven is None for decision in decisions)


# The plain search


def plain_decision(game, position, looks=LOOKS):
    return ADAPTERS[game].PlainSearch(1).think(position, looks, itertools.count().__next__)


@every_game
def test_the_plain_search_plays_what_it_has_always_played(game):
    found = []
    for position in [*ADAPTERS[game].bench_positions(), *ADAPTERS[game].solver_bench_positions()]:
        decision = plain_decision(game, position)
        assert position.allows(decision.move) and -1 <= decision.value <= 1
        found.append(told(decision))
    assert digest(found) == examples_of(game).PLAIN_SEARCH


@every_game
def test_the_plain_search_plays_whole_games_better_than_chance(game):
    generator, games, won = random.Random(4), 6, 0
    for number in range(games):
        position, by_chance = examples_of(game).START, bool(number % 2)
        while not examples_of(game).is_over(position):
            move = generator.choice(position.legal_moves()) if by_chance else plain_decision(game, position, 60).move
            position, by_chance = position.play(move), not by_chance
        won += examples_of(game).result(position) * (-1 if by_chance else 1) > 0
    assert won >= games - 1


# Sessions, from bytes to bytes


def only_reply(game, wire, data):
    """The one reply in what a bot has said."""
    decoder = examples_of(game).decoder(wire)
    decoder.feed(data)
    reply = decoder.next_reply()
    assert reply is not None and decoder.next_reply() is None and not decoder.partial
    return reply


@every_wire
def test_a_turn_is_answered_by_one_legal_reply_and_the_end_of_input_is_the_end(game, wire):
    """On wires whose turns stand for themselves a few turns, a fresh session each."""
    for side in (0, 1):
        judged = examples_of(game).game(wire, side)
        for _ in range(3 if wire in examples_of(game).STATELESS_WIRES else 1):
            done = run_bot_here(examples_of(game).first_bytes(judged), game, wire)
            assert (done.returncode, done.stderr) == (0, b"dropfour: engine python (asked for)\n")
            judged.take(only_reply(game, wire, done.stdout))


@every_game
def test_malformed_input_is_named_and_answered_by_nothing(game):
    for wire, data, words in examples_of(game).MALFORMED:
        done = run_bot_here(data, game, wire)
        assert (done.returncode, done.stdout) == (2, ADAPTERS[game].Dialogue(wire).greeting()), data
        (line,) = done.stderr.decode().splitlines()
        assert line.startswith("dropfour: malformed input: ") and words in line and len(line) < 500


@every_game
def test_an_impossible_turn_is_named_and_answered_where_there_is_a_move(game):
    wire = "saiblo" if game == "connect_four" else "auto"
    for data, words, answered in examples_of(game).IMPOSSIBLE:
        done = run_bot_here(data, game, wire)
        assert done.returncode == 0 and (done.stdout != b"") == answered, data
        assert "turn 1 is impossible: " in done.stderr.decode() and words in done.stderr.decode()


# Positions as people write them


def read(game, words, drawing):
    """(Position, who is to move) that a command line names."""
    notation = part_of(game, "notation")
    parser = argparse.ArgumentParser(exit_on_error=False)
    notation.add_position_options(parser)
    arguments = parser.parse_args(words)
    position = notation.position_from(arguments, lambda: drawing)
    return position, notation.mover_of(arguments, position)


@every_game
def test_positions_are_read_and_what_is_wrong_with_them_is_named(game):
    for words, drawing, position, mover in examples_of(game).NOTATION:
        assert read(game, words, drawing) == (position, mover), (words, drawing)
    for words, drawing, message in examples_of(game).WRONG_NOTATION:
        with pytest.raises((part_of(game, "notation").NotationError, argparse.ArgumentError)) as refused:
            read(game, words, drawing)
        assert message in str(refused.value), (words, drawing)
