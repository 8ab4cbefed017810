"""The weights that the package comes with: what is said where they are missing or damaged, and that play goes on."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.backends.sources import cache_root
from bot.games import NAMES, fault_in_data, has_data
from bot.games.connect_four.network_weights import NETWORK_FILE
from bot.games.connect_four.policy_weights import POLICY_FILE
from bot.games.reversi import weights as patterns_file
from tests.places import REPOSITORY

DATA_STATUS = 3
# What has the path of each file, under which name, the file's game, and the command that learns it anew.
FILES = {
    "network": (NETWORK_FILE, "path", "connect_four", "train_connect_four"),
    "policy": (POLICY_FILE, "path", "connect_four", "train_policy"),
    "patterns": (patterns_file, "_PATH", "reversi", "train_reversi"),
}


def cut_short(content):
    return content[:-100]


def another_number(content):
    return content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 0xFF]) + content[len(content) // 2 + 1 :]


def another_first_line(content):
    return b"x" + content[1:]


def remove(package, name):
    weights_in(package, name).unlink()


def damage(package, name):
    weights = weights_in(package, name)
    weights.write_bytes(another_number(weights.read_bytes()))


def weights_in(package, name):
    holder, path, *_ = FILES[name]
    return package / os.path.relpath(getattr(holder, path), REPOSITORY)


@pytest.fixture
def package(tmp_path):
    """A copy of the bot."""
    for name in ("bot", "protocol", "judge"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(package, *words):
    """A module of the copy, with the engines that these tests have."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package), "DROPFOUR_CACHE_DIR": cache_root()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_the_packages_own_data_are_sound():
    assert {game: has_data(game) for game in NAMES} == {game: game in ("connect_four", "reversi") for game in NAMES}
    assert {fault_in_data(game) for game in NAMES} == {""}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_or_damaged_is_named(name, tmp_path, monkeypatch):
    holder, path, game, command = FILES[name]
    content, copy = Path(getattr(holder, path)).read_bytes(), tmp_path / "weights.bin"
    monkeypatch.setattr(holder, path, str(copy))
    learnt_anew = f"git restores the file, scripts/{command} learns it anew"
    assert fault_in_data(game) == f"{copy}: No such file or directory; {learnt_anew}"
    for change in (cut_short, another_number, another_first_line, lambda content: b""):
        copy.write_bytes(change(content))
        fault = fault_in_data(game)
        assert fault.startswith(f"{copy}: ") and fault.endswith(learnt_anew), fault
    copy.write_bytes(content)
    assert fault_in_data(game) == ""


def test_it_is_an_error_before_a_game_but_for_who_learns_them_and_for_other_games(package):
    damage(package, "network")
    done = run(package, "bot.compiled", "connect_four")
    assert done.returncode == DATA_STATUS
    assert "weights.bin: damaged" in done.stderr and "scripts/train_connect_four learns it anew" in done.stderr
    done = run(package, "bot.compiled", "--without-data", "connect_four")
    assert (done.returncode, done.stderr) == (0, "")
    assert run(package, "bot.compiled", "dots").returncode == 0


@pytest.mark.parametrize(
    "words, game",
    [
        (("match", "bot", "bot", "--games", "2"), "connect_four"),
        (("check", "bot"), "reversi"),
        (("play", "bot", "bot"), "connect_four"),
    ],
)
def test_no_judged_game_begins_without_them(package, words, game):
    remove(package, {"connect_four": "policy", "reversi": "patterns"}[game])
    done = run(package, "judge", *words, "--game", game)
    assert done.returncode == 2
    (said,) = [line for line in done.stderr.splitlines() if line.startswith(f"error: player 'bot': {game}: ")]
    assert ".bin: No such file or directory" in said
    assert not (package / "records").exists()


@pytest.mark.parametrize("name, change", [("network", damage), ("policy", remove), ("patterns", remove)])
def test_in_a_game_the_bot_says_so_in_one_line_and_plays_on(package, name, change):
    change(package, name)
    game = FILES[name][2]
    logs = [package / name for name in ("first.log", "second.log")]
    bot = f"exec {shlex.quote(sys.executable)} -m bot --game {game} --iterations 50"
    players = [shlex.join(["sh", "-c", f"{bot} 2>{shlex.quote(str(log))}"]) for log in logs]
    words = ("--game", game, "--limit", "60", "--seed", "1", "--json", "--sandbox", "off")  # each writes its log
    done = run(package, "judge", "play", *players, *words)
    assert done.returncode == 0
    assert '"termination": "NORMAL"' in done.stdout
    for log in logs:
        said = [line for line in log.read_text().splitlines() if "weights" in line]
        assert len(said) == 1 and said[0].startswith("dropfour: it plays without its weights: ")
