"""The simulation of many workers: what follows from its settings by hand, and its lines and picture."""

import dataclasses
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from cluster_simulation.chart import chart
from cluster_simulation.model import Cluster, heartbeat_interval_s, simulated
from tests.places import REPOSITORY

PERFECT = {
    "spread": 0.0,
    "stragglers": 0.0,
    "deaths": 0.0,
    "scheduler_s": 0.0,
    "client_s": 0.0,
    "heartbeat_s": 0.0,
}


def test_workers_without_faults_play_as_fast_as_they_can():
    outcome = simulated(Cluster(5, game_s=30.0, **PERFECT), 100, seed=1)
    assert outcome.seconds == pytest.approx(100 / 5 * 2 * 30.0)
    assert outcome.games_a_minute == pytest.approx(5 / 30.0 * 60.0)
    assert (outcome.lost, outcome.scheduler, outcome.client, outcome.idle) == (0, 0.0, 0.0, 0.0)
    assert outcome.wasted == 0 or outcome.wasted <= 5


def test_a_scheduler_that_takes_longer_than_the_pairs_is_the_limit():
    outcome = simulated(Cluster(100, game_s=1.0, **{**PERFECT, "scheduler_s": 0.1}), 500, seed=1)
    assert outcome.games_a_minute == pytest.approx(2 * 60.0 / 0.1, rel=0.1)
    assert outcome.scheduler == pytest.approx(1.0, abs=0.1) and outcome.idle > 0.5


def test_pairs_of_workers_that_die_are_played_again():
    cluster = Cluster(20, game_s=60.0, **{**PERFECT, "deaths": 6.0})
    outcome = simulated(cluster, 400, seed=3)
    assert 20 < outcome.lost < 400
    sound = simulated(dataclasses.replace(cluster, deaths=0.0), 400, seed=3)
    assert outcome.seconds > sound.seconds and sound.lost == 0
    silent = simulated(dataclasses.replace(cluster, silent=1.0, timeout_s=600.0), 400, seed=3)
    assert silent.seconds > outcome.seconds


def test_stragglers_waste_what_the_others_play_meanwhile():
    """The last pairs that count are theirs."""
    slow = Cluster(100, **{**PERFECT, "stragglers": 0.1, "straggler_speed": 0.1})
    assert simulated(slow, 1000, seed=1).wasted > simulated(Cluster(100, **PERFECT), 1000, seed=1).wasted + 100


def test_the_same_seed_gives_the_same_outcome():
    assert simulated(Cluster(30), 500, seed=5) == simulated(Cluster(30), 500, seed=5)
    assert simulated(Cluster(30), 500, seed=5) != simulated(Cluster(30), 500, seed=6)


def test_more_workers_speak_less_often():
    intervals = [heartbeat_interval_s(number) for number in (1, 10, 49, 199, 1000, 10_000)]
    assert intervals == sorted(intervals)


def test_the_script_prints_a_line_for_each_number_and_draws_them(tmp_path):
    script = REPOSITORY / "scripts" / "simulate_cluster"
    words = [str(script), "--workers", "1,20,300", "--pairs", "300", "--runs", "2", "--picture", tmp_path / "it.svg"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "20", "300"]
    drawn = ElementTree.fromstring((tmp_path / "it.svg").read_text())
    curves = {path.get("class") for path in drawn.iter("{http://www.w3.org/2000/svg}path")}
    assert curves == {"ideal", "games", "scheduler", "client", "wasted"}


def test_the_picture_is_the_same_for_the_same_figures():
    figures = [{"workers": n, "games_a_minute": 1.0 * n, "perfect": 2.0 * n, "seconds": 60.0} for n in (1, 1000)]
    found = [{**one, "scheduler": 0.1, "client": 0.2, "wasted": 3} for one in figures]
    assert chart(found) == chart(found) and chart(found).endswith("</svg>\n")
