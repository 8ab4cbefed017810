"""The weights that the package comes with: what is said where they are missing or damaged, and that play goes on."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest

from bot.backends.sources import cache_root
from bot.games import NAMES, fault_in_data
from tests.places import REPOSITORY

DATA_STATUS = 3
WEIGHTS = {
    "connect_four": "bot/games/connect_four/evaluation/weights.bin",
    "reversi": "bot/games/reversi/weights/weights.bin",
}
every_game = pytest.mark.parametrize("game", WEIGHTS)


@pytest.fixture
def package(tmp_path):
    """A copy of the bot."""
    for name in ("bot", "protocol", "judge"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def remove(package, game):
    (package / WEIGHTS[game]).unlink()


def damage(package, game):
    weights = package / WEIGHTS[game]
    content = bytearray(weights.read_bytes())
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


@every_game
@pytest.mark.parametrize("change, said", [(remove, "No such file"), (damage, "damaged")])
def test_missing_or_damaged_weights_are_an_error_before_a_game(package, game, change, said):
    change(package, game)
    done = run(package, "bot.compiled", game)
    assert done.returncode == DATA_STATUS
    assert f"weights.bin: {said}" in done.stderr and f"scripts/train_{game} learns it anew" in done.stderr


@every_game
def test_who_learns_them_starts_without_them(package, game):
    remove(package, game)
    done = run(package, "bot.compiled", "--without-data", game)
    assert (done.returncode, done.stderr) == (0, "")


@every_game
def test_other_games_do_without_them(package, game):
    remove(package, game)
    assert [run(package, "bot.compiled", other).returncode for other in NAMES if other != game] == [0, 0]


@pytest.mark.parametrize(
    "words",
    [
        ("match", "bot", "bot", "--games", "2"),
        ("check", "bot"),
        ("play", "bot", "bot"),
    ],
)
@every_game
def test_no_judged_game_begins_without_them(package, words, game):
    remove(package, game)
    done = run(package, "judge", *words, "--game", game)
    assert done.returncode == 2
    (said,) = [line for line in done.stderr.splitlines() if line.startswith(f"error: player 'bot': {game}: ")]
    assert "weights.bin" in said
    assert not (package / "records").exists()


@every_game
@pytest.mark.parametrize("change", [remove, damage])
def test_in_a_game_the_bot_says_so_in_one_line_and_plays_on(package, game, change):
    change(package, game)
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
