"""`python -m bot analyze`, `bench` and `presets`: what they find, print and refuse."""

import subprocess
import sys

import pytest

from bot.backends import native
from bot.commands import bench as bench_command
from bot.games import NAMES, adapter_of
from tests.bot.commands.helpers.tool import found_by, run_tool
from tests.bot.helpers.bot_process import REPOSITORY


def analysis(*words, given=""):
    return found_by("analyze", *words, given=given)


def test_it_is_a_command():
    """The only test here of a process of its own, from its words to its status."""
    command = [sys.executable, "-m", "bot", "analyze", "--rows", "9", "--cols", "9", "--iterations", "50", "--json"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout[:9]) == (0, "", '{"best": ')
    done = subprocess.run([*command, "--none"], cwd=REPOSITORY, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.endswith("unrecognized arguments: --none\n")


def test_an_open_position_is_told_in_full():
    found = analysis("--rows", 12, "--cols", 12, "--forbidden", "11,3", "--moves", "5,5,6", "--limit", 0.2)
    assert {"best", "value", "proven", "proven_by", "pv", "iterations", "elapsed_s"} <= set(found)
    assert found["best"] == found["pv"][0] and 0 <= found["best"] < 12
    assert -1 <= found["value"] <= 1
    assert (found["proven"], found["proven_by"]) == (None, None)
    assert found["iterations"] > 0
    # Search time, all of the budget; start-up is not in it.
    assert 0.2 <= found["elapsed_s"] < 20


def test_without_a_budget_it_takes_three_seconds(monkeypatch):
    budgets = []
    monkeypatch.setattr("bot.commands.analyze.opinion", lambda *words: budgets.append(words[2:4]) or 1 // 0)
    for words in ((), ("--limit", 5), ("--iterations", 7)):
        with pytest.raises(ZeroDivisionError):
            run_tool("analyze", "--rows", 9, "--cols", 9, *words)
    assert budgets == [(3.0, None), (5.0, None), (None, 7)]


def test_iterations_and_seed_decide_all_but_the_time():
    words = ("--rows", 9, "--cols", 10, "--iterations", 3000, "--seed", 5)
    first, second = analysis(*words), analysis(*words)
    for found in (first, second):
        assert found.pop("elapsed_s") > 0
    assert first == second
    assert first["iterations"] == 3000


SOLVED = [
    ("0,6,1,6,2", 3, None, None),  # the forced block
    ("0,6,1,6,2,5", 3, "win", "tactics"),
    ("3,3,2,2", None, "win", "search"),  # an open three
    ("3,6,2,6,4", None, "loss", "tactics"),  # two cells to block
]


def test_solved_positions():
    for moves, best, proven, proven_by in SOLVED:
        found = analysis("--rows", 6, "--cols", 7, "--moves", moves, "--iterations", 2000)
        assert (found["proven"], found["proven_by"]) == (proven, proven_by)
        assert found["value"] == {"win": 1.0, "loss": -1.0}.get(proven, found["value"])
        assert best is None or found["best"] == best


def test_an_exact_solution_tells_the_distance():
    found = analysis("--rows", 4, "--cols", 6, "--exact")
    assert (found["proven"], found["proven_by"], found["plies"]) == ("loss", "solver", 24)
    assert found["nodes"] > 1000
    done = run_tool("analyze", "--rows", 4, "--cols", 6, "--exact")
    words = [line.split()[:4] for line in done.stdout.splitlines()]
    assert words[0] == ["outcome", "loss", "in", "24"]
    assert [line[0] for line in words] == ["outcome", "best", "visited"]
    open_still = analysis("--rows", 10, "--cols", 10, "--exact", "--limit", 0.1)
    assert (open_still["best"], open_still["proven"], open_still["plies"]) == (None, None, None)
    assert open_still["proven_by"] is None
    done = run_tool("analyze", "--rows", 10, "--cols", 10, "--exact", "--limit", 0.1)
    assert done.stdout.startswith("outcome      not settled in the time\nvisited      ")
    scored = run_tool("analyze", "--game", "reversi", "--size", 4, "--moves", "b1", "--exact").stdout.splitlines()
    assert scored[2].startswith("score        ") and scored[2].endswith(" for the side to move")


NOT_SOLVED = [
    (("--exact", "--iterations", 5), "--exact counts no iterations"),
    (("--exact", "--preset", "puct-basic"), "--exact needs the solver"),
    (("--limit", 1, "--iterations", 5), "not allowed with"),
]


def test_what_cannot_be_solved_is_said():
    for words, complaint in NOT_SOLVED:
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


NOT_ANALYSED = [
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
]


def test_what_cannot_be_analysed_is_named():
    for words, given, expected in NOT_ANALYSED:
        done = run_tool("analyze", *words, given=given)
        assert done.returncode == 2
        assert expected in done.stderr
        assert done.stdout == ""


@pytest.fixture
def quick(monkeypatch):
    """Speeds of which nobody asks more than that they are there."""
    monkeypatch.setattr(bench_command, "ROLLOUTS_TIMED", 2000)
    monkeypatch.setattr(bench_command, "STEPS_TIMED", 1000)


def bench(*words):
    return found_by("bench", "--seconds", 0.02, *words)


def test_the_signature_stands_for_the_search_alone(quick, kernels, monkeypatch):
    monkeypatch.setattr(bench_command, "SIGNATURE_ITERATIONS", 1000)
    monkeypatch.setattr(bench_command, "SOLVER_NODES", 10_000)
    first, again, other = bench(), bench("--backend", "jit"), bench("--set", "exploration=2.5")
    for figures in (first, again, other):
        speeds = ("rollouts_per_s", "iterations_per_s", "ns_per_ply", "solver_nodes_per_s", "steps_per_s", "nodes")
        assert all(figures[name] > 0 for name in (*speeds, "megabytes")) and 0.02 <= figures["seconds"] < 20
        # Both are of the same rollouts, each of 9 plies or more.
        assert figures["rollouts_per_s"] < 1e9 / figures["ns_per_ply"] / 9
    assert first["signature"] == again["signature"] != other["signature"]
    assert again["backend"] == "numba"
    assert first["backend"] == other["backend"] in (*native.NAMES, "numba")
    done = run_tool("bench", "--seconds", 0.02)
    lines = [line.split()[0] for line in done.stdout.splitlines()]
    assert lines == ["signature", "rollouts/s", "iterations/s", "ns", "solver", "nodes", "backend", "steps/s"]
    assert done.stdout.split()[1] == first["signature"]


def test_another_games_bench(quick, monkeypatch):
    """Reversi's strong search has no rollouts."""
    monkeypatch.setattr(bench_command, "SIGNATURE_ITERATIONS", 500)
    monkeypatch.setattr(bench_command, "SOLVER_NODES", 1000)
    found = bench("--game", "reversi")
    assert found["rollouts_per_s"] is found["ns_per_ply"] is None and found["iterations_per_s"] > 0
    printed = run_tool("bench", "--seconds", 0.02, "--game", "reversi").stdout
    assert "rollouts/s" not in printed and "ns per ply" not in printed


def test_speeds_are_compared_in_turns(quick, monkeypatch):
    monkeypatch.setattr(bench_command, "ROLLOUTS_TIMED", 100_000)
    ratios = bench("--against", "uct-plain", "--seconds", 0.005)
    assert set(ratios) == {"rollouts_per_s", "plies_per_s", "iterations_per_s"}
    for lowest, median, highest in ratios.values():
        assert 0 < lowest <= median <= highest
    assert ratios["rollouts_per_s"][1] < 1.0  # tactics take time
    printed = run_tool("bench", "--seconds", 0.002, "--against", "uct-plain").stdout.splitlines()
    assert printed[0] == "ratio to uct-plain, median (lowest .. highest of 9)" and len(printed) == 4


def test_ratios_are_of_each_round_but_the_first(monkeypatch):
    asked, measured = [], {"one": iter([9.0, *range(2, 20, 2)]), "other": iter([1.0, *[2.0] * 9])}

    def speeds(_adapter, _kernels, settings, *_others):
        asked.append(settings)
        return {"iterations_per_s": next(measured[settings])}

    monkeypatch.setattr(bench_command, "speeds", speeds)
    found = bench_command.compare(None, None, "one", "other", 300, 0.1)
    assert found == {"iterations_per_s": [1.0, 5.0, 9.0]}
    assert asked[:4] == ["other", "one", "one", "other"] and len(asked) == 20


NOT_COMPARED = [
    (("--against", "fastest"), "--against: preset 'fastest': unknown; expected one of"),
    (("--against", "default"), "--against default: expected other settings than those measured"),
    (("--against", "alphabeta"), "expected settings with engine=uct, got engine=alphabeta"),
    (("--memory", "100"), "expected at least"),
]


def test_what_cannot_be_compared_is_named():
    for words, expected in NOT_COMPARED:
        done = run_tool("bench", *words)
        assert done.returncode == 2
        assert expected in done.stderr


def test_the_frozen_preset_is_the_first_release(quick):
    """puct-basic must not move when the default does: this is what it searched when it was frozen."""
    assert bench("--preset", "puct-basic")["signature"] == "d6a0faeab328"


def test_presets_are_listed_one_a_line():
    for game in NAMES:
        done = run_tool("presets", "--game", game)
        assert (done.returncode, done.stdout.splitlines()) == (0, list(adapter_of(game).PRESETS))
    assert run_tool("presets").stdout == run_tool("presets", f"--game={NAMES[0]}").stdout
    done = run_tool("presets", "--game", "chess")
    assert (done.returncode, done.stdout) == (2, "")
    assert "chess" in done.stderr
