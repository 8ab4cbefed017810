"""`python -m bot analyze` at dots and boxes as a user runs it."""

import inspect
import json
import subprocess
import sys

import pytest

from bot.games.dots.entry_points import ENTRY_POINTS
from tests.bot.helpers.bot_process import REPOSITORY

ALPHABETA = ("--preset", "alphabeta")
# Two boxes may be taken at the left, or left to the other side by the edge at the right.
DRAWING = """
+---+---+---+
|           |
+---+---+---+
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
    done = run_tool("analyze", "--game", "dots", "--json", *words, drawing=drawing)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_small_board_is_searched_to_its_end():
    found = analyze("--size", "2x2", "--budget", 200, *ALPHABETA)
    assert (found["proven"], found["proven_by"], found["value"]) == ("win", "search", 0.5)
    assert found["pv"][0] == found["best"] and len(found["best"]) == 3


def test_a_small_board_is_solved():
    found = analyze("--size", "2x3", "--exact")
    assert (found["proven"], found["proven_by"], found["score"]) == ("loss", "solver", -2)
    assert len(found["best"]) == 3


def test_the_default_names_the_turn_that_the_solver_has_found():
    found = analyze("--board", "--budget", 20, drawing=DRAWING)
    assert (found["best"], found["proven"], found["proven_by"]) == ("BBABCA", "win", "solver")


def test_the_signature_is_the_same_for_every_backend(kernels_of):
    kernels_of("dots")  # compiled, if no other test has had it done
    found = []
    for backend in ("native", "jit"):
        done = run_tool("bench", "--game", "dots", "--seconds", 0.02, "--json", "--backend", backend)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert found[0]["signature"] == found[1]["signature"]
    assert min(found[0][speed] for speed in ("iterations_per_s", "rollouts_per_s", "solver_nodes_per_s")) > 1000


def test_turns_are_named_edge_by_edge():
    found = analyze("--board", "--iterations", 1000, *ALPHABETA, drawing=DRAWING)
    assert found["best"] == "BBABCA" and found["proven"] == "win"


@pytest.mark.parametrize(
    "words, message",
    [
        (("--moves", "AAA,AAA"), "edge 2, in 'AAA': expected one of"),
        (("--size", "9x9"), "expected RxC, 1 to 7 boxes each, got '9x9'"),
        (("--rows", "9"), "unrecognized arguments: --rows 9"),
        (("--preset", "puct-basic"), "preset 'puct-basic': unknown"),
        (("--exact", *ALPHABETA), "--exact needs the solver"),
    ],
)
def test_wrong_input_is_named(words, message):
    done = run_tool("analyze", "--game", "dots", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_entry_points_are_what_the_kernels_define(kernels_of):
    kernels = kernels_of("dots")
    found = {
        name: len(inspect.signature(function.py_func).parameters)
        for name, function in vars(kernels).items()
        if hasattr(function, "py_func") and function.py_func.__module__ == kernels.__name__
    }
    assert found == ENTRY_POINTS
