"""The measuring script for pages: it runs, and what it says of size and speed holds for pages of a few games."""

import json
import subprocess

import pytest

from judge.games import GAMES
from tests.judge.pages.helpers.browser import browser  # noqa: F401  # a fixture
from tests.places import REPOSITORY


@pytest.mark.usefixtures("browser")  # skipped, or failed, where there is none
def test_the_script_measures_what_it_says():
    words = ["--games", "20", "--times", "2", "--json"]
    done = subprocess.run(
        [str(REPOSITORY / "scripts" / "bench_view"), *words], capture_output=True, text=True, check=True
    )
    found = {line["game"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert set(found) == set(GAMES)
    for line in found.values():
        assert line["games"] == 20 and 0 < line["different"] <= 20 and line["plies"] > 1
        assert 0 < line["bytes"] < line["record_bytes"] + 1_000_000
        assert 0 < line["first_board_s"]["median"] <= line["first_board_s"]["longest"]
