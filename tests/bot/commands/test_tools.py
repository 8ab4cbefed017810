"""`python -m bot analyze`, `bench` and `presets` as a user runs them."""

import json
import subprocess
import sys

import pytest

from bot.backends import native
from bot.games import NAMES, adapter_of
from tests.bot.helpers.bot_process import REPOSITORY


def run_tool(*words, given=""):
    """The finished process of `python -m bot WORDS`, in text."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *map(str, words)],
        cwd=REPOSITORY,
        input=given,
        text=True,
        capture_output=True,
        timeout=600,
        check=False,
    )


def analysis(*words, given=""):
    done = run_tool("analyze", *words, "--json", given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_an_open_position_is_told_in_full():
    found = analysis("--rows", 12, "--cols", 12, "--forbidden", "11,3", "--moves", "5,5,6", "--budget", 0.4)
    assert {"best", "value", "proven", "proven_by", "pv", "iterations", "elapsed_s"} <= set(found)
    assert found["best"] == found["pv"][0] and 0 <= found["best"] < 12
    assert -1 <= found["value"] <= 1
    assert (found["proven"], found["proven_by"]) == (None, None)
    assert found["iterations"] > 100
    # Search time, all of the budget; start-up is not in it.
    assert 0.4 <= found["elapsed_s"] < 20


def test_iterations_and_seed_decide_all_but_the_time():
    words = ("--rows", 9, "--cols", 10, "--iterations", 3000, "--seed", 5)
    first, second = analysis(*words), analysis(*words)
    for found in (first, second):
        assert found.pop("elapsed_s") > 0
    assert first == second
    assert first["iterations"] == 3000


@pytest.mark.parametrize(
    "moves, best, proven, proven_by",
    [
        ("0,6,1,6,2", 3, None, None),  # the forced block
        ("0,6,1,6,2,5", 3, "win", "tactics"),
        ("3,3,2,2", None, "win", "search"),  # an open three
        ("3,6,2,6,4", None, "loss", "tactics"),  # two cells to block
    ],
)
def test_solved_positions(moves, best, proven, proven_by):
    found = analysis("--rows", 6, "--cols", 7, "--moves", moves, "--iterations", 2000)
    assert (found["proven"], found["proven_by"]) == (proven, proven_by)
    assert found["value"] == {"win": 1.0, "loss": -1.0}.get(proven, found["value"])
    assert best is None or found["best"] == best


def test_an_exact_solution_tells_the_distance():
    found = analysis("--rows", 4, "--cols", 6, "--exact")
    assert (found["proven"], found["proven_by"], found["plies"]) == ("loss", "solver", 24)
    assert found["nodes"] > 1000
    open_still = analysis("--rows", 10, "--cols", 10, "--exact", "--budget", 0.2)
    assert (open_still["best"], open_still["proven"], open_still["plies"]) == (None, None, None)


@pytest.mark.parametrize(
    "words, complaint",
    [
        (("--exact", "--iterations", 5), "--exact counts no iterations"),
        (("--exact", "--preset", "puct-basic"), "--exact needs the solver"),
    ],
)
def test_what_cannot_be_solved_is_said(words, complaint):
    done = run_tool("analyze", "--rows", 4, "--cols", 4, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr


def test_a_small_board_is_a_proven_draw():
    """By rollouts: where a network has its say too, every move is not worth the same, and the proof takes longer."""
    settings = ("--set", "exploration=10", "--set", "network_share=0")
    found = analysis("--rows", 4, "--cols", 4, "--iterations", 4_000_000, *settings)
    assert (found["proven"], found["proven_by"], found["value"]) == ("draw", "search", 0.0)


def test_a_drawn_board_is_the_same_position_as_its_moves():
    drawing = "    0  1  2  3  4\n 0  .  .  .  .  .\n 1  .  .  #  .  .\n 2  . [X] .  .  .\n 3  O  X  O  X  .\n"
    by_board = analysis("--board", "--iterations", 500, "--seed", 1, given=drawing)
    by_moves = analysis(
        "--rows", 4, "--cols", 5, "--forbidden", "1,2", "--moves", "1,0,3,2,1", "--iterations", 500, "--seed", 1
    )
    assert by_board.pop("elapsed_s") > 0 and by_moves.pop("elapsed_s") > 0
    assert by_board == by_moves


@pytest.mark.parametrize(
    "words, given, expected",
    [
        (("--rows", 13, "--cols", 7), "", "expected 4 to 12, got '13'"),
        (("--cols", 7), "", "expected --rows and --cols, or --board"),
        (("--rows", 6, "--cols", 7, "--moves", "3,9"), "", "--moves: move 2 is '9'; expected one of the columns"),
        (("--rows", 6, "--cols", 7, "--moves", "0,1,0,1,0,1,0,2"), "", "the game is over after move 7"),
        (("--rows", 6, "--cols", 7, "--forbidden", "6,0"), "", "--forbidden: 6,0 is not on a board of 6 rows"),
        (("--rows", 6, "--cols", 7, "--preset", "none"), "", "preset 'none': unknown; expected one of"),
        (("--rows", 6, "--cols", 7, "--backend", "python"), "", "error: --backend python has no compiled search\n"),
        (("--board",), ". . . .\n. X . .\n. . . .\n. . . .\n", "a stone floats in column 1"),
        (("--board",), ". . . .\n. . . .\n. . .\n. . . .\n", "row 2 has 3 cells, row 0 has 4"),
        (("--board",), ". . . .\n. . . .\n. . . .\nX X . .\n", "got 2 X and 0 O"),
    ],
)
def test_what_cannot_be_analysed_is_named(words, given, expected):
    done = run_tool("analyze", *words, given=given)
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stdout == ""


def bench(*words):
    done = run_tool("bench", "--seconds", 0.02, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_signature_stands_for_the_search_alone():
    first, again, other = bench(), bench("--backend", "jit"), bench("--set", "exploration=2.5")
    for figures in (first, again, other):
        assert {
            "signature",
            "rollouts_per_s",
            "iterations_per_s",
            "ns_per_ply",
            "nodes",
            "megabytes",
            "backend",
        } <= set(figures)
        assert figures["rollouts_per_s"] > 0 and figures["iterations_per_s"] > 0 and figures["nodes"] > 0
    assert first["signature"] == again["signature"] != other["signature"]
    assert again["backend"] == "numba"
    assert first["backend"] == other["backend"] in (*native.NAMES, "numba")


def test_speeds_are_compared_in_turns():
    ratios = bench("--against", "uct-plain")
    assert set(ratios) == {"rollouts_per_s", "plies_per_s", "iterations_per_s"}
    for lowest, median, highest in ratios.values():
        assert 0 < lowest <= median <= highest
    assert ratios["rollouts_per_s"][1] < 1.0  # tactics take time


@pytest.mark.parametrize(
    "words, expected",
    [
        (("--against", "fastest"), "--against: preset 'fastest': unknown; expected one of"),
        (("--against", "default"), "--against default: expected other settings than those measured"),
        (("--against", "alphabeta"), "expected settings with engine=uct, got engine=alphabeta"),
    ],
)
def test_what_cannot_be_compared_is_named(words, expected):
    done = run_tool("bench", *words)
    assert done.returncode == 2
    assert expected in done.stderr


def test_the_frozen_preset_is_the_first_release():
    """puct-basic must not move when the default does: this is what it searched when it was frozen."""
    assert bench("--preset", "puct-basic")["signature"] == "d6a0faeab328"


@pytest.mark.parametrize("game", NAMES)
def test_presets_are_listed_one_a_line(game):
    done = run_tool("presets", "--game", game)
    assert (done.returncode, done.stdout.splitlines()) == (0, list(adapter_of(game).PRESETS))


def test_presets_of_no_game_are_refused():
    done = run_tool("presets", "--game", "chess")
    assert (done.returncode, done.stdout) == (2, "")
    assert "chess" in done.stderr
