"""Tools for whoever works on the code, which nobody ships: that they run."""

import json
import sys

import pytest

from cluster_simulation.model import Cluster, simulated
from dots_solving import __main__ as solve_dots
from rating_trials.__main__ import main as try_ratings
from tests.scripts.helpers.run_here import run_here

pytestmark = pytest.mark.slow


def test_workers_without_faults_play_as_fast_as_they_can():
    perfect = dict.fromkeys(("spread", "stragglers", "deaths", "scheduler_s", "client_s", "heartbeat_s"), 0.0)
    outcome = simulated(Cluster(5, game_s=30.0, **perfect), 100, seed=1)
    assert outcome.seconds == pytest.approx(100 / 5 * 2 * 30.0)
    assert (outcome.lost, outcome.scheduler, outcome.client, outcome.idle) == (0, 0.0, 0.0, 0.0)
    assert simulated(Cluster(30), 500, seed=5) == simulated(Cluster(30), 500, seed=5)


def test_ratings_are_tried_on_the_same_players(monkeypatch, tmp_path):
    words = ["--worlds", "2", "--players", "4", "--rounds", "4", "--target-error", "120", "--seed", "3", "--json"]
    monkeypatch.setattr(sys, "argv", ["try_ratings", *words])
    done = run_here(lambda _words: try_ratings() or 0, tmp_path, ())
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == {"round robin", "adaptive"}


def test_a_board_of_dots_is_solved_and_kept(tmp_path):
    words = ("3x2", "--table-mb", "16", "--keep", "table")
    for _ in range(2):
        done = run_here(solve_dots.main, tmp_path, words)
        assert done.returncode == 0 and done.stdout.startswith("3x2: -2 boxes for the first player, by "), done.stderr
    assert "going on with table" in done.stderr
