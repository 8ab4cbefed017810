"""Who can be played against: names, our bot's levels and presets; that nothing else is taken."""

import pytest

from bot.games import NAMES, part_of
from judge.play.sandbox import Sandbox
from judge.players.players import PlayerError
from judge.web.opponents import LEVELS, Opponents
from tests.judge.web.serve.helpers.application import engine, write_players


def test_our_bot_has_levels_and_the_presets_of_the_game(tmp_path):
    opponents = Opponents(write_players(tmp_path, first=engine("first_legal")))
    levels = [level.player for level in LEVELS]
    for game in NAMES:
        presets = [f"bot:{name}" for name in part_of(game, "config").PRESETS if name != "default"]
        assert opponents.known(game) == ["first", "bot", *levels, *presets]


@pytest.mark.parametrize("text", ["bot --iterations 31", "bot:mc", "bot:default", "bot@HEAD", "true", "", "src:."])
def test_no_other_text_is_an_opponent(tmp_path, text):
    opponents = Opponents(write_players(tmp_path, first=engine("first_legal")))
    assert text not in opponents.known("connect_four")
    with pytest.raises(PlayerError, match="the players file has no player"):
        opponents.contestant(text, "connect_four", 1.0, Sandbox())


def test_a_level_is_a_player_with_so_many_iterations(tmp_path):
    player = Opponents(write_players(tmp_path)).contestant("bot --iterations 30", "dots", 1.0, Sandbox())
    assert player.command == "bot --iterations 30"
    assert player.launch(1.0, 0).argv[-4:] == ("--game", "dots", "--iterations", "30")
