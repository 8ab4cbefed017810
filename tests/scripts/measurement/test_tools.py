"""scripts/measure speed, judge and pages: that they run, and that what they count and solve is the known."""

import dataclasses
import re
import subprocess
import sys
from datetime import datetime, timezone

import pytest

from measurement import __main__ as measure
from measurement import judge
from protocol.records.record import Move
from tests.judge.helpers.random_games import recorded_game
from tests.places import REPOSITORY
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


def test_turns_are_counted_where_they_were_made():
    game = recorded_game("reversi")
    moves = tuple(Move("AB"[ply % 2], move.move, 10.0) for ply, move in enumerate(game.moves[:6]))
    game = dataclasses.replace(game, moves=moves, finished="2026-11-22T12:01:00+00:00")
    minute = [datetime(2026, 11, 22, 12, number, tzinfo=timezone.utc) for number in (0, 1, 2)]
    assert judge.turns_a_minute([game], *minute[:2]) == 5  # the last one ends with the minute
    assert judge.turns_a_minute([game], *minute[1:]) == 1


def test_a_ratio_has_an_error():
    without, with_them, ratio, error = judge.compared([100.0, 110.0, 90.0], [95.0, 105.0, 85.0])
    assert (without, with_them, ratio) == (100.0, 95.0, 0.95)
    assert error == pytest.approx(0.95 * ((10**2 / 3 / 100**2) + (10**2 / 3 / 95**2)) ** 0.5)


@pytest.mark.slow
def test_a_match_is_followed(tmp_path):
    words = ["judge", "--clients", "2", "--parts", "1", "--seconds", "4", "--iterations", "200"]
    command = [sys.executable, REPOSITORY / "scripts" / "run_module.py", "measurement", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert re.search(r"turns a minute   without \d+\.\d  with \d+\.\d  ratio \d\.\d+", done.stdout), done.stderr
    assert "of a core" in done.stdout
