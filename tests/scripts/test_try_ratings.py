"""The script that tries ratings on players of known strength: it runs, and its figures are possible."""

import json
import sys

import pytest

from rating_trials.__main__ import main
from tests.places import REPOSITORY
from tests.scripts.helpers.run_here import run_here

WORDS = ("--worlds", 2, "--players", 4, "--rounds", 4, "--target-error", 120, "--seed", 3)


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["try_ratings", *map(str, words)])
    done = run_here(lambda _words: main() or 0, REPOSITORY, ())
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_ways_to_choose_are_tried_on_the_same_players(monkeypatch):
    found = json.loads(run(monkeypatch, *WORDS, "--json"))
    assert set(found) == {"round robin", "adaptive"}
    for figures in found.values():
        assert 0 <= figures["covered"] <= 1
        assert len(figures["pairs"]) == 2
        assert all(pairs % 8 == 0 for pairs in figures["pairs"])
    assert json.loads(run(monkeypatch, *WORDS, "--json")) == found
    lines = run(monkeypatch, *WORDS).splitlines()
    assert lines[0].startswith("round robin  covered ")
    assert lines[3].split()[:4] == ["pairs", "to", "+-120:", "mean"]


@pytest.mark.parametrize("words", [("--players", "0"), ("--worlds", "x"), ("--nothing",)])
def test_other_words_are_refused(monkeypatch, words):
    monkeypatch.setattr(sys, "argv", ["try_ratings", *words])
    assert run_here(lambda _words: main() or 0, REPOSITORY, ()).returncode == 2
