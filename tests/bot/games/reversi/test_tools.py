"""`python -m bot analyze` and `bench` at reversi as a user runs them."""

import json
import subprocess
import sys

import pytest

from tests.bot.helpers.bot_process import REPOSITORY

# White has taken a corner; X, to move, has b8 alone to play.
DRAWING = """
    a b c d
 1  O O O O
 2  O X O O
 3  O O O .
 4  . X . .
"""


def run_tool(*words, drawing=None):
    return subprocess.run(
        [sys.executable, "-m", "bot", *map(str, words)],
        cwd=REPOSITORY,
        input=drawing,
        text=True,
        capture_output=True,
        check=False,
    )


def analyze(*words, drawing=None):
    done = run_tool("analyze", "--game", "reversi", "--json", *words, drawing=drawing)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_moves_are_named_as_people_do():
    found = analyze("--moves", "d3,c3,c4", "--iterations", 20000)
    assert (
        found["best"] in ("c2", "d2", "e3", "c5", "b3", "e2", "b2", "f5", "e6", "f6")
        and found["pv"][0] == found["best"]
    )
    assert found["depth"] > 3 and -1 <= found["value"] <= 1


def test_a_small_board_is_solved():
    found = analyze("--size", 4, "--exact")
    assert (found["proven"], found["proven_by"], found["score"]) == (
        "loss",
        "solver",
        -10,
    )  # 3 discs to 11, and 2 empty
    done = run_tool("analyze", "--game", "reversi", "--size", 4, "--exact")
    assert "score        -10 for the side to move" in done.stdout.splitlines()


def test_a_drawn_board_and_whose_turn_it_is():
    for_x = analyze("--board", "--to-move", "X", "--iterations", 1000, drawing=DRAWING)
    for_o = analyze("--board", "--to-move", "O", "--iterations", 1000, drawing=DRAWING)
    assert for_x["best"] != for_o["best"]


@pytest.mark.parametrize("size", (9, 10))
def test_large_boards_are_searched_too(size):
    assert analyze("--size", size, "--iterations", 2000)["depth"] >= 2


@pytest.mark.parametrize(
    "words, drawing, message",
    [
        (("--moves", "d3,d3"), None, "move 2 is 'd3'; expected one of"),
        (("--moves", "z9"), None, "move 1 is 'z9'"),
        (("--size", "11"), None, "expected 4 to 10, got '11'"),
        (("--to-move", "X"), None, "--to-move: only for --board"),
        (("--board",), "X O\nO X", "expected 4 to 10 rows, got 2"),
        (("--board",), "....\n...\n....\n....", "row 2 has 3 cells, expected 4"),
        (("--board",), "....\n.Z..\n....\n....", "unexpected 'Z'"),
        (("--board",), "....\n.XX.\n....\n....", "the game is over"),
        (("--rows", "9"), None, "unrecognized arguments: --rows 9"),
        (("--preset", "puct-basic"), None, "preset 'puct-basic': unknown"),
    ],
)
def test_wrong_input_is_named(words, drawing, message):
    done = run_tool("analyze", "--game", "reversi", *words, drawing=drawing)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_signature_is_the_same_for_every_backend_and_changes_with_the_preset_measured(kernels_of):
    kernels_of("reversi")  # compiled, if no other test has had it done
    found = []
    for backend in ("native", "jit"):
        done = run_tool("bench", "--game", "reversi", "--seconds", 0.02, "--json", "--backend", backend)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert found[0]["signature"] == found[1]["signature"]
    assert found[0]["iterations_per_s"] > 10_000 and found[0]["rollouts_per_s"] is None
    refused = run_tool("bench", "--game", "reversi", "--preset", "random")
    assert refused.returncode == 2 and "engine=pvs" in refused.stderr


def test_an_unknown_game_is_named():
    done = run_tool("--game", "chess")
    assert (done.returncode, done.stdout) == (2, "") and "chess" in done.stderr
