"""Settings: KEY=VALUE texts become one typed value, and what is wrong with them is said."""

import pytest

from bot.games.connect_four.board import ALL_TACTICS, AVOID, BLOCK, PAIRS, RESERVE, TAKE_WINS
from bot.games.connect_four.config import DEFAULT, FIELDS, SettingsError

CHANGES = [
    ("selection=ucb1", "selection", "ucb1"),
    ("exploration=1.25", "exploration", 1.25),
    ("exploration=0", "exploration", 0.0),
    ("first_play=-0.5", "first_play", -0.5),
    ("expand_visits=7", "expand_visits", 7),
    ("proofs=false", "proofs", False),
    ("proofs=OFF", "proofs", False),
    ("keep_tree=0", "keep_tree", False),
    ("share=no", "share", False),
    ("tree_wins=true", "tree_wins", True),
    ("final_move=mean", "final_move", "mean"),
    ("engine=alphabeta", "engine", "alphabeta"),
    ("move_seconds=2.5", "move_seconds", 2.5),
    ("root_tactics=none", "root_tactics", "none"),
    ("draw_proofs=no", "draw_proofs", False),
    ("depth=12", "depth", 12),
]


def test_one_setting_is_changed():
    for text, name, value in CHANGES:
        changed = DEFAULT.with_values([text])
        assert getattr(changed, name) == value, text
        assert type(getattr(changed, name)) is type(getattr(DEFAULT, name))
        assert changed._replace(**{name: getattr(DEFAULT, name)}) == DEFAULT


def test_the_last_of_several_changes_counts():
    changed = DEFAULT.with_values(["exploration=2", "share=off", "exploration=4"])
    assert (changed.exploration, changed.share) == (4.0, False)
    assert DEFAULT.with_values([]) == DEFAULT


WRONG = [
    ("exploration", "'exploration': expected KEY=VALUE"),
    ("", "'': expected KEY=VALUE"),
    ("colour=red", "'colour': unknown; expected one of engine, move_seconds"),
    ("exploration=fast", "exploration: expected a number from 0.0 to 100.0, got 'fast'"),
    ("exploration=-1", "exploration: expected a number from 0.0 to 100.0, got '-1'"),
    ("exploration=nan", "exploration: expected a number from 0.0 to 100.0, got 'nan'"),
    ("exploration=inf", "exploration: expected a number from 0.0 to 100.0, got 'inf'"),
    ("expand_visits=0", "expand_visits: expected a whole number from 1 to 1000000, got '0'"),
    ("expand_visits=1.5", "expand_visits: expected a whole number from 1 to 1000000, got '1.5'"),
    ("proofs=maybe", "proofs: expected true or false, got 'maybe'"),
    ("move_seconds=-1", "move_seconds: expected a number from 0.0 to 100000.0, got '-1'"),
    ("root_tactics=all", "root_tactics: expected one of look_ahead, win, none, got 'all'"),
    ("depth=61", "depth: expected a whole number from 1 to 60, got '61'"),
    ("selection=best", "selection: expected one of puct, ucb1, got 'best'"),
]


def test_wrong_settings_are_named():
    for text, words in WRONG:
        with pytest.raises(SettingsError) as refused:
            DEFAULT.with_values([text])
        assert words in str(refused.value), text


def test_tactics_become_policy_bits():
    plain = DEFAULT.with_values(["tree_wins=on", "tree_blocks=on", "tree_avoid=on", "tree_reserve=on"])
    assert plain.tree_policy() == ALL_TACTICS & ~PAIRS
    for name, bit in (("wins", TAKE_WINS), ("blocks", BLOCK), ("avoid", AVOID), ("reserve", RESERVE)):
        assert plain.with_values([f"tree_{name}=off"]).tree_policy() == ALL_TACTICS & ~PAIRS & ~bit
        rollouts = plain.with_values(
            ["rollout_wins=off", "rollout_blocks=off", "rollout_avoid=off", "rollout_reserve=off", "rollout_pairs=off"]
        )
        assert rollouts.with_values([f"rollout_{name}=on"]).rollout_policy() == bit
        assert rollouts.tree_policy() == ALL_TACTICS & ~PAIRS
        assert rollouts.with_values(["rollout_pairs=on"]).rollout_policy() == PAIRS


def test_every_setting_is_described():
    assert [(field.name, field.default) for field in FIELDS] == list(DEFAULT._asdict().items())
    assert all(field.meaning for field in FIELDS)
