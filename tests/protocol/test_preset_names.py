"""Presets by their old and new names: in a game, and in texts of every kind."""

from protocol.preset_names import RENAMED, new_name, old_name, with_new_names

EVERY_NAME = [(game, old, new) for game, names in RENAMED.items() for old, new in names.items()]


def test_every_name_leads_to_the_other():
    assert len(EVERY_NAME) == 23
    for game, old, new in EVERY_NAME:
        assert (new_name(game, old), old_name(game, new)) == (new, old)
        assert (new_name(game, new), old_name(game, old)) == (new, old)


def test_a_game_knows_its_own_names_alone():
    assert old_name("connect_four", "alphabeta") == "seed003-alphabeta"
    assert old_name("dots", "alphabeta") == "seed004-alphabeta"
    assert new_name("dots", "seed003-alphabeta") == "seed003-alphabeta"
    assert new_name("reversi", "seed002-minimax-discs") == "minimax-discs"
    assert (new_name("chess", "slice1"), old_name("chess", "puct-basic")) == ("slice1", "puct-basic")


def test_no_old_name_is_of_two_games_or_a_new_one():
    old = [old for _, old, _ in EVERY_NAME]
    assert len(set(old)) == len(old)
    assert not set(old) & {new for _, _, new in EVERY_NAME}


def test_texts_with_old_names_have_the_new_ones_and_others_stay():
    for old, new in [
        ("bot:seed000-v3", "bot:uct-proofs"),
        ("bot@79bf36e:seed003-alphabeta-basic --set depth=2", "bot@79bf36e:alphabeta-basic --set depth=2"),
        ("bot --preset seed003-alphabeta", "bot --preset alphabeta"),
        ("match_dots_seed004-amaf+alpha=0.1_seed004-merged_0.3s", "match_dots_amaf+alpha=0.1_merged_0.3s"),
        ("batch_bot-seed000-v1_100_3s.json", "batch_bot-uct-plain_100_3s.json"),
        ('["slice1", "default"]', '["puct-basic", "default"]'),
    ]:
        assert with_new_names(old) == with_new_names(new) == new
    for text in ("bot", "bot:default", "seed000-v4", "myseed001", "seed001b", "seed001-v2", "slice12"):
        assert with_new_names(text) == text
