"""Reversi's settings and named settings, and the player that leaves its moves to chance."""

import collections

import pytest

from bot.games.reversi.alphabeta.engine import AlphaBetaEngine
from bot.games.reversi.plain import count, start_position
from bot.games.reversi.presets import PRESETS, preset
from bot.games.reversi.rules.board import EVALUATIONS
from bot.games.reversi.settings import DEFAULT, SettingsError
from bot.search.random_engine import RandomEngine
from tests.bot.games.reversi.helpers import probes as reversi_probes

DOCUMENTED = [f"{search}-{evaluation}" for search in ("minimax", "alphabeta") for evaluation in EVALUATIONS]


@pytest.mark.parametrize(
    "text, name, value",
    [
        ("engine=alphabeta", "engine", "alphabeta"),
        ("engine=random", "engine", "random"),
        ("move_seconds=2.5", "move_seconds", 2.5),
        ("depth=12", "depth", 12),
        ("evaluation=restricting", "evaluation", "restricting"),
        ("pruning=off", "pruning", False),
    ],
)
def test_one_setting_is_changed(text, name, value):
    changed = DEFAULT.with_values([text])
    assert getattr(changed, name) == value
    assert changed._replace(**{name: getattr(DEFAULT, name)}) == DEFAULT


@pytest.mark.parametrize(
    "text, words",
    [
        ("engine=uct", "setting engine: expected one of pvs, alphabeta, random, got 'uct'"),
        ("colour=red", "setting 'colour': unknown; expected one of engine, move_seconds, depth"),
        ("depth=61", "setting depth: expected a whole number from 1 to 60, got '61'"),
        ("depth=0", "setting depth: expected a whole number from 1 to 60, got '0'"),
        ("evaluation=runs", "expected one of discs, stable, mobility, restricting, combined, got 'runs'"),
        ("pruning=maybe", "setting pruning: expected true or false, got 'maybe'"),
        ("depth", "setting 'depth': expected KEY=VALUE"),
    ],
)
def test_wrong_settings_are_named(text, words):
    with pytest.raises(SettingsError) as refused:
        DEFAULT.with_values([text])
    assert words in str(refused.value)


def test_names():
    assert preset("default") == DEFAULT and DEFAULT.engine == "pvs"
    assert set(PRESETS) == {"default", "random", *DOCUMENTED}
    with pytest.raises(SettingsError, match="preset 'fastest': unknown; expected one of alphabeta-combined"):
        preset("fastest")


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_is_one_that_may_be_set(name):
    settings = preset(name)
    assert DEFAULT.with_values(f"{field}={value}" for field, value in settings._asdict().items()) == settings


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_the_seeds_players_are_minimax_and_alpha_beta_of_eight_plies(evaluation):
    minimax, alphabeta = preset("minimax-" + evaluation), preset("alphabeta-" + evaluation)
    assert (alphabeta.engine, alphabeta.depth, alphabeta.evaluation) == ("alphabeta", 8, evaluation)
    assert alphabeta.pruning and minimax == alphabeta._replace(pruning=False)
    assert alphabeta.move_seconds == 0


def test_chance_takes_every_move_as_often_and_a_seed_repeats_it():
    position = start_position(8)
    engine = RandomEngine(seed=1)
    decisions = [engine.think(position) for _ in range(400)]
    taken = collections.Counter(decision.move for decision in decisions)
    assert sorted(taken) == position.legal_moves() and min(taken.values()) > 70
    again = RandomEngine(seed=1)
    assert [again.think(position, budget_s=1.0, iterations=9) for _ in range(400)] == decisions
    assert (engine.best_so_far(), engine.nodes_in_use()) == (None, 0)
    assert all(decision.pv == [decision.move] and decision.proven is None for decision in decisions)


def result(first, second):
    """Discs that the first mover has more than the second at the end of a game."""
    position, movers = start_position(8), (first, second)
    ply = 0
    while not position.is_over():
        position = position.play(movers[ply % 2].think(position).move)
        ply += 1
    difference = count(position.own) - count(position.opponent)
    return difference if ply % 2 == 0 else -difference


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("count", [8, pytest.param(20, marks=pytest.mark.slow)])
def test_every_evaluation_beats_chance(evaluation, count):
    engine = AlphaBetaEngine(reversi_probes, preset("alphabeta-" + evaluation).with_values(["depth=5"]))
    games = [result(engine, RandomEngine(seed)) for seed in range(count)]
    games += [-result(RandomEngine(seed), engine) for seed in range(20, 20 + count)]
    assert sum(difference > 0 for difference in games) >= 1.5 * count
