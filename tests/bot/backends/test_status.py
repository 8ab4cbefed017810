"""`python -m bot.backends.status`: what a bot would play with, without compiling anything."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from bot.backends import native, status
from bot.backends.jit import MARKER, cache_directory, is_available
from bot.backends.native_build import why_impossible
from bot.games import NAMES
from tests.places import REPOSITORY

WITH_WEIGHTS = {
    "connect_four": "bot/games/connect_four/weights.bin",
    "reversi": "bot/games/reversi/weights.bin",
}


def test_every_game_has_a_line():
    command = [sys.executable, "-S", "-m", "bot.backends.status"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["game"] for line in lines] == list(NAMES)
    assert [line["game"] for line in lines if line["data_fault"] is not None] == list(WITH_WEIGHTS)


def test_what_is_built_is_found():
    if why_impossible() is not None:
        pytest.skip("no native engine can be built here")
    for game in NAMES:
        found = status.status_of(game)
        facts = (found["game"], found["kernels"], found["engine"] in native.runnable(), found["impossible"])
        assert facts == (game, "native", True, None)
        assert found["data_fault"] == ("" if game in WITH_WEIGHTS else None)


def test_without_anything_compiled_nothing_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "cache"))
    found = status.status_of(NAMES[0])
    assert (found["kernels"], found["engine"], found["reason"]) == ("none", None, "no native engine here")
    assert found["numba"] is is_available()
    assert found["cache"] == str(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_numbas_cache_is_found_where_there_is_no_engine(tmp_path, monkeypatch):
    if not is_available():
        pytest.skip("numba is not installed")
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))
    folder = cache_directory(NAMES[0])
    os.makedirs(folder)
    assert status.status_of(NAMES[0])["kernels"] == "none"  # still being filled
    with open(os.path.join(folder, MARKER), "w"):
        pass
    assert status.status_of(NAMES[0])["kernels"] == "numba"


def test_data_that_cannot_be_used_are_told(tmp_path):
    for package in ("bot", "protocol"):
        shutil.copytree(REPOSITORY / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / WITH_WEIGHTS["connect_four"]).unlink()
    weights = tmp_path / WITH_WEIGHTS["reversi"]
    weights.write_bytes(weights.read_bytes()[:-1000])
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "DROPFOUR_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-S", "-m", "bot.backends.status"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    missing, damaged, none = [json.loads(line)["data_fault"] for line in done.stdout.splitlines()]
    assert "No such file" in missing and "damaged" in damaged and none is None
