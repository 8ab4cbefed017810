"""What a player may be called, and what starts it then."""

import json
import os
import shutil
import sys

import pytest

from judge.players import players
from judge.players.launch import PlayerError
from judge.players.library_player import libraries_in
from judge.players.players import Entry, command_in, contestant, contestants
from tests.judge.helpers.rightmost_libraries import RIGHTMOST, make_library
from tests.judge.helpers.scripted import ENGINES, REPOSITORY, WIDE_LIMIT_S, command, run_judge
from tests.places import PYTHON


def argv(text, named=None):
    """The words that start the player with a limit of 0.5 s and seed 7."""
    return contestant(text, named).launch(0.5, 7).argv


OWN = (sys.executable, "-m", "bot", "--info", "--limit", "0.5", "--seed", "7")


@pytest.mark.parametrize(
    "text, options",
    [
        ("bot", ()),
        ("bot:puct-basic", ("--preset", "puct-basic")),
        ("bot --iterations 300", ("--iterations", "300")),
        ("bot:puct-basic --memory 400", ("--preset", "puct-basic", "--memory", "400")),
    ],
)
def test_the_own_bot_takes_a_preset_and_options(text, options):
    player = contestant(text)
    launch = player.launch(0.5, 7)
    assert launch.argv == OWN + options
    assert launch.folder == str(REPOSITORY)
    assert launch.environment["PYTHONPATH"].split(":")[0] == str(REPOSITORY)
    assert (player.name, player.command) == (text, text)
    assert player.version


def test_a_long_command_is_a_command():
    """As a file's name it would be too long for the system."""
    long = f"python -c '{'x' * 300}'"
    assert contestant(long).command == long


def test_a_program_with_a_slash_is_looked_for_in_its_folder(tmp_path, monkeypatch):
    """As the system does when it is started there."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot").write_text(name)
    monkeypatch.chdir(tmp_path / "here")
    in_there = command_in("./bot", tmp_path / "there")
    assert in_there.version != contestant("./bot").version
    (tmp_path / "there" / "bot").write_text("changed")
    assert command_in("./bot", tmp_path / "there").version != in_there.version


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda path: (path.touch(), os.truncate(path, 300 * 10**9)), "has 300,000,000,000 bytes, expected at most "),
        (lambda path: path.symlink_to("/proc/self/environ"), "expected a file, got a file of the kernel"),
    ],
    ids=["sparse", "kernel"],
)
def test_a_file_without_an_end_is_not_read(tmp_path, make, reason):
    """Neither as a player's file nor as the players file."""
    (tmp_path / "main.py").touch()
    make(tmp_path / "data")
    for use in (
        lambda: contestant(str(tmp_path)),
        lambda: contestant(f"lib:{tmp_path}/data"),
        lambda: players.read_players_file(tmp_path / "data"),
    ):
        with pytest.raises(PlayerError, match=f"data:? {reason}"):
            use()
    assert contestant(f"cat {tmp_path}/data").version is None


def test_a_players_file_is_no_device():
    with pytest.raises(PlayerError, match="/dev/zero: expected a file, got a device"):
        players.read_players_file("/dev/zero")
    assert players.read_players_file("/dev/null") == {}


def test_other_words_are_commands():
    assert argv("./bot {limit}") == ("./bot", "0.5")
    assert argv("bots") == ("bots",)
    assert contestant("python random_mover.py").name == "random_mover.py"


def test_what_is_no_player_is_named():
    for text, reason in [
        ("bot:", "expected bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET"),
        ("bot@", "expected bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET"),
        ("bot:no-such-preset", "'no-such-preset'"),
        ("bot --no-such-option", "--no-such-option"),
        ("bot --seed 'x", "No closing quotation"),
        ("lib:no-such.so", "strategy library 'no-such.so': there is no such file"),
        (f"lib:{REPOSITORY}/README.md", "expected a shared object"),
    ]:
        with pytest.raises(PlayerError) as caught:
            contestant(text)
        assert reason in str(caught.value)


def test_the_command_line_refuses_what_is_no_player(tmp_path):
    done = run_judge(tmp_path, "play", "bot:no-such-preset", command("first_legal"))
    assert done.returncode == 2
    assert "player 'bot:no-such-preset'" in done.stderr


def test_libraries_of_a_folder_come_in_natural_order(tmp_path):
    for name in ("10.so", "2.so", "100.so", "b.so", "a.so", "readme.txt"):
        (tmp_path / name).touch()
    assert [text.rpartition("/")[2] for text in libraries_in(tmp_path)] == [
        "2.so",
        "10.so",
        "100.so",
        "a.so",
        "b.so",
    ]


PLAYERS = """
[strong]
iterations = 4000
set = { exploration = 1.5, name = "x y" }
[old]
revision = "HEAD~1"
preset = "puct-basic"
options = ["--memory", "400"]
[plain]
[mover]
command = "mover --seed {seed}"
[course]
library = "samples/2.so"
[mine]
source = "../v8"
"""


def test_a_players_file_names_players(tmp_path):
    path = tmp_path / "players.toml"
    path.write_text(PLAYERS)
    assert players.read_players_file(path) == {
        "strong": Entry("bot --iterations 4000 --set exploration=1.5 --set 'name=x y'"),
        "old": Entry("'bot@HEAD~1:puct-basic' --memory 400"),
        "plain": Entry("bot"),
        "mover": Entry("mover --seed {seed}", tmp_path),
        "course": Entry(f"lib:{tmp_path}/samples/2.so"),
        "mine": Entry(f"src:{tmp_path}/../v8"),
    }
    mover, other = contestants(["mover", "other"], path)
    assert (mover.name, mover.command, mover.folder) == ("mover", "mover --seed {seed}", str(tmp_path))
    assert mover.launch(1.0, 5).argv == ("mover", "--seed", "5")
    assert other.launch(1.0, 5).argv == ("other",)


def test_players_of_the_current_folder_need_no_option(tmp_path):
    mover = command("first_legal")
    (tmp_path / "players.toml").write_text(f"[steady]\ncommand = '''{mover}'''\n")
    done = run_judge(tmp_path, "play", "steady", "steady", "--free-start", "--limit", WIDE_LIMIT_S, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "(steady) wins" in done.stdout


def test_a_command_of_a_players_file_finds_what_lies_beside_the_file(tmp_path):
    """Wherever it is started from; its program and what that reads."""
    for engine in ("first_legal.py", "wires.py", "dots.py"):
        folder = tmp_path / "mine" / "engines"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(ENGINES / engine, folder)
    text = f"[steady]\ncommand = '''{PYTHON} -S -s engines/first_legal.py'''\n"
    (tmp_path / "mine" / "players.toml").write_text(text)
    words = ("steady", "steady", "--players", "mine/players.toml", "--free-start", "--limit", WIDE_LIMIT_S)
    played = run_judge(tmp_path, "play", *words, "--quiet")
    assert "(steady) wins after" in played.stdout, played.stdout + played.stderr
    matched = run_judge(tmp_path, "match", *words, "--games", 2, "--json")
    assert json.loads(matched.stdout.splitlines()[-1])["terminations"] == {"NORMAL": 2}
    (tmp_path / "mine" / "engines" / "first_legal.py").unlink()
    refused = run_judge(tmp_path, "match", *words, "--games", 2)
    assert (refused.returncode, "cannot start" in refused.stderr) == (2, True)


def test_a_wrong_players_file_is_named(tmp_path):
    for content, reason in [
        ("[x]\nspeed = 3", "[x]: unknown key 'speed', expected one of command, library, source, preset"),
        ("[x]\niterations = 0", "[x]: iterations is 0, expected an integer of at least 1"),
        ("[x]\niterations = true", "[x]: iterations is True, expected an integer of at least 1"),
        ("[x]\ncommand = 3", "[x]: command is 3, expected a text in quotes"),
        ("[x]\noptions = [1]", "[x]: options is [1], expected a list of texts in quotes, such as"),
        ('[x]\ncommand = "a"\npreset = "b"', "[x]: expected one of command, library, source alone, or only"),
        ('x = "y"', "[x]: expected a table of options, got 'y'"),
        ("[bot]", "[bot]: this name already means another player"),
        ('["lib:x"]', "[lib:x]: this name already means another player"),
        ("[x", "players file"),
    ]:
        path = tmp_path / "players.toml"
        path.write_text(content)
        with pytest.raises(PlayerError) as caught:
            players.read_players_file(path)
        assert str(path) in str(caught.value)
        assert reason in str(caught.value)


def test_a_players_file_of_an_editor_on_windows_is_read_or_named(tmp_path):
    path, text = tmp_path / "players.toml", "# 选手\r\n[mine]\r\nsource = 'v8'\r\n"
    path.write_bytes(text.encode("utf-8-sig"))
    assert players.read_players_file(path) == {"mine": Entry(f"src:{tmp_path}/v8")}
    for encoding, named in (("utf-16", "UTF-16"), ("gbk", "GBK or another encoding")):
        path.write_bytes(text.encode(encoding))
        with pytest.raises(PlayerError) as caught:
            players.read_players_file(path)
        reason = f"the file's encoding is {named}, expected UTF-8: save the file as UTF-8"
        assert str(caught.value) == f"players file {path}: {reason}"


def test_a_players_file_that_is_asked_for_must_exist(tmp_path):
    with pytest.raises(PlayerError, match="no-such.toml"):
        players.read_players_file(tmp_path / "no-such.toml")


def test_a_bare_program_is_the_one_that_lies_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("ls", "my bot"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (player,) = contestants([name])
        assert player.launch(1.0, 0).argv == (f"./{name}",)


def test_a_library_leaves_nothing_in_the_checkout_when_it_is_looked_at(tmp_path):
    leaves = 'void __attribute__((constructor)) leave(void) { fclose(fopen("left by a library", "w")); }'
    make_library(tmp_path / "leaving.so", f"#include <stdio.h>{RIGHTMOST}{leaves}")
    assert contestant(f"lib:{tmp_path}/leaving.so").launch(0.5, 7).folder == str(REPOSITORY)
    assert not (REPOSITORY / "left by a library").exists()
