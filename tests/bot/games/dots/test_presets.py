"""The settings of dots and boxes and their named values, and the player that leaves its moves to chance."""

import collections

import pytest

from bot.games.dots.plain import start_position
from bot.games.dots.presets import PRESETS, preset
from bot.games.dots.rules.board import edges_of
from bot.games.dots.settings import DEFAULT, SettingsError
from bot.search.random_engine import RandomEngine
from tests.bot.games.dots.helpers.wire_games import DotsGame, reply_decoder
from tests.bot.helpers.bot_process import BotProcess
from tests.bot.helpers.whole_games import played

LIMIT_S = 60.0
DOCUMENTED = ["mc", "uct", "merged", "amaf", "alphabeta"]


def changed_fields(one, other):
    one, other = preset(one)._asdict(), preset(other)._asdict()
    return {name for name in one if one[name] != other[name]}


@pytest.mark.parametrize(
    "text, name, value",
    [
        ("engine=random", "engine", "random"),
        ("move_seconds=2.5", "move_seconds", 2.5),
        ("sim_min=7", "sim_min", 7),
        ("sim_max=30", "sim_max", 30),
        ("merged=off", "merged", False),
        ("double_cross=off", "double_cross", False),
        ("alpha=0.3", "alpha", 0.3),
        ("exploration=0.7", "exploration", 0.7),
        ("solver=off", "solver", False),
        ("chains=off", "chains", False),
        ("depth=12", "depth", 12),
        ("evaluation=boxes", "evaluation", "boxes"),
    ],
)
def test_one_setting_is_changed(text, name, value):
    changed = DEFAULT.with_values([text])
    assert getattr(changed, name) == value
    assert changed._replace(**{name: getattr(DEFAULT, name)}) == DEFAULT


@pytest.mark.parametrize(
    "text, words",
    [
        ("engine=pvs", "setting engine: expected one of uct, alphabeta, random, got 'pvs'"),
        ("colour=red", "setting 'colour': unknown; expected one of engine, move_seconds, sim_min"),
        ("alpha=1.5", "setting alpha: expected a number from 0.0 to 1.0, got '1.5'"),
        ("depth=61", "setting depth: expected a whole number from 1 to 60, got '61'"),
        ("evaluation=discs", "expected one of boxes, chains, got 'discs'"),
        ("merged=maybe", "setting merged: expected true or false, got 'maybe'"),
        ("depth", "setting 'depth': expected KEY=VALUE"),
    ],
)
def test_wrong_settings_are_named(text, words):
    with pytest.raises(SettingsError) as refused:
        DEFAULT.with_values([text])
    assert words in str(refused.value)


def test_names():
    assert preset("default") == DEFAULT
    assert set(PRESETS) == {"default", "random", *DOCUMENTED}
    with pytest.raises(SettingsError, match="preset 'fastest': unknown; expected one of alphabeta, amaf, default"):
        preset("fastest")


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_is_one_that_may_be_set(name):
    settings = preset(name)
    assert DEFAULT.with_values(f"{field}={value}" for field, value in settings._asdict().items()) == settings


def test_each_of_the_seeds_players_adds_what_its_seed_added():
    assert {"sim_min", "sim_max"} <= changed_fields("mc", "uct") <= {"sim_min", "sim_max", "final_move"}
    assert changed_fields("uct", "merged") == {"merged", "double_cross"}
    assert changed_fields("merged", "amaf") == {"alpha"}
    assert preset("alphabeta").engine == "alphabeta"
    for name in DOCUMENTED:
        assert not preset(name).solver and not preset(name).chains


def test_chance_begins_with_every_edge_as_often_and_a_seed_repeats_it():
    position, engine = start_position(1, 3), RandomEngine(seed=1)
    moves = [engine.think(position).move for _ in range(600)]
    taken = collections.Counter(edges_of(move)[0] for move in moves)
    assert sorted(taken) == position.legal_edges() and min(taken.values()) > 35
    again = RandomEngine(seed=1)
    assert [again.think(position, budget_s=1.0, iterations=9).move for _ in range(600)] == moves


@pytest.mark.parametrize("name", PRESETS)
def test_presets_play_whole_games(name):
    game = DotsGame("platform", 0, seed=2, size=(3, 3))
    with BotProcess(
        "--game",
        "dots",
        "--preset",
        name,
        "--set",
        "move_seconds=0.1",
        "--limit",
        LIMIT_S,
        "--seed",
        1,
        decoder=reply_decoder("platform"),
    ) as bot:
        bot.send(game.opening())
        played(bot, game)
        assert bot.end()[:2] == (0, [])
    assert bot.words_but_for_the_engine() == []
