"""What every first bot of `new` has to do, in both languages of programs, for whichever game is registered."""

import re
import shlex
import subprocess

import pytest

from judge.checks.checks import Result
from judge.cli.new import CPP, MARK, PYTHON, TEMPLATES, UPLOADED_AS
from judge.games import GAMES as JUDGED
from judge.games.check_cases import Kind
from judge.games.connect_four.rules import ConnectFour
from judge.games.connect_four.wire import ConnectFourWire
from judge.play.referee import play_game
from judge.players import source_player
from judge.players.players import contestant
from protocol.games.connect_four import Reply, encode_reply
from tests.contracts.games import GAMES
from tests.judge.helpers.checking import LEAST, checked
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.projects import needs_compiler, write_project
from tests.judge.helpers.scripted import bot, plan, play_unless_void, run_judge
from tests.places import REPOSITORY
from tests.scripts.helpers import markdown

QUICK = (Kind.WHOLE_GAME, Kind.LATE_POSITIONS, Kind.BYTE_BY_BYTE, Kind.JOINED, Kind.END_AFTER_REPLY)
LEAST_WINS, RANDOM_GAMES = 5, 6
COMMENT = re.compile(r"^\s*(?://|#) (.*)$", re.MULTILINE)
BOTS = [
    pytest.param((game, language), marks=needs_compiler if language == CPP else (), id=f"{game}-{language}")
    for game in GAMES
    for language in (CPP, PYTHON)
]


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """The tests' own place for builds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_player, "BUILDS", tmp_path_factory.mktemp("builds"))
        yield


@pytest.fixture(params=BOTS)
def first_bot(request, builds, tmp_path, monkeypatch):
    """(game, the bot as a contestant, as the command says that it is played), in the current folder."""
    game, language = request.param
    monkeypatch.chdir(tmp_path)
    done = run_judge(tmp_path, "new", "a bot", "--language", language, "--game", game)
    assert (done.returncode, done.stderr) == (0, "")
    check, play, match = [shlex.split(line) for line in done.stdout.splitlines()[-3:]]
    player = check[check.index("check") + 1]
    assert player in play and player in match
    return game, contestant(player, game=game)


def test_it_plays_whole_games_from_both_sides(first_bot):
    game, player = first_bot
    other = bot("first_legal", game=game)
    for players in ((player, other), (other, player)):
        record = play_unless_void(players, plan(game=game))
        assert (record.termination, record.extra["AB"[players.index(player)]].get("stderr")) == ("NORMAL", None)


def test_it_is_better_than_chance(first_bot):
    """On boards of other sizes too, whatever has been played on them before."""
    game, player = first_bot
    wins = 0
    for seed in range(RANDOM_GAMES):
        players = [player, bot("random_mover", "--seed", seed, game=game)]
        if seed % 2:
            players.reverse()
        wins += play_game(players, plan(game=game)).winner == "AB"[seed % 2]
    assert wins >= LEAST_WINS


@pytest.mark.parametrize("kinds", [QUICK, pytest.param(None, marks=pytest.mark.slow)], ids=["quick", "all"])
def test_an_upload_would_lose_nothing_by_it(first_bot, kinds):
    """Boards of all sizes and with openings, the end of a game, input in pieces, the end of the input."""
    game, player = first_bot
    only = None if kinds is None else [case.name for case in JUDGED[game].check_cases if case.kind in kinds]
    found = checked(player, only=only, game=game, effort=LEAST)
    assert {name: outcome.reason for name, outcome in found.items() if outcome.result is not Result.PASSED} == {}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", [CPP, PYTHON])
def test_it_is_commented_in_the_readers_language(tmp_path, game, language):
    """The code is the same."""
    words = ("new", "first", "--language", language, "--game", game)
    run_judge(tmp_path, *words)
    with in_chinese():
        run_judge(tmp_path, *words[:1], "second", *words[2:])
    for path in (tmp_path / "first").iterdir():
        english, chinese = (place.read_text("utf-8") for place in (path, tmp_path / "second" / path.name))
        assert re.search(MARK, english + chinese) is None and "$" not in english + chinese
        if path.suffix == ".md":
            assert HAN.search(chinese) and "## Check\n" in english and "## 检查\n" in chinese
            continue
        assert not HAN.search(english) and all(map(HAN.search, COMMENT.findall(chinese))), path.name
        code = [[line for line in text.splitlines() if not COMMENT.fullmatch(line)] for text in (english, chinese)]
        assert code[0] == code[1]
        assert len(COMMENT.findall(english)) >= 2


@needs_compiler
@pytest.mark.parametrize("game", GAMES)
def test_the_readme_builds_it_as_the_platform_does(tmp_path, game):
    run_judge(tmp_path, "new", "it's a bot", "--game", game)
    text = (tmp_path / "it's a bot" / "README.md").read_text("utf-8")
    (line,) = re.findall(r"^\(cd .*g\+\+.*\)$", text, re.MULTILINE)
    subprocess.run(line, shell=True, cwd=tmp_path, check=True)
    assert (tmp_path / "it's a bot" / "first-bot").exists()


PAGES = ("docs/write_a_bot.md", "docs/zh/write_a_bot.md")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("code", [pytest.param("cpp", marks=needs_compiler), "python"])
def test_the_code_on_the_page_plays(builds, tmp_path, monkeypatch, page, code):
    monkeypatch.chdir(tmp_path)
    (content,) = markdown.code_blocks(REPOSITORY / page, code)
    name, player = {"cpp": ("first.cpp", "src:first.cpp"), "python": ("mine/main.py", "mine")}[code]
    write_project(tmp_path, {name: content})
    players = (contestant(player), bot("first_legal"))
    for order in (players, players[::-1]):
        assert play_unless_void(order, plan()).termination == "NORMAL"


@pytest.mark.parametrize("page", PAGES)
def test_the_bytes_on_the_page_are_those_of_the_wire(page):
    position = ConnectFour(9, 9, (8, 3))
    wire = ConnectFourWire("saiblo", position)
    position.play(0)
    sent = (wire.opening(position, 1), wire.turn(position), encode_reply(Reply(8, 4), "saiblo"))
    dumps = markdown.code_blocks(REPOSITORY / page, "text")
    assert tuple(bytes.fromhex("".join(re.findall(r"^[0-9a-f ]{47}", dump, re.MULTILINE))) for dump in dumps) == sent
    for dump, data in zip(dumps, sent, strict=True):  # and the characters beside them
        beside = "".join(line.partition("|")[2].removesuffix("|") for line in dump.splitlines())
        assert beside == "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def test_there_is_one_for_every_game():
    for language in UPLOADED_AS:
        assert sorted(path.name for path in (TEMPLATES / language).iterdir()) == sorted(GAMES)
