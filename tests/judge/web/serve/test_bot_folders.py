"""Bots by path: what the folders of --bots offer, that nothing outside them is a player, and errors of building."""

import os
import shutil

import pytest

from judge.files import DEEPEST
from judge.play.sandbox import Sandbox
from judge.players.players import PlayerError
from judge.web.bot_folders import BotFolders
from judge.web.opponents import Opponents
from tests.judge.web.serve.helpers.application import SMALL, Application
from tests.places import ENGINES

SOURCE = "int main() { return 0; }\n"
LIBRARY = b"\x7fELF"  # looked at by its name alone until it is started


@pytest.fixture
def bots(tmp_path):
    """A folder of bots of each kind, and what is none."""
    folder = tmp_path / "bots"
    for name in ("v8/src/a.cpp", "snake/main.py", "both/main.py", "both/b.cpp", "samples/10.so", "samples/2.so"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SOURCE)
    for name in ("own.so", "notes.txt", ".hidden/main.py", "empty/notes.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(LIBRARY)
    program = folder / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return folder


def test_what_is_found_has_short_names_and_is_what_the_command_line_takes(bots):
    assert BotFolders([bots]).offered() == {
        "both": f"src:{bots}/both",
        "own.so": f"lib:{bots}/own.so",
        "samples/2.so": f"lib:{bots}/samples/2.so",
        "samples/10.so": f"lib:{bots}/samples/10.so",
        "snake": f"{bots}/snake",
        "v8": f"src:{bots}/v8",
    }
    assert BotFolders([bots / "v8" / "src", bots / "snake"]).offered() == {
        "src": f"src:{bots}/v8/src",
        "snake": f"{bots}/snake",
    }
    assert BotFolders().offered() == {} and not BotFolders()


def test_names_are_told_apart_by_their_folders(bots, tmp_path):
    other = tmp_path / "old"
    shutil.copytree(bots / "v8", other / "v8")
    shutil.copytree(bots / "v8", other / "bot")
    offered = BotFolders([bots, other, bots, tmp_path / "bots" / ".." / "bots"]).offered()
    assert offered["v8"] == f"src:{bots}/v8"
    assert offered[f"{other}/v8"] == f"src:{other}/v8"
    assert offered[f"{other}/bot"] == f"src:{other}/bot" and "bot" not in offered  # which is our bot's name
    assert len(offered) == 8


def test_a_path_may_be_of_any_player_in_the_folders(bots):
    folders = BotFolders([bots])
    for text, player in (
        ("v8", f"src:{bots}/v8"),
        ("program", f"{bots}/program"),
        (f"{bots}/program", f"{bots}/program"),
        ("v8/src/a.cpp", f"{bots}/v8/src/a.cpp"),
        ("src:both", f"src:{bots}/both"),
        ("lib:samples/2.so", f"lib:{bots}/samples/2.so"),
        ("v8/../program", f"{bots}/v8/../program"),
    ):
        assert folders.player(text) == player


def test_no_path_leads_out_of_the_folders(bots, tmp_path):
    outside = tmp_path / "outside"
    shutil.copytree(bots / "snake", outside / "snake")
    shutil.copytree(bots / "v8", outside / "v8")
    shutil.copy(bots / "program", outside / "program")
    shutil.copy(bots / "own.so", outside / "own.so")
    (bots / "linked").symlink_to(outside / "snake")
    (bots / "linked.so").symlink_to(outside / "own.so")
    (bots / "up").symlink_to(tmp_path)
    (bots / "circle").symlink_to("circle")
    (bots / "gone.so").symlink_to("nowhere.so")
    (bots / "linked-script").mkdir()
    (bots / "linked-script" / "main.py").symlink_to(outside / "snake" / "main.py")
    (bots / "linked-source").mkdir()
    (bots / "linked-source" / "a.cpp").symlink_to(outside / "v8" / "src" / "a.cpp")
    assert set(BotFolders([bots]).offered()) == {"both", "own.so", "samples/2.so", "samples/10.so", "snake", "v8"}
    folders = BotFolders([bots])
    for text in (
        "linked", "linked.so", "lib:linked.so", "up/outside/program", "src:up/outside/v8", "circle", "gone.so",
        "linked-script", "linked-source", "src:linked-source", "linked-script/main.py", "..", "../outside/program",
        str(outside / "program"), f"src:{outside}/v8", "/bin/true", "true", "sh -c true", "program --option",
        "src:v8 --sanitize", "bot", "bot --iterations 1", "program\0", "\udcff", "x" * 5000, "none",
        "", ".", "src:", "v8/..", str(bots),
    ):  # fmt: skip
        with pytest.raises(PlayerError, match="is neither a player in the list nor a path in the folders of --bots"):
            folders.player(text)


def test_a_link_inside_the_folders_is_followed(bots):
    (bots / "latest").symlink_to("v8")
    assert BotFolders([bots]).offered()["latest"] == f"src:{bots}/latest"
    assert BotFolders([bots]).player("latest/src/a.cpp") == f"{bots}/latest/src/a.cpp"


def test_a_name_that_is_no_text_or_cannot_be_read_is_left_out(bots):
    os.mkdir(os.fsencode(bots) + b"/\xff")
    with open(os.fsencode(bots) + b"/\xff/main.py", "wb"):
        pass
    assert len(BotFolders([bots, bots / "none"]).offered()) == 6


def test_a_game_against_a_bot_by_its_path(tmp_path):
    bots = tmp_path / "bots"
    (bots / "first").mkdir(parents=True)
    shutil.copy(ENGINES / "first_legal.py", bots / "first" / "main.py")
    shutil.copy(ENGINES / "wires.py", bots / "first")
    with Application(tmp_path, bots=[bots]) as application:
        found = application.get("/api/start").json()
        assert (found["bots"], found["takes_paths"]) == (["first"], True)
        for player in ("first", "src:../x", "/bin/true"):
            wanted = {"game": "connect_four", "board": SMALL, "player": player, "first": "human", "limit_s": 60}
            answer = application.post("/api/tables", wanted)
            if player == "first":
                with application.seat_at(answer.json()["id"]) as seat:
                    seat.my_turn()
                    seat.move(4)
                    assert seat.my_turn(2)["game"]["moves"] == ["4", "0"]
            else:
                assert answer.status_code == 422
                assert "is neither a player in the list" in answer.json()["error"]["en"]


def test_what_a_compiler_says_is_shown_line_by_line(tmp_path):
    (tmp_path / "bots" / "v9").mkdir(parents=True)
    (tmp_path / "bots" / "v9" / "a.cpp").write_text("int main() { return nonsense; }\n")
    with Application(tmp_path, bots=[tmp_path / "bots"]) as application, application.seated("v9") as seat:
        trouble = seat.until(lambda state: state["trouble"] is not None)["trouble"]["en"]
        first, *others = trouble.split("\n")
        assert first.startswith("your opponent cannot be started: ") and "does not compile" in first
        assert any("nonsense" in line for line in others) and len(others) > 1


def test_a_bot_that_leaves_its_folder_is_no_player_any_more(bots, tmp_path):
    opponents = Opponents(None, [bots])
    shutil.rmtree(bots / "v8")
    with pytest.raises(PlayerError, match="is neither"):
        opponents.contestant("v8", "connect_four", 1.0, Sandbox())


def test_a_folder_that_is_too_deep_is_not_offered(bots):
    before = Opponents(None, [bots]).folders.offered()
    for name in ("deep", "v8"):
        (bots / name).joinpath(*["d"] * (DEEPEST + 1)).mkdir(parents=True)
        (bots / name / "main.cpp").touch()
    assert Opponents(None, [bots]).folders.offered() == {name: text for name, text in before.items() if name != "v8"}
