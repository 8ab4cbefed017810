"""scripts/measure speed, judge and pages: that they run, and that what they count and solve is the known."""

import re

import pytest

from measurement import __main__ as measure
from tests.scripts.helpers.run_here import run_here


def measured(folder, *words):
    """stdout of the command, which must succeed."""
    done = run_here(measure.main, folder, words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_reversis_games_and_endgames_are_the_known_ones(tmp_path):
    assert measured(tmp_path, "speed", "perft", "--depth", 6).splitlines()[-1].startswith("perft 6: 8,200 games, ")
    assert "FFO 40: +38 in " in measured(tmp_path, "speed", "ffo", "--last", 40)


def test_a_board_of_dots_and_random_positions_are_solved(tmp_path):
    assert measured(tmp_path, "speed", "dots", "--board", "3x2").startswith("3x2: -2 boxes for the first player, by ")
    words = ("speed", "dots", "--size", "3x3", "--free", 12, "--count", 3, "--table-mb", 16)
    assert measured(tmp_path, *words).startswith("3 of 3 solved; median ")


def test_what_cannot_be_measured_is_named(tmp_path):
    for words, complaint in (
        ((), "strength   matches"),
        (("nothing",), "strength   matches"),
        (("speed", "start-up", "--bundle", "none.zip"), "none.zip is not there: run scripts/build_bundle"),
        (("speed", "dots", "--size", "2x2", "--free", 1), "no safe play leaves 1 free edges"),
        (("judge", "--turns", "0"), "expected a whole number of 1 or more, got '0'"),
    ):
        done = run_here(measure.main, tmp_path, words)
        assert done.returncode == 2 and complaint in done.stderr, done


@pytest.mark.slow
def test_the_bundle_starts_and_moves_in_time(tmp_path, zips):
    bundle = ("--bundle", zips("connect_four"))
    assert "with byte code: " in measured(tmp_path, "speed", "start-up", *bundle, "--count", 3)
    done = run_here(measure.main, tmp_path, ("speed", "first-moves", *bundle, "--limit", 3, "--count", 1, "--loops", 1))
    shown = re.match(r"limit 3 s: 1 first moves, ([01]) late; past the soft deadline \(2\.\d+ s\) by -?\d", done.stdout)
    assert shown and done.returncode == int(shown[1]), done


@pytest.mark.slow
def test_the_judge_is_measured(tmp_path):
    shown = measured(tmp_path, "judge", "--turns", 20, "--games", 2)
    for name in ("stamp", "charged, jobs 1", "games/s, jobs 1", "charged, jobs 2", "games/s, jobs 2"):
        assert re.search(rf"^{name} +\d+\.\d+", shown, re.MULTILINE), shown
