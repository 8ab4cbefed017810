"""Players as they travel: the same player starts on another machine, and what cannot travel is told before a game."""

import dataclasses
import shutil
import subprocess
import sys
import threading

import pytest

from judge.cluster import payloads
from judge.cluster.payloads import BUNDLE_MAIN, OWN_BOT, PLAIN, File, Payload, pack, unpack
from judge.cluster.worker import unpack_and_try
from judge.games import DEFAULT_GAME
from judge.games.connect_four.checks import PLAIN_BOARD
from judge.play.sandbox import OFF, Sandbox
from judge.play.scoresheet import Conditions, GamePlan
from judge.players import own_bot
from judge.players.launch import PlayerError
from judge.players.players import Contestant, contestant
from judge.processes.start import Launch
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.places import ENGINES, PYTHON

PROGRAM = "int main() { return 3; }\n"


def travelled(player, room, game=DEFAULT_GAME):
    """The player as a worker has it."""
    return unpack(pack(player, game), room, game)


def status(player):
    """What starting it without input ends with."""
    launch = player.launch(1.0, 1)
    done = subprocess.run(launch.argv, cwd=launch.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode


def test_a_folder_with_a_script_travels_with_what_lies_below_it(tmp_path):
    home = tmp_path / "mine" / "bot"
    (home / "data").mkdir(parents=True)
    (home / "main.py").write_text("import pathlib, sys; sys.exit(int(pathlib.Path('data/status').read_text()))")
    (home / "data" / "status").write_text("7")
    player = contestant(str(home))
    there = travelled(player, tmp_path / "room")
    assert dataclasses.replace(there, prepared=None) == dataclasses.replace(player, prepared=None)
    shutil.rmtree(home)
    assert status(there) == 7


def test_a_project_is_built_where_it_plays(tmp_path):
    home = tmp_path / "a project"
    home.mkdir()
    (home / "main.cpp").write_text(PROGRAM)
    (home / "other.cpp").write_text("int main() { return 4; }\n")
    player = contestant(f"src:'{home}' --without other.cpp")
    payload = pack(player, DEFAULT_GAME)
    assert {file.path for file in payload.files} == {"a project/main.cpp", "a project/other.cpp"}
    there = unpack(payload, tmp_path / "room", DEFAULT_GAME)
    assert (there.version, status(there)) == (player.version, 3)


def test_a_source_travels_with_what_lies_beside_it(tmp_path):
    home = tmp_path / "mine"
    home.mkdir()
    (home / "v8.cpp").write_text('#include "status.h"\nint main() { return STATUS; }\n')
    (home / "status.h").write_text("#define STATUS 5\n")
    player = contestant(f"src:{home / 'v8.cpp'}")
    payload = pack(player, DEFAULT_GAME)
    shutil.rmtree(home)
    there = unpack(payload, tmp_path / "room", DEFAULT_GAME)
    assert (there.version, status(there)) == (player.version, 5)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    home, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "main.py").write_text("")
    (home / "copy.py").symlink_to("main.py")
    (elsewhere / "id_ed25519").write_text("secret")
    player = contestant(str(home))
    assert [file.path for file in pack(player, DEFAULT_GAME).files] == ["mine/copy.py", "mine/main.py"]
    (home / "data").symlink_to(elsewhere / "id_ed25519")
    with pytest.raises(PlayerError, match="'mine/data' is a link that leads out of its folder"):
        pack(player, DEFAULT_GAME)
    (home / "data").unlink()
    (home / "data").symlink_to(elsewhere)
    with pytest.raises(PlayerError, match="'data' is a link to a folder"):
        pack(player, DEFAULT_GAME)


def test_a_command_that_cannot_be_read_is_told_before_a_game():
    with pytest.raises(PlayerError, match="quot"):
        pack(Contestant("foo", "foo 'bar"), DEFAULT_GAME)


def test_what_a_command_runs_must_be_the_same_there(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text("1")
    payload = pack(contestant(f"{PYTHON} {script}"), DEFAULT_GAME)
    script.write_text("2")
    with pytest.raises(PlayerError, match="its files are missing or different on this worker"):
        unpack(payload, tmp_path, DEFAULT_GAME)


def test_a_library_travels_as_its_file(tmp_path):
    make_libraries(tmp_path)
    library = tmp_path / "10.so"
    player = contestant(f"lib:{library}")
    there = travelled(player, tmp_path / "room")
    library.unlink()
    assert there.version == player.version
    assert str(tmp_path / "room") in there.launch(1.0, 1).argv[-1] and status(there) == 0


def test_a_command_is_looked_for_where_it_plays(tmp_path, monkeypatch):
    player = contestant(f"{PYTHON} '{ENGINES / 'first_legal.py'}'")
    assert travelled(player, tmp_path).launch(1.0, 1) == player.launch(1.0, 1)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PlayerError, match="no-such-program is not on this worker: install it there"):
        travelled(contestant("no-such-program --fast"), tmp_path)
    elsewhere = Contestant("bot", "./bot", folder=str(tmp_path / "gone"))
    with pytest.raises(PlayerError, match="is not on this worker"):
        travelled(elsewhere, tmp_path)


def test_the_own_bot_travels_as_its_zip_with_the_same_options(tmp_path, monkeypatch):
    """The zip itself is played with where it is made: here it is any zip."""
    asked = []

    def read_bundle(folder, version, game, name):
        asked.append((folder, version, game, name))
        path = shutil.make_archive(str(tmp_path / "zip"), "zip", zipped)
        with open(path, "rb") as file:
            return file.read()

    zipped = tmp_path / "zipped"
    zipped.mkdir()
    (zipped / BUNDLE_MAIN).write_text("import sys; sys.exit(len(sys.argv))")
    monkeypatch.setattr(payloads, "read_bundle", read_bundle)
    words = ("--info", "--limit", "{limit}", "--seed", "{seed}", "--preset", "mcts")
    launch = Launch((sys.executable, "-m", "bot", *words), {"PYTHONPATH": "x"}, str(tmp_path))
    player = Contestant("bot:mcts", "bot:mcts", "v1", prepared=launch)
    there = travelled(player, tmp_path / "room")
    assert there.launch(0.5, 9).argv == (
        sys.executable,
        "main.py",
        "--info",
        "--limit",
        "0.5",
        "--seed",
        "9",
        *words[5:],
    )
    assert status(there) == 8
    assert [(version, game) for _folder, version, game, _name in asked] == [("v1", DEFAULT_GAME)]


def test_a_bot_that_numba_compiles_cannot_travel(tmp_path):
    for words in (("--backend", "jit"), ("--backend=jit",)):
        launch = Launch((sys.executable, "-m", "bot", *words), {}, str(tmp_path))
        player = Contestant("bot", f"bot {' '.join(words)}", "v1", prepared=launch)
        assert own_bot.backend_in(words) == "jit"
        with pytest.raises(PlayerError, match="numba compiles it"):
            pack(player, DEFAULT_GAME)


def test_a_revision_that_makes_no_zip_cannot_travel(tmp_path, monkeypatch):
    monkeypatch.setattr(payloads, "BUNDLES", tmp_path / "bundles")
    with pytest.raises(PlayerError, match="'bot@old' cannot be sent to workers: 1234567 is too old to make the zip"):
        payloads.read_bundle(tmp_path, "1234567", DEFAULT_GAME, "bot@old")


def test_a_zip_that_cannot_be_made_is_told_with_the_makers_words(tmp_path, monkeypatch):
    monkeypatch.setattr(payloads, "BUNDLES", tmp_path / "bundles")
    (tmp_path / "scripts" / "bundle").mkdir(parents=True)
    (tmp_path / "scripts" / "bundle" / "archive.py").touch()
    (tmp_path / "scripts" / "run_module.py").write_text("import sys; sys.exit('no compiler here')")
    with pytest.raises(PlayerError, match="making its zip failed: no compiler here"):
        payloads.read_bundle(tmp_path, "v1", DEFAULT_GAME, "bot")


def test_files_that_are_too_large_stay_here(tmp_path, monkeypatch):
    monkeypatch.setattr(payloads, "LARGEST_BYTES", 10)
    (tmp_path / "main.py").write_text("x" * 10)
    assert pack(contestant(str(tmp_path)), DEFAULT_GAME).files
    (tmp_path / "main.py").write_text("x" * 11)
    with pytest.raises(PlayerError, match="its files are larger than"):
        pack(contestant(str(tmp_path)), DEFAULT_GAME)


def test_nothing_is_written_beside_the_players_folder(tmp_path):
    for path in ("../outside", "/tmp/outside", "a/../../outside"):
        payload = Payload(payloads.FOLDER, Contestant("x", "x"), (File(path, 0o644, b"x"),), "x")
        with pytest.raises(PlayerError, match="leads out of the player's folder"):
            unpack(payload, tmp_path / "room", DEFAULT_GAME)
        assert list((tmp_path / "room").iterdir()) == [], path


def test_what_differs_has_another_folder():
    player = Contestant("x", "x")
    found = {
        Payload(payloads.FOLDER, player, (File("main.py", mode, content),), root, words).digest
        for mode in (0o644, 0o755)
        for content in (b"a", b"b")
        for root in ("x", "y")
        for words in ((), ("--fast",))
    }
    assert len(found) == 16


PLAN = GamePlan(PLAIN_BOARD, 1, Conditions(20.0, sandbox=Sandbox(OFF)))
# Plays any legal move, and says what the bot says of its engine.
MAIN = f"""
import sys
sys.path.insert(0, {str(ENGINES)!r})
from wires import open_game
print("engine {{}} (a reason)", file=sys.stderr, flush=True)
game = open_game("connect_four")
while True:
    game.read_turn()
    game.reply(*game.legal_cells()[0])
"""


def zip_with(engine, *words):
    """A zip that says it plays by this engine."""
    file = File(BUNDLE_MAIN, PLAIN, MAIN.format(engine).encode())
    return Payload(OWN_BOT, Contestant("bot", "bot", is_tried=True), (file,), BUNDLE_MAIN, words)


def test_the_bot_with_its_engine_has_arrived(tmp_path):
    player = unpack_and_try(zip_with("x86-64-v3"), tmp_path, PLAN, threading.Event())
    assert player.launch(1.0, 1).folder.startswith(str(tmp_path))


def test_the_bot_without_its_engine_is_refused_unless_that_is_asked_for(tmp_path):
    with pytest.raises(PlayerError, match=r"no compiled engine here and would play weaker: engine python \(a reason\)"):
        unpack_and_try(zip_with("python"), tmp_path, PLAN, threading.Event())
    assert unpack_and_try(zip_with("python", "--backend", "python"), tmp_path, PLAN, threading.Event())


def test_a_player_that_ends_at_once_is_refused(tmp_path):
    file = File(BUNDLE_MAIN, PLAIN, b"raise SystemExit(3)")
    payload = Payload(OWN_BOT, Contestant("bot", "bot", is_tried=True), (file,), BUNDLE_MAIN)
    with pytest.raises(PlayerError, match="the program ended with status 3 before its first turn"):
        unpack_and_try(payload, tmp_path, PLAN, threading.Event())
