"""The opponents that are here without any other program: one table, wherever they are offered."""

import pytest

from judge.games import DEFAULT_GAME, GAMES
from judge.players import own_bot
from judge.players.opponents import ALL, LEVELS, levels
from judge.players.players import PlayerError, contestants, with_groups_expanded
from judge.web.opponents import Opponents
from tests.judge.helpers.chinese import HAN
from tests.judge.helpers.scripted import run_judge
from tests.places import REPOSITORY


@pytest.mark.parametrize("game", GAMES)
def test_they_are_players_of_every_game_and_listed_with_the_presets(tmp_path, game):
    texts = with_groups_expanded(["first", ALL], game)
    assert texts == ["first", *(level.player for level in levels(game))]
    players = contestants(texts[1:], game=game)
    assert len({player.name for player in players}) == len(players) >= 7
    listed = run_judge(tmp_path, "opponents", "--game", game)
    assert (listed.returncode, listed.stderr) == (0, "")
    for text in [*texts[1:], *(f"bot:{name}" for name in own_bot.presets(game) if name != "default")]:
        assert text in listed.stdout


def test_they_are_stronger_and_stronger_as_far_as_they_are_measured():
    found = [level.elo for level in LEVELS if level.elo is not None]
    assert found == sorted(found)
    assert [level.iterations for level in LEVELS if not level.preset][:-1] == sorted(
        level.iterations for level in LEVELS if not level.preset and level.iterations
    )


def test_one_of_them_is_named_by_its_level():
    (player,) = contestants([f"{ALL}easy"])
    assert player.command == "bot --iterations 30"
    with pytest.raises(PlayerError, match="unknown opponent 'king', expected one of random, novice"):
        contestants([f"{ALL}king"])


@pytest.mark.parametrize("page", ["docs/players.md", "docs/zh/players.md"])
def test_the_page_has_the_same_table(page):
    text = (REPOSITORY / page).read_text("utf-8")
    for level in levels(DEFAULT_GAME):
        assert f"| {level.name} | `{level.player}` | {'-' if level.elo is None else level.elo} |" in text


def test_serve_offers_those_that_every_game_has(tmp_path):
    offered = Opponents(None).as_json()["levels"]
    assert all(HAN.search(level["title"]["zh"]) for level in offered)
    assert [(level["title"]["en"], level["player"]) for level in offered] == [
        (level.name, level.player) for level in LEVELS if not level.preset and level.iterations
    ]
