"""The weights that the package comes with: what is said where they are missing or damaged, and that play goes on."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest

from bot.backends.sources import cache_root
from bot.games import NAMES, fault_in_data
from bot.games.reversi.weights import weights_file
from tests.places import REPOSITORY

DATA_STATUS = 3


@pytest.fixture
def package(tmp_path):
    """A copy of the bot without weights."""
    for name in ("bot", "protocol", "judge"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    weights = tmp_path / "bot" / "games" / "reversi" / "weights" / weights_file.NAME
    weights.unlink()
    return tmp_path


def damage(package):
    weights = package / "bot" / "games" / "reversi" / "weights" / weights_file.NAME
    content = bytearray((REPOSITORY / weights.relative_to(package)).read_bytes())
    content[len(content) // 2] ^= 0xFF
    weights.write_bytes(content)


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
    assert {fault_in_data(game) for game in NAMES} == {""}


@pytest.mark.parametrize("change, said", [(lambda package: None, "No such file"), (damage, "damaged")])
def test_missing_or_damaged_weights_are_an_error_before_a_game(package, change, said):
    change(package)
    done = run(package, "bot.compiled", "reversi")
    assert done.returncode == DATA_STATUS
    assert f"{weights_file.NAME}: {said}" in done.stderr and "scripts/train_reversi learns it anew" in done.stderr


def test_who_learns_them_starts_without_them(package):
    done = run(package, "bot.compiled", "--without-data", "reversi")
    assert (done.returncode, done.stderr) == (0, "")


def test_other_games_do_without_them(package):
    assert run(package, "bot.compiled", "dots").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("match", "bot", "bot", "--games", "2"),
        ("check", "bot"),
        ("play", "bot", "bot"),
    ],
)
def test_no_judged_game_begins_without_them(package, words):
    done = run(package, "judge", *words, "--game", "reversi")
    assert done.returncode == 2
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("error: player 'bot': reversi: ")]
    assert weights_file.NAME in said
    assert not (package / "records").exists()


@pytest.mark.parametrize("change", [lambda package: None, damage])
def test_in_a_game_the_bot_says_so_in_one_line_and_plays_on(package, change):
    change(package)
    logs = [package / name for name in ("first.log", "second.log")]
    bot = f"exec {shlex.quote(sys.executable)} -m bot --game reversi --iterations 50"
    players = [shlex.join(["sh", "-c", f"{bot} 2>{shlex.quote(str(log))}"]) for log in logs]
    words = ("--game", "reversi", "--limit", "60", "--seed", "1", "--json", "--sandbox", "off")  # each writes its log
    done = run(package, "judge", "play", *players, *words)
    assert done.returncode == 0
    assert '"termination": "NORMAL"' in done.stdout
    for log in logs:
        said = [line for line in log.read_text().splitlines() if "weights" in line]
        assert len(said) == 1 and said[0].startswith("dropfour: it plays without its weights: ")
